package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"parley/app/githubapi"
)

// maxWorkflowRepos bounds what the doctor reads of an account.
const maxWorkflowRepos = 50

// workflows looks for CI that would run on every commit of a session.
func (d *Doctor) workflows(ctx context.Context, client *githubapi.Client, in githubapi.Installation) {
	repos, err := client.Repositories(ctx, in.ID)
	if err != nil {
		d.bad("installation "+in.Account.Login, "run the doctor again; when it stays so, install the App on it anew", "its repositories cannot be listed: %v", err)
		return
	}
	var without []string
	for _, repo := range repos[:min(len(repos), maxWorkflowRepos)] {
		files, err := client.Workflows(ctx, repo.Repo)
		if err != nil {
			continue // out of reach; the permissions above say so
		}
		for path, text := range files {
			if runsOnSessions([]byte(text), d.Config.Prefixes) {
				without = append(without, repo.Name+"/"+path)
			}
		}
	}
	if len(without) > 0 {
		slices.Sort(without)
		d.found = append(d.found, Symptom{What: "workflows of " + in.Account.Login, Note: true,
			Says:   fmt.Sprintf("%d run on every commit of a session: %s", len(without), strings.Join(without[:min(len(without), 5)], ", ")),
			Remedy: "add to their push and pull_request triggers: paths-ignore: ['.workflow/**']"})
	}
}

// trigger is what a workflow says of push or pull_request.
type trigger struct {
	Branches       []string
	BranchesIgnore []string `yaml:"branches-ignore"`
	Tags           []string
	Paths          []string
	PathsIgnore    []string `yaml:"paths-ignore"`
}

// runsOnSessions tells whether a commit that touches the session folder alone
// starts the workflow. What cannot be read starts nothing.
func runsOnSessions(text []byte, prefixes []string) bool {
	var w struct{ On yaml.Node }
	if yaml.Unmarshal(text, &w) != nil {
		return false
	}
	var one string
	var names []string
	var full map[string]yaml.Node
	switch {
	case w.On.Decode(&one) == nil:
		names = []string{one}
	case w.On.Decode(&names) == nil:
	case w.On.Decode(&full) == nil:
		return anyTrigger(full, prefixes)
	}
	return slices.Contains(names, "push") || slices.Contains(names, "pull_request")
}

func anyTrigger(of map[string]yaml.Node, prefixes []string) bool {
	for _, name := range []string{"push", "pull_request"} {
		var t trigger
		node, said := of[name]
		if !said || node.Decode(&t) != nil {
			continue
		}
		if name == "push" && !t.pushed(prefixes) {
			continue
		}
		if t.touched() {
			return true
		}
	}
	return false
}

// touched tells whether the files of a session are among those meant: Markdown
// and JSON below one folder, both in every commit.
func (t trigger) touched() bool {
	whole := func(glob string) bool { return strings.HasPrefix(glob, sessionFiles) || glob == "**" || glob == "**/*" }
	if len(t.Paths) == 0 {
		return !slices.ContainsFunc(t.PathsIgnore, whole)
	}
	some := func(glob string) bool {
		return whole(glob) || strings.HasPrefix(glob, "**") && (strings.HasSuffix(glob, ".md") || strings.HasSuffix(glob, ".json"))
	}
	return slices.ContainsFunc(t.Paths, some) && !slices.Contains(t.Paths, "!"+sessionFiles+"/**")
}

// sessionFiles is the folder above every session's.
const sessionFiles = ".workflow"

// pushed tells whether a push to a session's branch is meant: for a pull
// request, branches are those it goes to.
func (t trigger) pushed(prefixes []string) bool {
	ours := func(glob string) bool { // one star ends at a slash
		return strings.HasPrefix(glob, "**") || slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(glob, p) })
	}
	if len(t.Branches) == 0 {
		return len(t.Tags) == 0 && !slices.ContainsFunc(t.BranchesIgnore, ours)
	}
	return slices.ContainsFunc(t.Branches, ours)
}
