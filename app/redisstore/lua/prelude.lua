-- Shared by every script. KEYS[1] is the partition's prefix; all keys of a
-- script begin with it, so they share one Cluster slot.
local P = KEYS[1]
local call = redis.call

local function ms()
  local t = call('TIME')
  return t[1] * 1000 + math.floor(t[2] / 1000)
end

local function count(name, n) call('HINCRBY', P .. 'cnt', name, n or 1) end

local function skey(sid) return P .. 's:' .. sid end

-- ring wakes one worker of a lane. A few bells suffice: whoever claims
-- wakes the next while more is ready.
local function ring(lane)
  if call('LLEN', P .. 'bell:' .. lane) < 4 then call('RPUSH', P .. 'bell:' .. lane, '1') end
end

-- enqueue makes a member due. Installations are served by start-time fair
-- queuing: one that had nothing waiting starts at the clock, not before it,
-- and a little before those that wait for the same step already.
-- Only that rings: behind one that waits already, whoever serves it goes on.
local function enqueue(lane, inst, member, at)
  call('ZADD', P .. 'r:' .. lane .. ':' .. inst, at, member)
  if not call('ZSCORE', P .. 'ready:' .. lane, inst) then
    local clock = tonumber(call('GET', P .. 'clock:' .. lane) or '0')
    call('ZADD', P .. 'ready:' .. lane, clock + 0.75, inst)
    ring(lane)
  end
end

-- dequeue removes a member; with served it moves the installation's turn on.
local function dequeue(lane, inst, member, served)
  local q = P .. 'r:' .. lane .. ':' .. inst
  call('ZREM', q, member)
  local tag = tonumber(call('ZSCORE', P .. 'ready:' .. lane, inst) or '0')
  local clock = tonumber(call('GET', P .. 'clock:' .. lane) or '0')
  if served and tag > clock then
    clock = tag
    call('SET', P .. 'clock:' .. lane, string.format('%.2f', clock))
  end
  if call('ZCARD', q) == 0 then
    call('ZREM', P .. 'ready:' .. lane, inst)
  elseif served then
    call('ZADD', P .. 'ready:' .. lane, clock + 1, inst)
  end
end

-- behind names, by comma, some of the installations a claim leaves waiting,
-- and rings for them when tell is '1'.
local function behind(lane, tell)
  local insts = call('ZRANGE', P .. 'ready:' .. lane, 0, 15)
  if tell == '1' and #insts > 0 then ring(lane) end
  return table.concat(insts, ',')
end

-- oldest picks the next member of a lane, leaving out installations that
-- have their share already. Returns nil, 'capped' when only those wait.
local function oldest(lane, skip)
  local insts = call('ZRANGE', P .. 'ready:' .. lane, 0, 63)
  for _, inst in ipairs(insts) do
    if not skip[inst] then
      local m = call('ZRANGE', P .. 'r:' .. lane .. ':' .. inst, 0, 0)[1]
      if m then return m, inst end
      call('ZREM', P .. 'ready:' .. lane, inst)
    end
  end
  if #insts > 0 then return nil, 'capped' end
  return nil, 'none'
end

local function due(sid, inst, at)
  if call('HGET', skey(sid), 'hold') then
    call('HSET', skey(sid), 'st', 'held')
  else
    call('HSET', skey(sid), 'st', 'ready')
    enqueue('turn', inst, sid, at)
  end
end

-- wake makes an idle session ready; any other state already knows what next.
local function wake(sid, at)
  local s = call('HMGET', skey(sid), 'st', 'inst')
  if not s[1] or s[1] == 'idle' then due(sid, s[2] or '0', at) end
end

local function push(sid, entry, at)
  call('RPUSH', P .. 'in:' .. sid, entry)
  wake(sid, at)
end

