package app

import "testing"

// Only what a commit to the session folder would start is complained of.
func TestRunsOnSessions(t *testing.T) {
	for text, want := range map[string]bool{
		"on: push":                                         true,
		"on: [workflow_dispatch, pull_request]":            true,
		"on: {push: {branches: ['**']}}":                   true,
		"on: {push: {branches: [lifecycle/**]}}":           true,
		"on: {pull_request: {branches: [main]}}":           true,
		"on: {pull_request: }":                             true,
		"on: {push: {paths-ignore: [docs/**]}}":            true,
		"on: {push: {paths: ['**.md']}}":                   true,
		"on: {push: {paths-ignore: ['.workflow/**']}}":     false,
		"on: {push: {paths-ignore: ['**.md']}}":            true,
		"on: {push: {paths: ['**/*.json']}}":               true,
		"on: {push: {branches-ignore: [main]}}":            true,
		"on: {push: {branches-ignore: ['lifecycle/**']}}":  false,
		"on: {push: {branches: ['*']}}":                    false,
		"on: {push: {paths: ['**.go']}}":                   false,
		"on: {push: {paths: ['**', '!.workflow/**']}}":     false,
		"on: {push: {paths: [src/**]}}":                    false,
		"on: {push: {branches: [main]}}":                   false,
		"on: {push: {tags: ['v*']}}":                       false,
		"on: schedule":                                     false,
		"on: {workflow_dispatch: }\nname: push on request": false,
		"# push\nname: none":                               false,
		"on: [push":                                        false,
	} {
		if got := runsOnSessions([]byte(text), []string{"lifecycle/"}); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
