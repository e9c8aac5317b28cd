-- fail gives a turn back: for another try at due, as if it had not been tried
-- (free), or by sending its event to the dead letters.
-- ARGV: 1 sid, 2 token, 3 event id ('' for a yield), 4 due (ms, 0 is now),
--       5 '1' when the try does not count, 6 dead letter ('' for none; %N and
--       %B stand for tries and entry), 7 entry to append ('' for none)
-- Returns: ok or stale.
local sid, token, event = ARGV[1], ARGV[2], ARGV[3]
local s = call('HMGET', skey(sid), 'tok', 'st', 'inst', 'n')
local head = call('LINDEX', P .. 'in:' .. sid, 0)
local current = event == '' or (head and select(2, headof(head)) == event)
if s[1] ~= token or s[2] ~= 'run' or not current then
  count('stale')
  return 'stale'
end
local at, when = ms(), tonumber(ARGV[4])
if ARGV[5] == '1' then call('HINCRBY', skey(sid), 'n', -1) end
if ARGV[6] ~= '' then
  call('LPOP', P .. 'in:' .. sid)
  call('HSET', skey(sid), 'n', 0)
  bury(sid, (string.gsub(ARGV[6], '%%N', s[4], 1)), head)
end
if ARGV[7] ~= '' then call('RPUSH', P .. 'in:' .. sid, ARGV[7]) end
if when > at and ARGV[6] == '' then
  call('HDEL', skey(sid), 'tok')
  call('ZREM', P .. 'lease', sid)
  call('HSET', skey(sid), 'st', 'wait')
  call('ZADD', P .. 'timer', when, sid .. '/')
else
  rest(sid, s[3], at)
end
return 'ok'
