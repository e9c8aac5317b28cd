// Package githubsim is a GitHub you can hold in your hand: state, wire and
// signed deliveries, for tests and parley try.
package githubsim
