-- desk is the operator's hand.
-- ARGV: 1 act, then
--   hold sid on · retry id · drop id, and ms a blob is kept
-- Returns: ok or none.
local act = ARGV[1]
if act == 'hold' then
  local sid = ARGV[2]
  local s = call('HMGET', skey(sid), 'st', 'inst')
  if not s[1] then return 'none' end
  if ARGV[3] == '1' then
    call('HSET', skey(sid), 'hold', '1')
    if s[1] == 'ready' then
      dequeue('turn', s[2], sid, false)
      call('HSET', skey(sid), 'st', 'held')
    end
  else
    call('HDEL', skey(sid), 'hold')
    if s[1] == 'held' then rest(sid, s[2], ms()) end
  end
  return 'ok'
end
local record = call('HGET', P .. 'dead', ARGV[2])
if not record then return 'none' end
call('HDEL', P .. 'dead', ARGV[2])
local v, what, sid, kind, inst, repo, body =
  string.match(record, '^(%d+)\n(%a+)\n([^\n]*)\n([^\n]*)\n[^\n]*\n[^\n]*\n[^\n]*\n([^\n]*)\n([^\n]*)\n(.*)$')
if act == 'drop' then
  if kind == 'deliver' then
    drop(sid, ARGV[3])
    settle(sid)
  end
  return 'ok'
end
local known, at = call('HGET', skey(sid), 'inst'), ms()
if known then
  inst = known
else
  call('HSET', skey(sid), 'inst', inst, 'repo', repo)
  call('SADD', P .. 'inst:' .. inst, sid)
end
if what == 'event' then
  -- a turn that is running keeps its head: the commit looks for it there
  local head = call('HGET', skey(sid), 'st') == 'run' and call('LPOP', P .. 'in:' .. sid)
  call('LPUSH', P .. 'in:' .. sid, body)
  if head then call('LPUSH', P .. 'in:' .. sid, head) end
  wake(sid, at)
elseif kind == 'deliver' then
  again(sid)
  mail(sid, inst, v, at, 0)
else
  local id = string.match(body, '"id":"([^"]*)"')
  local lane = 'quick'
  if kind == 'task' or kind == 'discuss' then lane = 'slow' end
  newjob(sid, inst, id, lane, body, v, at, 0)
end
return 'ok'
