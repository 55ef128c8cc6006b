"""What Redis or Valkey does for `redis_store`, as one Lua script for each step.

A script runs alone, so looking and changing are one step for all machines. The clock is the
server's own: machines whose clocks differ agree all the same. ARGV[1] is another clock's time where
one was given, and empty otherwise.

A shelf is five kinds of key with one hash tag: things by place (owner:key), the moments they were
put, the order of their use, how many owners have a key, and for each owner the order of its own.
Whatever is kept has a time to live, so nothing stays that nobody asks for any more.
"""

from __future__ import annotations

CLOCK = """
local function clock()
  if ARGV[1] ~= '' then return tonumber(ARGV[1]) end
  local time = redis.call('TIME')
  return tonumber(time[1]) + tonumber(time[2]) / 1000000
end
local now = clock()
local function exact(number) return string.format('%.17g', number) end
local function keep(key, seconds)
  local wanted = math.ceil(seconds * 1000) + 1000
  if redis.call('PTTL', key) < wanted then redis.call('PEXPIRE', key, wanted) end
end
"""

# KEYS: things, moments, used, keys, and what the names of the owners' own begin with.
SHELF = """
local things, moments, used, keys, owners = unpack(KEYS)
local function drop(place)
  local owner, key = place:match('^(%x+):(%x+)$')
  redis.call('HDEL', things, place)
  redis.call('ZREM', moments, place)
  redis.call('ZREM', used, place)
  redis.call('ZREM', owners .. owner, place)
  if redis.call('HINCRBY', keys, key, -1) <= 0 then redis.call('HDEL', keys, key) end
end
local function use(owner, place)
  local newest = redis.call('ZREVRANGE', used, 0, 0, 'WITHSCORES')
  local number = exact((tonumber(newest[2]) or 0) + 1)
  redis.call('ZADD', used, number, place)
  redis.call('ZADD', owners .. owner, number, place)
end
"""

PUT = f"""{CLOCK}{SHELF}
local owner, key, value, only_new = ARGV[2], ARGV[3], ARGV[4], ARGV[5] == '1'
local seconds, most, most_in_all = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local is_endless, life = ARGV[9] == '1', tonumber(ARGV[10])
local place = owner .. ':' .. key
if not is_endless then
  for _, over in ipairs(redis.call('ZRANGEBYSCORE', moments, '-inf', exact(now - seconds))) do
    drop(over)
  end
  -- As far ahead as behind: what a clock set back has left in the future ends too.
  for _, ahead in ipairs(redis.call('ZRANGEBYSCORE', moments, exact(now + seconds), '+inf')) do
    drop(ahead)
  end
end
if only_new and redis.call('HEXISTS', keys, key) == 1 then return 0 end
if redis.call('HEXISTS', things, place) == 1 then drop(place) end
redis.call('HSET', things, place, value)
redis.call('ZADD', moments, exact(now), place)
redis.call('HINCRBY', keys, key, 1)
use(owner, place)
while redis.call('ZCARD', owners .. owner) > most do
  drop(redis.call('ZRANGE', owners .. owner, 0, 0)[1])
end
while redis.call('ZCARD', used) > most_in_all do drop(redis.call('ZRANGE', used, 0, 0)[1]) end
for _, kept in ipairs({{things, moments, used, keys, owners .. owner}}) do keep(kept, life) end
return 1
"""

GET = f"""{CLOCK}{SHELF}
local owner, key, seconds = ARGV[2], ARGV[3], tonumber(ARGV[4])
local is_endless, by_use = ARGV[5] == '1', ARGV[6] == '1'
local place = owner .. ':' .. key
local moment = tonumber(redis.call('ZSCORE', moments, place) or nil)
if not moment then return false end
if not is_endless and math.abs(now - moment) >= seconds then
  drop(place)
  return false
end
if by_use then use(owner, place) end
return redis.call('HGET', things, place)
"""

CLEAR = f"""{CLOCK}{SHELF}
for _, place in ipairs(redis.call('ZRANGE', used, 0, -1)) do
  redis.call('DEL', owners .. place:match('^(%x+):'))
end
redis.call('DEL', things, moments, used, keys)
return 1
"""

# KEYS: the sum, with the stretch of time that it is of.
COUNT = f"""{CLOCK}
local seconds, amount = tonumber(ARGV[2]), tonumber(ARGV[3])
local stretch = string.format('%.0f', math.floor(now / seconds))
local latest, sum = unpack(redis.call('HMGET', KEYS[1], 'stretch', 'sum'))
if latest ~= stretch then sum = 0 end
sum = tonumber(sum) + amount
redis.call('HSET', KEYS[1], 'stretch', stretch, 'sum', exact(sum))
keep(KEYS[1], seconds)
return exact(sum)
"""

# KEYS: when each lease ends, and how much each takes.
LEASES = """
local ends, amounts = unpack(KEYS)
local function forget(key)
  redis.call('ZREM', ends, key)
  redis.call('HDEL', amounts, key)
end
"""

LEASE = f"""{CLOCK}{LEASES}
local key, amount, seconds = ARGV[2], ARGV[3], tonumber(ARGV[4])
local has_bound, most = ARGV[5] == '1', tonumber(ARGV[6])
for _, over in ipairs(redis.call('ZRANGEBYSCORE', ends, '-inf', exact(now))) do forget(over) end
local taken = 0
for _, one in ipairs(redis.call('HVALS', amounts)) do taken = taken + tonumber(one) end
if has_bound and taken >= most then return false end
redis.call('ZADD', ends, exact(now + seconds), key)
redis.call('HSET', amounts, key, amount)
keep(ends, seconds)
keep(amounts, seconds)
return exact(taken)
"""

RENEW = f"""{CLOCK}{LEASES}
local key, seconds = ARGV[2], tonumber(ARGV[3])
local until_now = tonumber(redis.call('ZSCORE', ends, key) or nil)
if not until_now or until_now <= now then return 0 end
redis.call('ZADD', ends, exact(now + seconds), key)
keep(ends, seconds)
keep(amounts, seconds)
return 1
"""

RELEASE = f"""{CLOCK}{LEASES}
forget(ARGV[2])
return 1
"""
