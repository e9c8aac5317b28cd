// Package githubapi is the only code that calls GitHub. It implements
// pipeline.GitHub: reads in one query each, and writes as plans that put
// neighbouring entries of a session's outbox into as few requests as GitHub
// allows.
//
// Three rules hold everywhere. Nobody sleeps: a limit becomes a
// *pipeline.NotBefore and the queue waits. Every write can be repeated: what
// it makes carries a marker, which is looked for on our own objects before a
// second try. Nothing leaves the session's branch and folder: refs and paths
// are checked before the first request.
package githubapi
