-- beat extends leases that are still held.
-- ARGV: 1 lease (ms), then sid, job id ('' for a turn) and token of each.
-- Returns: 1 or 0 for each.
local until_ms, out = ms() + tonumber(ARGV[1]), {}
for i = 2, #ARGV, 3 do
  local sid, id, token = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local key, set, member = skey(sid), 'lease', sid
  if id ~= '' then
    member = sid .. '/' .. id
    key, set = P .. 'j:' .. member, 'jlease'
  end
  if call('HGET', key, 'tok') == token then
    call('ZADD', P .. set, until_ms, member)
    out[#out + 1] = 1
  else
    out[#out + 1] = 0
  end
end
return out
