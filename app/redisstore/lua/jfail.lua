-- jfail gives a job back: for another try at due, as if it had not been tried
-- (free), or to the dead letters.
-- ARGV: 1 sid, 2 job id, 3 token, 4 due (ms, 0 is now), 5 '1' when the try
--       does not count, 6 dead letter ('' for none; %N stands for tries),
--       7 entry to append ('' for none)
-- Returns: ok or stale.
local sid, id = ARGV[1], ARGV[2]
local member = sid .. '/' .. id
local key = P .. 'j:' .. member
local j = call('HMGET', key, 'tok', 'inst', 'lane', 'n', 'spec')
if j[1] ~= ARGV[3] then
  count('stale')
  return 'stale'
end
local at, when = ms(), tonumber(ARGV[4])
if ARGV[6] ~= '' then
  bury(sid, (string.gsub(ARGV[6], '%%N', j[4], 1)), j[5])
  deljob(sid, id)
else
  call('HDEL', key, 'tok')
  call('ZREM', P .. 'jlease', member)
  if ARGV[5] == '1' then call('HINCRBY', key, 'n', -1) end
  if when > at then
    call('HSET', key, 'st', 'wait')
    call('ZADD', P .. 'timer', when, '=' .. member)
  else
    call('HSET', key, 'st', 'ready')
    enqueue(j[3], j[2], member, at)
  end
end
if ARGV[7] ~= '' then push(sid, ARGV[7], at) end
return 'ok'
