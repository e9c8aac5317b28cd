-- tick moves what time has made due.
-- ARGV: 1 '1' to take back leases that ran out, 2 newest record version
--       known here, 3 most tries of a job, 4 ms until the next tick may run
-- Returns: leases taken back, jobs taken back, timers fired; all -1 when
--          another process has just ticked.
local at, turns, jobs, timers = ms(), 0, 0, 0
local last = tonumber(call('GET', P .. 'tick') or '0')
if at >= last and at < last + tonumber(ARGV[4]) then return { -1, -1, -1 } end
call('SET', P .. 'tick', string.format('%.0f', at))

if ARGV[1] == '1' then
  for _, sid in ipairs(call('ZRANGEBYSCORE', P .. 'lease', '-inf', at, 'LIMIT', 0, 200)) do
    rest(sid, call('HGET', skey(sid), 'inst') or '0', at)
    turns = turns + 1
  end
  for _, member in ipairs(call('ZRANGEBYSCORE', P .. 'jlease', '-inf', at, 'LIMIT', 0, 200)) do
    local sid, id = string.match(member, '^(.-)/(.*)$')
    local key = P .. 'j:' .. member
    local j = call('HMGET', key, 'n', 'inst', 'lane', 'spec')
    call('ZREM', P .. 'jlease', member)
    jobs = jobs + 1
    if j[1] and tonumber(j[1]) >= tonumber(ARGV[3]) then
      local kind = string.match(j[4], '"kind":"([^"]*)"') or '?'
      bury(sid, table.concat({ '1', 'job', sid, kind, j[1], string.format('%.0f', at), 'every try lost its worker', '' }, '\n'), j[4])
      deljob(sid, id)
      push(sid, table.concat({ '1', 'job:' .. id .. ':failed', 'lost', string.format('%.0f', at), j[4] }, '\n'), at)
    elseif j[1] then
      call('HDEL', key, 'tok')
      call('HSET', key, 'st', 'ready')
      enqueue(j[3], j[2], member, at)
    end
  end
  count('reap', turns + jobs)
end

local fired = call('ZRANGEBYSCORE', P .. 'timer', '-inf', at, 'WITHSCORES', 'LIMIT', 0, 200)
for i = 1, #fired, 2 do
  local member, when = fired[i], fired[i + 1]
  call('ZREM', P .. 'timer', member)
  timers = timers + 1
  if string.sub(member, 1, 1) == '=' then
    member = string.sub(member, 2)
    local j = call('HMGET', P .. 'j:' .. member, 'st', 'inst', 'lane')
    if j[1] == 'wait' then
      call('HSET', P .. 'j:' .. member, 'st', 'ready')
      enqueue(j[3], j[2], member, at)
    end
  else
    local sid, name = string.match(member, '^(.-)/(.*)$')
    local s = call('HMGET', skey(sid), 'st', 'inst', 'rev')
    if name == '' then
      if s[1] == 'wait' then due(sid, s[2] or '0', at) end
    elseif s[1] then
      local id = 'timer:' .. name .. ':' .. when .. '.' .. (s[3] or '0')
      push(sid, table.concat({ '1', id, 'timer', when, name }, '\n'), at)
    end
  end
end

for _, sid in ipairs(call('ZRANGEBYSCORE', P .. 'parked', '-inf', ARGV[2])) do
  call('ZREM', P .. 'parked', sid)
  if call('HGET', skey(sid), 'st') == 'parked' then due(sid, call('HGET', skey(sid), 'inst') or '0', at) end
end
for _, member in ipairs(call('ZRANGEBYSCORE', P .. 'jparked', '-inf', ARGV[2])) do
  call('ZREM', P .. 'jparked', member)
  local j = call('HMGET', P .. 'j:' .. member, 'st', 'inst', 'lane')
  if j[1] == 'parked' then
    call('HSET', P .. 'j:' .. member, 'st', 'ready')
    enqueue(j[3], j[2], member, at)
  end
end

for _, lane in ipairs({ 'turn', 'quick', 'slow' }) do
  if call('ZCARD', P .. 'ready:' .. lane) > 0 then ring(lane) end
end
return { turns, jobs, timers }
