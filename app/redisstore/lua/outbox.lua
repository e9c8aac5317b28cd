-- outbox lists what is to be sent, or marks keys as about to be.
-- ARGV: 1 sid, 2 job id, 3 token, 4… keys to mark (none: list)
-- Returns: ok, then key, payload and '1' where it was marked before, of each; or stale.
local sid = ARGV[1]
if call('HGET', P .. 'j:' .. sid .. '/' .. ARGV[2], 'tok') ~= ARGV[3] then
  count('stale')
  return { 'stale' }
end
local out = { 'ok' }
if #ARGV > 3 then
  for i = 4, #ARGV do call('SADD', P .. 'om:' .. sid, ARGV[i]) end
  return out
end
for _, key in ipairs(call('LRANGE', P .. 'o:' .. sid, 0, -1)) do
  out[#out + 1] = key
  out[#out + 1] = call('HGET', P .. 'ow:' .. sid, key)
  out[#out + 1] = tostring(call('SISMEMBER', P .. 'om:' .. sid, key))
end
return out
