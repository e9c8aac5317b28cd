-- blob stores file contents. One that is there already stays, and one that
-- an outbox entry names keeps having no end.
-- ARGV: 1 sid, 2 ms to keep, then id and content of each
for i = 3, #ARGV, 2 do
  local key = P .. 'b:' .. ARGV[1] .. '/' .. ARGV[i]
  if call('EXISTS', key) == 0 then
    call('SET', key, ARGV[i + 1], 'PX', ARGV[2])
  elseif call('PTTL', key) > 0 then
    call('PEXPIRE', key, ARGV[2])
  end
  if call('HEXISTS', P .. 'ob:' .. ARGV[1], ARGV[i]) == 1 then call('PERSIST', key) end
end
return 'ok'
