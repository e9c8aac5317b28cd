// Package roles holds the workers of the specification half: analyst, writer,
// reviewer and planner. Each has a model path and a rule path. The rule path
// structures what the issue says in its own words, asks for what it does not
// say, and invents nothing; what a model leaves out or gets wrong comes from
// the rule path and is marked as such.
package roles