-- erase removes what is kept of a session; its texts go with their own time,
-- since no outbox entry names them any more.
local function erase(sid, inst)
  local repo = string.match(sid, '^(%d+)-')
  for pr in string.gmatch(call('HGET', skey(sid), 'prs') or '', '%d+') do call('HDEL', P .. 'pr:' .. repo, pr) end
  local dead = call('HGETALL', P .. 'dead')
  for i = 1, #dead, 2 do
    if string.match(dead[i + 1], '^[^\n]*\n[^\n]*\n([^\n]*)\n') == sid then call('HDEL', P .. 'dead', dead[i]) end
  end
  call('DEL', skey(sid), P .. 'oa:' .. sid, P .. 'ow:' .. sid, P .. 'om:' .. sid, P .. 'ob:' .. sid)
  call('SREM', P .. 'inst:' .. inst, sid)
end

-- settle lets go of a session that has nothing left: one that was told to
-- forget, or that never became one.
local function settle(sid)
  local s = call('HMGET', skey(sid), 'st', 'inst', 'forget', 'state', 'jobs')
  if s[1] ~= 'idle' or (s[4] and not s[3]) or (tonumber(s[5] or '0') > 0) then return end
  if call('EXISTS', P .. 'in:' .. sid, P .. 'o:' .. sid) > 0 then return end
  if s[3] then
    erase(sid, s[2] or '0')
  elseif call('EXISTS', P .. 'oa:' .. sid) == 0 then
    call('DEL', skey(sid))
    call('SREM', P .. 'inst:' .. (s[2] or '0'), sid)
  end
end

-- rest leaves a session idle, held or ready after its holder let go.
local function rest(sid, inst, at)
  call('HDEL', skey(sid), 'tok')
  call('ZREM', P .. 'lease', sid)
  if call('EXISTS', P .. 'in:' .. sid) == 1 then
    due(sid, inst, at)
  else
    call('HSET', skey(sid), 'st', 'idle')
    settle(sid)
  end
end

-- version and id of an inbox entry: "version \n id \n kind \n ms \n body".
local function headof(entry)
  local v, id = string.match(entry, '^(%d+)\n([^\n]*)\n')
  return tonumber(v), id
end

local function newjob(sid, inst, id, lane, spec, version, at, due_at)
  local member = sid .. '/' .. id
  local j = P .. 'j:' .. member
  if call('EXISTS', j) == 1 then return false end
  call('HSET', j, 'st', 'ready', 'n', 0, 'inst', inst, 'lane', lane, 'spec', spec, 'v', version)
  call('HINCRBY', skey(sid), 'jobs', 1)
  if due_at > at then
    call('HSET', j, 'st', 'wait')
    call('ZADD', P .. 'timer', due_at, '=' .. member)
  else
    enqueue(lane, inst, member, at)
  end
  return true
end

-- deljob removes a job in whatever state it is.
local function deljob(sid, id)
  local member = sid .. '/' .. id
  local j = P .. 'j:' .. member
  local f = call('HMGET', j, 'st', 'inst', 'lane')
  if not f[1] then return false end
  call('DEL', j)
  call('HINCRBY', skey(sid), 'jobs', -1)
  call('ZREM', P .. 'jlease', member)
  call('ZREM', P .. 'timer', '=' .. member)
  call('ZREM', P .. 'jparked', member)
  if f[1] == 'ready' then dequeue(f[3], f[2], member, false) end
  if call('HGET', skey(sid), 'dj') == id then call('HDEL', skey(sid), 'dj') end
  return true
end

-- unread says whether the news of a delivery still waits in the inbox. What
-- is sent next builds on the head and the ids in its receipts; and what failed
-- for good is not sent again before somebody has decided.
local news = { delivered = true, refused = true, failed = true }
local function unread(sid)
  for _, entry in ipairs(call('LRANGE', P .. 'in:' .. sid, 0, 99)) do
    local form, body = string.match(entry, '^%d+\n[^\n]*\n(%a+)\n%d+\n(.*)$')
    if form == 'lost' then return true end
    if form == 'event' and news[string.match(body, '^{"id":"[^"]*","kind":"([%w_]+)"')] then return true end
  end
  return false
