-- claim takes a session's lease.
-- ARGV: 1 sid ('' for the next one), 2 nonce, 3 lease (ms), 4 newest record
--       version known here, 5 '1' to ring for what is left, 6… installations
--       that have their share
-- Returns: ok, sid, inst, token, tries, state, head, repo,
--          installations still waiting (by comma); or none, capped.
if call('EXISTS', P .. 'off') == 1 then return { 'none' } end
local skip = {}
for i = 6, #ARGV do skip[ARGV[i]] = true end
local known, at = tonumber(ARGV[4]), ms()
while true do
  local sid, inst = ARGV[1], nil
  if sid == '' then
    sid, inst = oldest('turn', skip)
    if not sid then return { inst } end
  else
    local s = call('HMGET', skey(sid), 'st', 'inst')
    if s[1] ~= 'ready' then return { 'none' } end
    inst = s[2]
  end
  dequeue('turn', inst, sid, true)
  local head = call('LINDEX', P .. 'in:' .. sid, 0)
  local s = call('HMGET', skey(sid), 'v', 'state', 'repo')
  local v = tonumber(s[1] or '0')
  if head then v = math.max(v, (headof(head))) end
  if not head then
    call('HSET', skey(sid), 'st', 'idle')
  elseif v > known then
    call('HSET', skey(sid), 'st', 'parked')
    call('ZADD', P .. 'parked', v, sid)
  else
    local tok = call('HINCRBY', skey(sid), 'f', 1) .. ':' .. ARGV[2]
    local n = call('HINCRBY', skey(sid), 'n', 1)
    call('HSET', skey(sid), 'st', 'run', 'tok', tok)
    call('ZADD', P .. 'lease', at + tonumber(ARGV[3]), sid)
    return { 'ok', sid, inst, tok, n, s[2] or '', head, s[3] or '', behind('turn', ARGV[5]) }
  end
  if ARGV[1] ~= '' then return { 'none' } end
end
