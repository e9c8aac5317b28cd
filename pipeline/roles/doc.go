// Package roles holds what each role is asked, what it must return, and its
// draft by rules where no model answers.
package roles
