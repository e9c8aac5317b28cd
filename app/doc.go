// Package app is the composition root: configuration, wiring, routes, health,
// metrics, start and stop.
package app
