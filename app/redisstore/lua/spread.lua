-- spread stores an event for every session of an installation, or of one of
-- its repositories.
-- ARGV: 1 installation, 2 repo ('' for all), 3 id, 4 how long ids are
--       remembered (ms), 5 entry
-- Returns: stored or dup.
if not call('SET', P .. 'dd:' .. ARGV[3], '1', 'NX', 'PX', ARGV[4]) then return 'dup' end
local at = ms()
for _, sid in ipairs(call('SMEMBERS', P .. 'inst:' .. ARGV[1])) do
  if ARGV[2] == '' or string.match(sid, '^(%d+)-') == ARGV[2] then push(sid, ARGV[5], at) end
end
return 'stored'
