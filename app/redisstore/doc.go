// Package redisstore is the only code that knows Redis: keys, scripts, inbox,
// leases, jobs, outbox, timers, quota and cache.
package redisstore
