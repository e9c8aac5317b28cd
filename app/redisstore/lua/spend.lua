-- spend counts against a sliding window, or says when it would fit.
-- KEYS: 1 the window's zset (it alone; the prelude's P is not used)
-- ARGV: 1 how much, 2 limit, 3 window (ms), 4 nonce
-- Returns: 0 when counted, else the time (ms) when it fits.
local at, n, limit, window = ms(), tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
call('ZREMRANGEBYSCORE', P, '-inf', at - window)
local used, spent = 0, call('ZRANGE', P, 0, -1, 'WITHSCORES')
for i = 1, #spent, 2 do used = used + tonumber(string.match(spent[i], '^(%d+)')) end
if used + n > limit and used > 0 then
  local free = used + n - limit
  for i = 1, #spent, 2 do
    free = free - tonumber(string.match(spent[i], '^(%d+)'))
    if free <= 0 then return string.format('%.0f', tonumber(spent[i + 1]) + window) end
  end
  return string.format('%.0f', at + window)
end
call('ZADD', P, at, n .. ':' .. ARGV[4])
call('PEXPIRE', P, window)
return '0'
