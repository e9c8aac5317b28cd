// Package storetest holds every Store to one contract. Memory is the contract
// in plain Go: the engine's tests run on it, and what the suite asks of it the
// suite asks of Redis.
package storetest
