package githubapi

import (
	"context"
	"fmt"
	"slices"

	"parley/pipeline"
)

// foldersQuery reads the ids of one folder at two commits.
const foldersQuery = `query Folders($owner: String!, $name: String!, $one: String!, $other: String!) {
  repository(owner: $owner, name: $name) {
    one: object(expression: $one) { oid }
    other: object(expression: $other) { oid }
  }
}`

// editedQuery reads the configuration files of a head beside those that hold.
const editedQuery = `query Edited($owner: String!, $name: String!, $edited: String!, $root: String!) {
  repository(owner: $owner, name: $name) {
    edited: object(expression: $edited) { ` + askBlob + ` }
    root: object(expression: $root) { ` + askBlob + ` }
    config: object(expression: "HEAD:.github/parley.yml") { ` + askBlob + ` }
  }
  org: repository(owner: $owner, name: ".github") {
    config: object(expression: "HEAD:.github/parley.yml") { ` + askBlob + ` }
    root: object(expression: "HEAD:parley.yml") { ` + askBlob + ` }
  }
}`

const (
	configPath = ".github/parley.yml"
	// rootConfig counts in the repository named .github alone.
	rootConfig = "parley.yml"
)

// Head implements pipeline.GitHub.
func (c *Client) Head(ctx context.Context, repo pipeline.Repo, head string, ask pipeline.HeadAsk) (pipeline.HeadFacts, error) {
	facts := pipeline.HeadFacts{HeadAsk: ask}
	if !commitID.MatchString(head) {
		return facts, fmt.Errorf("read a head: %q is no commit id", head)
	}
	if ask.Group {
		return facts, c.group(ctx, repo, head, &facts)
	}
	if ask.Files && !ask.Config {
		paths, err := c.ChangedFiles(ctx, repo, ask.PR)
		if err != nil {
			return facts, err
		}
		facts.Config = slices.Contains(paths, configPath) || repo.Name == ".github" && slices.Contains(paths, rootConfig)
	}
	if !facts.Config {
		return facts, nil
	}
	return facts, c.editedConfig(ctx, repo, head, &facts)
}

// group tells whether our check is green on the head of the pull request a
// merge group names, and whether the group was built from that head.
func (c *Client) group(ctx context.Context, repo pipeline.Repo, group string, facts *pipeline.HeadFacts) error {
	gate, err := c.GateOf(ctx, repo, facts.PR)
	if err != nil {
		return err
	}
	facts.Ours = gate.Ours
	facts.Green = gate.Status == "completed" && gate.Conclusion == "success"
	if !facts.Ours {
		return nil
	}
	facts.Holds, err = c.Contains(ctx, repo, group, gate.Head)
	if err != nil || facts.Holds || facts.Folder == "" {
		return err
	}
	// A queue that squashes or rebases makes new commits; there the folder that
	// was judged has to be the one in the group.
	facts.Holds, err = c.sameFolder(ctx, repo, facts.Folder, gate.Head, group)
	return err
}

// editedConfig reads the configuration of a head, and how the repository is
// configured now: what is not merged decides nothing.
func (c *Client) editedConfig(ctx context.Context, repo pipeline.Repo, head string, facts *pipeline.HeadFacts) error {
	op := fmt.Sprintf("read the configuration of %s/%s at %s", repo.Owner, repo.Name, head)
	vars := struct {
		Owner  string `json:"owner"`
		Name   string `json:"name"`
		Edited string `json:"edited"`
		Root   string `json:"root"`
	}{repo.Owner, repo.Name, head + ":" + configPath, head + ":" + rootConfig}
	var got briefAnswer
	q := question{op: op, doc: editedQuery, variables: vars, token: readKey(repo), optional: []string{"org"}}
	if err := c.readIn(ctx, q, &got, func() bool { return got.Repository != nil }); err != nil {
		return err
	}
	settings, _ := c.settings(got.Org, got.Repository.Config)
	facts.Quiet = settings.DryRun || !settings.Enabled
	c.mistakes(facts, configPath, got.Repository.Edited, got.Repository.Config)
	if repo.Name == ".github" && got.Org != nil {
		c.mistakes(facts, rootConfig, got.Repository.Root, got.Org.Root)
	}
	return nil
}

// mistakes lists what is wrong in one configuration file of a head, where it
// is another than the one that holds.
func (c *Client) mistakes(facts *pipeline.HeadFacts, path string, file, holds *blob) {
	if file == nil || file.OID == "" || holds != nil && holds.OID == file.OID {
		return
	}
	facts.Edited = append(facts.Edited, path)
	if file.ByteSize > 0 && file.text(maxConfig) == "" {
		facts.Mistakes = append(facts.Mistakes, pipeline.Annotation{Path: path, Line: 1, Level: "failure",
			Message: fmt.Sprintf("This is not a text of at most %d bytes.", maxConfig)})
		return
	}
	for _, m := range c.cfg.CheckSettings([]byte(file.text(maxConfig))) {
		m.Path, m.Line = path, max(1, m.Line)
		facts.Mistakes = append(facts.Mistakes, m)
	}
}

// sameFolder tells whether a folder is there, and the same, at two commits.
func (c *Client) sameFolder(ctx context.Context, repo pipeline.Repo, folder, one, other string) (bool, error) {
	vars := struct {
		Owner string `json:"owner"`
		Name  string `json:"name"`
		One   string `json:"one"`
		Other string `json:"other"`
	}{repo.Owner, repo.Name, one + ":" + folder, other + ":" + folder}
	var got struct {
		Repository *struct{ One, Other *struct{ OID string } }
	}
	q := question{op: "compare " + folder + " at two commits", doc: foldersQuery, variables: vars, token: readKey(repo), gate: true}
	if err := c.read(ctx, q, &got); err != nil {
		return false, gone(err)
	}
	r := got.Repository
	return r != nil && r.One != nil && r.Other != nil && r.One.OID != "" && r.One.OID == r.Other.OID, nil
}
