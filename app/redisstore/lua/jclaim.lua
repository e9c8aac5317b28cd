-- jclaim takes a job's lease.
-- ARGV: 1 lane, 2 member ('' for the next one), 3 nonce, 4 lease (ms),
--       5 newest record version known here, 6 '1' to ring for what is left,
--       7… installations that have their share
-- Returns: ok, member, inst, token, tries, spec, state, repo,
--          installations still waiting (by comma); or none, capped.
if call('EXISTS', P .. 'off') == 1 then return { 'none' } end
local lane, skip = ARGV[1], {}
for i = 7, #ARGV do skip[ARGV[i]] = true end
while true do
  local member, inst = ARGV[2], nil
  if member == '' then
    member, inst = oldest(lane, skip)
    if not member then return { inst } end
  else
    local j = call('HMGET', P .. 'j:' .. member, 'st', 'inst', 'lane')
    if j[1] ~= 'ready' then return { 'none' } end
    inst, lane = j[2], j[3]
  end
  dequeue(lane, inst, member, true)
  local key, sid = P .. 'j:' .. member, string.match(member, '^(.-)/')
  local j = call('HMGET', key, 'spec', 'v')
  local s = call('HMGET', skey(sid), 'state', 'repo', 'v')
  local v = math.max(tonumber(j[2] or '0'), tonumber(s[3] or '0'))
  if j[1] and v > tonumber(ARGV[5]) then
    call('HSET', key, 'st', 'parked')
    call('ZADD', P .. 'jparked', v, member)
  elseif j[1] then
    local tok = call('HINCRBY', key, 'f', 1) .. ':' .. ARGV[3]
    local n = call('HINCRBY', key, 'n', 1)
    call('HSET', key, 'st', 'run', 'tok', tok)
    call('ZADD', P .. 'jlease', ms() + tonumber(ARGV[4]), member)
    return { 'ok', member, inst, tok, n, j[1], s[1] or '', s[2] or '', behind(lane, ARGV[6]) }
  end
  if ARGV[2] ~= '' then return { 'none' } end
end
