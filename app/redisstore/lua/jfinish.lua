-- jfinish closes a job, appends its event, and takes what is out from the outbox.
-- ARGV: 1 sid, 2 job id, 3 token, 4 entry ('' for none), 5 when the rest of
--       the outbox is due (ms, 0 is now), 6 record version, 7 ms a blob is
--       kept, 8… outbox keys that are settled
-- Returns: ok or stale.
local sid, id = ARGV[1], ARGV[2]
local j = call('HMGET', P .. 'j:' .. sid .. '/' .. id, 'tok', 'inst')
if j[1] ~= ARGV[3] then
  count('stale')
  return 'stale'
end
local at = ms()
deljob(sid, id)
for i = 8, #ARGV do unwrite(sid, ARGV[i], ARGV[7]) end
if ARGV[4] ~= '' then push(sid, ARGV[4], at) end
mail(sid, j[2], ARGV[6], at, tonumber(ARGV[5]))
settle(sid)
return 'ok'
