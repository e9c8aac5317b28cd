-- commit makes a turn's decision about the head event true.
-- ARGV: 1 sid, 2 token, 3 event id, 4 state ('' for none), 5 record version,
--       6 '1' to go on under the same lease, 7 pull request ('' for none),
--       8 ms a blob is kept, then steps of five:
--         timer name due(0 cancels) · job id lane spec · cancel id
--         write key payload blobs(by comma) '1' when it goes behind what is
--         set aside · aside · again · drop · audit line · forget
-- Returns: ok, next head ('' when released), tries, jobs made (by newline);
--          or stale.
local sid, token, event = ARGV[1], ARGV[2], ARGV[3]
local s = call('HMGET', skey(sid), 'tok', 'st', 'last', 'inst', 'n')
local head = call('LINDEX', P .. 'in:' .. sid, 0)
if s[3] == token .. ' ' .. event then
  if s[1] == token and head then return { 'ok', head, s[5], '' } end
  return { 'ok', '', '0', '' }
end
local own = s[1] == token and s[2] == 'run' -- CONTROL token
local current = head and select(2, headof(head)) == event -- CONTROL head
if not own or not current then
  count('stale')
  return { 'stale' }
end
local inst, at = s[4], ms()
call('LPOP', P .. 'in:' .. sid)
call('HSET', skey(sid), 'last', token .. ' ' .. event, 'n', 0)
if ARGV[4] == '' then
  call('HDEL', skey(sid), 'state')
else
  call('HSET', skey(sid), 'state', ARGV[4], 'v', ARGV[5])
end
call('HINCRBY', skey(sid), 'rev', 1)
if ARGV[7] ~= '' then
  local repo, issue = string.match(sid, '^(%d+)-(%d+)$')
  if call('HSET', P .. 'pr:' .. repo, ARGV[7], issue) == 1 then
    call('HSET', skey(sid), 'prs', (call('HGET', skey(sid), 'prs') or '') .. ' ' .. ARGV[7])
  end
end
local jobs = {}
local step = {
  timer = function(name, when)
    if when == '0' then
      call('ZREM', P .. 'timer', sid .. '/' .. name)
    else
      call('ZADD', P .. 'timer', when, sid .. '/' .. name)
    end
  end,
  job = function(id, lane, spec)
    if newjob(sid, inst, id, lane, spec, ARGV[5], at, 0) then jobs[#jobs + 1] = id end
  end,
  cancel = function(id) deljob(sid, id) end,
  write = function(key, payload, blobs, behind)
    if call('HSETNX', P .. 'ow:' .. sid, key, payload) == 0 then return end
    local list = behind == '1' and call('EXISTS', P .. 'oa:' .. sid) == 1 and 'oa:' or 'o:'
    call('RPUSH', P .. list .. sid, key)
    if list == 'o:' then count('outbox') end
    if blobs == '' then return end
    call('HSET', P .. 'ow:' .. sid, ':' .. key, blobs)
    for id in string.gmatch(blobs, '[^,]+') do
      call('HINCRBY', P .. 'ob:' .. sid, id, 1)
      call('PERSIST', P .. 'b:' .. sid .. '/' .. id)
    end
  end,
  aside = function() aside(sid) end,
  again = function() again(sid) end,
  drop = function() drop(sid, ARGV[8]) end,
  audit = function(line) call('XADD', P .. 'audit', 'MAXLEN', '~', 10000, '*', 'd', line) end,
  forget = function() call('HSET', skey(sid), 'forget', 1) end,
}
for i = 9, #ARGV, 5 do step[ARGV[i]](ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4]) end
local d = mail(sid, inst, ARGV[5], at, 0)
if d then jobs[#jobs + 1] = d end
count('commit')
head = call('LINDEX', P .. 'in:' .. sid, 0)
if head and ARGV[6] == '1' and not call('HGET', skey(sid), 'hold') and headof(head) <= tonumber(ARGV[5]) then
  call('HSET', skey(sid), 'n', 1)
  return { 'ok', head, '1', table.concat(jobs, '\n') }
end
rest(sid, inst, at)
return { 'ok', '', '0', table.concat(jobs, '\n') }
