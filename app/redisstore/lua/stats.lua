-- stats counts what is due, held by somebody, backing off and dead.
-- Returns: due, oldest due (ms waited), running, timers, dead, outbox, parked.
local at, due, oldest = ms(), 0, 0
for _, lane in ipairs({ 'turn', 'quick', 'slow' }) do
  for _, inst in ipairs(call('ZRANGE', P .. 'ready:' .. lane, 0, -1)) do
    local q = P .. 'r:' .. lane .. ':' .. inst
    due = due + call('ZCARD', q)
    local first = call('ZRANGE', q, 0, 0, 'WITHSCORES')
    if first[2] then oldest = math.max(oldest, at - tonumber(first[2])) end
  end
end
return {
  due, oldest, call('ZCARD', P .. 'lease') + call('ZCARD', P .. 'jlease'), call('ZCARD', P .. 'timer'),
  call('HLEN', P .. 'dead'), tonumber(call('HGET', P .. 'cnt', 'outbox') or '0'),
  call('ZCARD', P .. 'parked') + call('ZCARD', P .. 'jparked'),
}
