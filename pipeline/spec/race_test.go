//go:build race

package spec

func init() { underRace = true }
