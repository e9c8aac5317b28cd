package app

import (
	"bytes"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// HookPath is where deliveries are taken in.
const HookPath = "/api/github/hook"

// Grant is one permission the App asks for: what for, and what breaks without.
type Grant struct {
	Name, Level string
	For         string
	Without     string
}

// Grants are the App's permissions. The manifest, the doctor, the token scopes
// and the README's table are made from them.
var Grants = []Grant{
	{"contents", "write", "session branch, commits, resolving review threads", "no session can start"},
	{"pull_requests", "write", "the pull request, reviews, threads", "no session can start"},
	{"issues", "write", "the session comment, reactions, assignee", "nobody is told anything on the issue"},
	{"checks", "write", "parley/gate and its buttons", "there is no gate"},
	{"metadata", "read", "people's permissions, rules of branches", "every command is refused"},
	{"actions", "read", "CI evidence of the implementation half", "tests have no evidence"},
	{"statuses", "read", "the same, of older CI", "older CI is not seen"},
	{"merge_queues", "read", "the gate on merge groups", "merge queues wait for the gate for ever"},
}

// Events are the webhook events the App subscribes to; installation events
// come without asking. A test holds them against what handlers handle.
var Events = []string{"check_run", "check_suite", "issue_comment", "issues", "merge_group", "pull_request",
	"pull_request_review", "pull_request_review_comment", "pull_request_review_thread", "push", "repository"}

// Manifest is the form GitHub registers an App from.
type Manifest struct {
	Name        string            `yaml:"name" json:"name"`
	URL         string            `yaml:"url" json:"url"`
	Description string            `yaml:"description" json:"description"`
	Public      bool              `yaml:"public" json:"public"`
	Hook        ManifestHook      `yaml:"hook_attributes" json:"hook_attributes"`
	RedirectURL string            `yaml:"redirect_url,omitempty" json:"redirect_url,omitempty"`
	Permissions map[string]string `yaml:"default_permissions" json:"default_permissions"`
	Events      []string          `yaml:"default_events" json:"default_events"`
}

// ManifestHook is where deliveries go.
type ManifestHook struct {
	URL    string `yaml:"url" json:"url"`
	Active bool   `yaml:"active" json:"active"`
}

// NoHook is the address of an App whose server GitHub cannot reach. The webhook
// stays active, since GitHub keeps no log of an inactive one, and the log is
// what parley serve --pull reads; what is sent there reaches nobody (RFC 2606).
const NoHook = "https://parley.invalid" + HookPath

// NewManifest fills the form for a server at hookURL; an empty one is NoHook.
func NewManifest(name, hookURL string) Manifest {
	if hookURL == "" {
		hookURL = NoHook
	}
	m := Manifest{Name: name, URL: "https://github.com/parley-app/parley",
		Description: "Turns an issue into an argued, gated specification on one pull request.",
		Hook:        ManifestHook{URL: hookURL, Active: true}, Permissions: map[string]string{}, Events: Events}
	for _, g := range Grants {
		m.Permissions[g.Name] = g.Level
	}
	return m
}

// YAML is the manifest as app.yml holds it.
func (m Manifest) YAML() (string, error) {
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(m); err != nil {
		return "", fmt.Errorf("write manifest: %w", err)
	}
	return out.String(), nil
}
