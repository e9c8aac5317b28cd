-- put stores an event once.
-- ARGV: 1 repo, 2 issue ('' when only the pull request is known), 3 pull
--       request ('' when unknown), 4 installation, 5 most that may wait,
--       6 how long ids are remembered (ms), 7 entry, 8 repo as JSON, 9 '1' when
--       the event means nothing without a session, 10… ids
-- Returns: stored, none, dup or full. Reads come first: a script that Redis refuses
-- for want of memory leaves nothing behind.
local repo, issue = ARGV[1], ARGV[2]
if issue == '' then issue = call('HGET', P .. 'pr:' .. repo, ARGV[3]) or ARGV[3] end
local sid, inst = repo .. '-' .. issue, ARGV[4]
if ARGV[9] == '1' and call('EXISTS', skey(sid)) == 0 then
  count('none')
  return 'none'
end
for i = 10, #ARGV do
  if call('EXISTS', P .. 'dd:' .. ARGV[i]) == 1 then
    count('dup')
    return 'dup'
  end
end
if call('LLEN', P .. 'in:' .. sid) >= tonumber(ARGV[5]) then
  count('full')
  return 'full'
end
for i = 10, #ARGV do call('SET', P .. 'dd:' .. ARGV[i], '1', 'PX', ARGV[6]) end
local s = call('HMGET', skey(sid), 'inst', 'state', 'st')
if s[1] ~= inst then
  if s[1] and s[3] == 'ready' then
    dequeue('turn', s[1], sid, false)
    enqueue('turn', inst, sid, ms())
  end
  if s[1] then call('SREM', P .. 'inst:' .. s[1], sid) end
  call('SADD', P .. 'inst:' .. inst, sid)
  call('HSET', skey(sid), 'inst', inst)
end
if not s[2] and s[1] ~= inst then call('HSET', skey(sid), 'repo', ARGV[8]) end
call('RPUSH', P .. 'in:' .. sid, ARGV[7])
if not s[3] or s[3] == 'idle' then due(sid, inst, ms()) end
count('put')
return 'stored'
