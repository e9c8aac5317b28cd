// Package redisstore is the only code that knows Redis. It keeps sessions,
// their inboxes, leases, jobs, timers and outboxes, and changes them only by
// short scripts, each of which touches the keys of one partition. A lease is a
// counter and a nonce that every write checks; time is Redis's own.
//
// After every script these hold:
//
//	an inbox that is not empty belongs to a session that is not idle
//	a session is ready  <=> it stands in its installation's queue
//	a session is run    <=> it stands in the lease set and has a token
//	a session is wait   <=> its back-off stands in the timer set
//	an outbox that is not empty has a deliver job, or that job's dead letter
//
// so that nothing can be stranded between two of them.
//
//	        put, timer, job's end          claim
//	idle ------------------------> ready ---------> run --commit, empty--> idle
//	                                 ^               | |--commit, more---> run or ready
//	                                 |--yield, reap--| |--fail-----------> wait --tick--> ready
//	        operator: held --release--^              unknown record version: parked --newer process--> ready
package redisstore