end

-- mail makes the one job that drains a session's outbox. Returns its id, or
-- nil when there is one already, nothing to drain, or receipts to be read
-- first: the turn that reads them comes by here again.
local function mail(sid, inst, version, at, due_at)
  if call('EXISTS', P .. 'o:' .. sid) == 0 or call('HGET', skey(sid), 'dj') then return nil end
  if due_at <= at and unread(sid) then return nil end
  local id = 'deliver-' .. call('HINCRBY', skey(sid), 'oseq', 1)
  call('HSET', skey(sid), 'dj', id)
  newjob(sid, inst, id, 'quick', '{"id":"' .. id .. '","kind":"deliver","deadline":120000000000}', version, at, due_at)
  return id
end

-- unwrite forgets a write that is out, or never will be.
local function unwrite(sid, key, keep)
  if call('LREM', P .. 'o:' .. sid, 1, key) == 1 then count('outbox', -1) end
  call('LREM', P .. 'oa:' .. sid, 1, key)
  call('SREM', P .. 'om:' .. sid, key)
  local blobs = call('HGET', P .. 'ow:' .. sid, ':' .. key)
  call('HDEL', P .. 'ow:' .. sid, key, ':' .. key)
  for blob in string.gmatch(blobs or '', '[^,]+') do
    if call('HINCRBY', P .. 'ob:' .. sid, blob, -1) <= 0 then
      call('HDEL', P .. 'ob:' .. sid, blob)
      call('PEXPIRE', P .. 'b:' .. sid .. '/' .. blob, keep)
    end
  end
end

-- letters lists the dead deliveries of a session.
local function letters(sid)
  local ids, dead = {}, call('HGETALL', P .. 'dead')
  for i = 1, #dead, 2 do
    local of, kind = string.match(dead[i + 1], '^[^\n]*\njob\n([^\n]*)\n([^\n]*)\n')
    if of == sid and kind == 'deliver' then ids[#ids + 1] = dead[i] end
  end
  return ids
end

-- aside moves the outbox out of the way; again puts it back at the head, drop
-- forgets it, and with both the letter that told of it goes.
local function aside(sid)
  for _, key in ipairs(call('LRANGE', P .. 'o:' .. sid, 0, -1)) do
    call('RPUSH', P .. 'oa:' .. sid, key)
    count('outbox', -1)
  end
  call('DEL', P .. 'o:' .. sid)
end

local function again(sid)
  local keys = call('LRANGE', P .. 'oa:' .. sid, 0, -1)
  if #keys == 0 then return end
  for i = #keys, 1, -1 do call('LPUSH', P .. 'o:' .. sid, keys[i]) end
  call('DEL', P .. 'oa:' .. sid)
  count('outbox', #keys)
  for _, id in ipairs(letters(sid)) do call('HDEL', P .. 'dead', id) end
end

local function drop(sid, keep)
  for _, key in ipairs(call('LRANGE', P .. 'oa:' .. sid, 0, -1)) do unwrite(sid, key, keep) end
  for _, id in ipairs(letters(sid)) do call('HDEL', P .. 'dead', id) end
end

-- bury keeps what every try failed. The record is head (a line each for
-- version, what, sid, kind, tries, ms and text), installation, repository and
-- body: the session may be forgotten before somebody tries it again. One
-- letter stands for all deliveries of a session that were set aside.
local function bury(sid, head, body)
  if string.match(head, '^[^\n]*\njob\n[^\n]*\ndeliver\n') and #letters(sid) > 0 then return end
  local s = call('HMGET', skey(sid), 'inst', 'repo')
  local id = string.match(P, '{(.-)}') .. '-' .. call('HINCRBY', P .. 'cnt', 'dead', 1)
  call('HSET', P .. 'dead', id, table.concat({ head, s[1] or '0', '\n', s[2] or '', '\n', body }))
end
