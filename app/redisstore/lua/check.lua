-- check looks for what must not be: a session whose state and place disagree.
-- ARGV: 1 '1' to mend, 2… sids
-- Returns: a line for each fault.
local fix, at, out = ARGV[1] == '1', ms(), {}
local function fault(sid, text) out[#out + 1] = sid .. ': ' .. text end
for i = 2, #ARGV do
  local sid = ARGV[i]
  local s = call('HMGET', skey(sid), 'st', 'inst', 'tok', 'dj')
  local st, inst = s[1] or 'idle', s[2] or '0'
  local waiting = call('LLEN', P .. 'in:' .. sid)
  local queued = call('ZSCORE', P .. 'r:turn:' .. inst, sid)
  local leased = call('ZSCORE', P .. 'lease', sid)
  local lost = nil
  if st == 'idle' and waiting > 0 then lost = waiting .. ' events wait and it is idle' end
  if st == 'ready' and not (queued and call('ZSCORE', P .. 'ready:turn', inst)) then lost = 'ready, and in no queue' end
  if st == 'run' and not leased then lost = 'running, and no lease' end
  if st == 'wait' and not call('ZSCORE', P .. 'timer', sid .. '/') then lost = 'backing off, and no timer' end
  if st == 'parked' and not call('ZSCORE', P .. 'parked', sid) then lost = 'parked, and not listed' end
  if lost then
    fault(sid, lost)
    if fix then
      dequeue('turn', inst, sid, false)
      rest(sid, inst, at)
    end
  elseif st ~= 'ready' and queued then
    fault(sid, st .. ', and queued')
    if fix then dequeue('turn', inst, sid, false) end
  end
  if s[4] and call('EXISTS', P .. 'j:' .. sid .. '/' .. s[4]) == 0 then
    fault(sid, 'its deliver job is gone')
    if fix then
      call('HDEL', skey(sid), 'dj')
      mail(sid, inst, '1', at, 0)
    end
  end
end
return out
