// Package githubsim is a GitHub you can hold in your hand: state, wire and
// signed deliveries, for tests and parley try.
//
// It is three rooms that know one another in one direction only. The state
// (world, repo, git, issue, pull, review, check, app) keeps what GitHub keeps
// and refuses what GitHub refuses. The wire (rest*, graphql, resolve*,
// mutate*) is an http.Handler that turns requests into calls on the state and
// state into GitHub's JSON. The hooks sign and send one delivery for every
// change that an installed app has subscribed to, in order, and keep the log.
//
// Everything a person can do (open an issue, comment, push, click a button) is
// a method of World; the methods lock the world, change it and queue the
// deliveries, so a test reads like the conversation it plays.
package githubsim
