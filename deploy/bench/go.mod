// The benchmarks and the handlers they compare Parley with are a module of
// their own, so that Parley's packages keep the rule of who may import what.
module bench

go 1.26.0

require github.com/redis/go-redis/v9 v9.23.0

require (
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	go.uber.org/atomic v1.12.0 // indirect
	golang.org/x/sys v0.48.0 // indirect
)
