package handlers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pipeline"
)

// told lists what a delivery left in the inbox.
func stored(t *testing.T, cfg Config, event, payload string) []string {
	t.Helper()
	in := &inbox{}
	cfg.Inbox = in
	if err := deliver(t, cfg, event, payload); err != nil && !errors.Is(err, ErrIgnored) {
		t.Fatal(err)
	}
	var got []string
	for _, ev := range in.events {
		got = append(got, told(ev))
	}
	return got
}

// C9, C12, C13, C20–C22 and G19 at the door; what the live permission decides
// of them is in pipeline's TestRefusals, what the grammar decides in command's.
func TestWhoIsHeard(t *testing.T) {
	from := func(login, kind string) string {
		return fmt.Sprintf(`"sender":{"id":5,"login":%q,"type":%q}`, login, kind)
	}
	by := func(login, kind, text string) string {
		return strings.Replace(say(text, ""), `"login":"octocat","type":"User"`, fmt.Sprintf(`"login":%q,"type":%q`, login, kind), 1)
	}
	edit := `"changes":{"body":{"from":"hm"}}`
	resume := []string{"command issue=142 pr=0 /resume [] on issue_comment"}
	group := func(action string) string {
		return body(act(action), `"merge_group":{"head_sha":"fed","head_ref":"refs/heads/gh-readonly-queue/main/pr-143-0123456789abcdef"}`, inRepo, fromBot)
	}
	tests := []struct {
		name, event, payload string
		want                 []string
	}{
		{"C9 anybody's command waits for the live permission", "issue_comment", body(act("created"), anIssue, say("/resume", ""), inRepo, fromWriter), resume},
		{"C9 another App", "issue_comment", body(act("created"), anIssue, by("other[bot]", "Bot", "/resume"), inRepo, from("other[bot]", "Bot")), nil},
		{"C9 our own App", "issue_comment", body(act("created"), anIssue, by("parley[bot]", "Bot", "/resume"), inRepo, fromUs), nil},
		{"C9 a bot's name on a user", "issue_comment", body(act("created"), anIssue, by("sly[bot]", "User", "/resume"), inRepo, from("sly[bot]", "User")), nil},
		{"C9 whatever the payload says of the author", "issue_comment", body(act("created"), anIssue,
			strings.Replace(say("/resume", ""), `"body"`, `"author_association":"OWNER","body"`, 1), inRepo, fromWriter), resume},
		{"C9 a deleted account", "issue_comment", body(act("created"), anIssue,
			`"comment":{"node_id":"IC_1","body":"/resume","user":null}`, inRepo, `"sender":null`), nil},
		{"C12 a writer edits an admin's comment", "issue_comment", body(act("edited"), anIssue, strings.Replace(say("/resume", ""), `"id":5`, `"id":1`, 1), edit, inRepo, fromWriter), nil},
		{"C12 the author edits his own", "issue_comment", body(act("edited"), anIssue, say("/resume", ""), edit, inRepo, fromWriter), resume},
		{"C13 only the new one runs", "issue_comment", body(act("edited"), anIssue, say("/status\n/resume", ""), `"changes":{"body":{"from":"/status"}}`, inRepo, fromWriter), resume},
		{"C20 a bot that mentions us", "issue_comment", body(act("created"), anIssue, by("dependabot[bot]", "Bot", "@parley /resume"), inRepo, fromBot), nil},
		{"C21 issue body", "issues", body(act("opened"), strings.Replace(anIssue, `"title"`, `"body":"/resume","title"`, 1), inRepo, fromWriter), nil},
		{"C21 pull request body", "pull_request", body(act("opened"), strings.Replace(ourPull, "no panel", "/resume", 1), inRepo, fromWriter), nil},
		{"C21 commit message", "push", body(`"ref":"refs/heads/x","after":"abc","commits":[{"message":"/resume","added":["a"]}]`, inRepo, fromWriter), nil},
		{"C22 a label set by a bot", "issues", body(act("labeled"), anIssue, `"label":{"name":"lifecycle"}`, inRepo, fromBot), []string{"start issue=142 pr=0 label=lifecycle"}},
		{"G19 group", "merge_group", group("checks_requested"), []string{"merge_group issue=0 pr=143 head=fed"}},
		{"G19 group destroyed", "merge_group", group("destroyed"), nil},
		{"configuration pushed", "push", body(`"ref":"refs/heads/x","after":"abc","commits":[{"modified":[".github/parley.yml"]}]`, inRepo, fromWriter), []string{"config_pushed issue=-1 pr=0 label=x head=abc"}},
		{"a branch made from a head that has it", "push", body(`"ref":"refs/heads/x","after":"abc","commits":[],"head_commit":{"added":[".github/parley.yml"]}`, inRepo, fromWriter), nil},
		{"the organisation's file elsewhere", "push", body(`"ref":"refs/heads/x","after":"abc","commits":[{"modified":["parley.yml"]}]`, inRepo, fromWriter), nil},
		{"on the default branch it holds already", "push", body(`"ref":"refs/heads/main","after":"abc","commits":[{"modified":[".github/parley.yml"]}]`, inRepo, fromWriter), nil},
		{"taken out", "push", body(`"ref":"refs/heads/x","after":"abc","commits":[{"removed":[".github/parley.yml"]}]`, inRepo, fromWriter), nil},
		{"a tag", "push", body(`"ref":"refs/tags/x","after":"abc","commits":[{"modified":[".github/parley.yml"]}]`, inRepo, fromWriter), nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, stored(t, testConfig(nil), test.event, test.payload)); diff != "" {
				t.Fatal(diff)
			}
		})
	}
}

// C14: a deleted comment is noted where it held a command, and only there.
func TestC14DeletedComment(t *testing.T) {
	for text, want := range map[string]string{"/resume": "IC_1", "thank you": "", "`/resume`": ""} {
		gone := ""
		cfg := testConfig(nil)
		cfg.Retract = func(_ context.Context, subject string) error { gone = subject; return nil }
		for _, payload := range []struct{ event, body string }{
			{"issue_comment", body(act("deleted"), anIssue, say(text, ""), inRepo, fromWriter)},
			{"pull_request_review_comment", body(act("deleted"), ourPull, say(text, ""), inRepo, fromWriter)},
		} {
			gone = ""
			if got := stored(t, cfg, payload.event, payload.body); got != nil || gone != want {
				t.Errorf("%s %q: stored %v, noted %q", payload.event, text, got, gone)
			}
		}
	}
}

// A repository is let in by its custom property: nothing begins where it is
// not on, and what runs still hears of its end.
func TestProperty(t *testing.T) {
	cfg := testConfig(nil)
	cfg.Property = "parley"
	cfg.Others = func(pipeline.Repo) bool { return true }
	label := body(act("labeled"), anIssue, `"label":{"name":"lifecycle"}`, inRepo, fromWriter)
	with := func(payload, properties string) string {
		return strings.Replace(payload, `"repository":{`, `"repository":{"custom_properties":`+properties+`,`, 1)
	}
	begins := []struct{ event, payload string }{
		{"issues", label},
		{"issue_comment", body(act("created"), anIssue, say("/lifecycle start", ""), inRepo, fromWriter)},
		{"pull_request", body(act("opened"), otherPull, inRepo, fromWriter)},
		{"push", body(`"ref":"refs/heads/x","after":"abc","commits":[{"modified":[".github/parley.yml"]}]`, inRepo, fromWriter)},
	}
	for _, b := range begins {
		for _, on := range []string{`{"parley":"on"}`, `{"parley":"true","tier":["a"]}`} {
			if got := stored(t, cfg, b.event, with(b.payload, on)); len(got) != 1 {
				t.Errorf("%s with %s: %v", b.event, on, got)
			}
		}
		for _, off := range []string{`{"parley":"off"}`, `{}`, `null`, `{"parley":null}`, `{"parley":["on"]}`} {
			if got := stored(t, cfg, b.event, with(b.payload, off)); got != nil {
				t.Errorf("%s with %s: %v", b.event, off, got)
			}
		}
	}
	if got := stored(t, cfg, "pull_request", body(act("closed"), ourPull, inRepo, fromWriter)); len(got) != 1 {
		t.Errorf("a session does not hear of its end: %v", got)
	}
}

// A branch that edits the configuration is heard with each later head, and no
// other is.
func TestLaterHeadsOfAnEditedConfiguration(t *testing.T) {
	known := map[string]bool{}
	cfg := testConfig(nil)
	cfg.Edits = func(_ context.Context, repo pipeline.Repo, branch string, now bool) (bool, error) {
		key := fmt.Sprint(repo.ID, branch)
		known[key] = known[key] || now
		return known[key], nil
	}
	for _, step := range []struct{ branch, path, want string }{
		{"x", "main.go", "[]"}, {"x", ".github/parley.yml", "[config_pushed issue=-1 pr=0 label=x head=abc]"},
		{"x", "main.go", "[config_pushed issue=-1 pr=0 label=x head=abc]"}, {"y", "main.go", "[]"}, {"main", "main.go", "[]"},
	} {
		pushed := body(`"ref":"refs/heads/`+step.branch+`","after":"abc","commits":[{"modified":["`+step.path+`"]}]`, inRepo, fromWriter)
		if got := fmt.Sprint(stored(t, cfg, "push", pushed)); got != step.want {
			t.Errorf("%s on %s: %s, want %s", step.path, step.branch, got, step.want)
		}
	}
	cfg.Edits = func(context.Context, pipeline.Repo, string, bool) (bool, error) {
		return false, errors.New("redis is away")
	}
	if err := deliver(t, cfg, "push", body(`"ref":"refs/heads/x","after":"abc"`, inRepo, fromWriter)); err == nil || errors.Is(err, ErrIgnored) {
		t.Errorf("a push is dropped while nobody can say what its branch edits: %v", err)
	}
}

// Whoever is back is looked at soon; what is new has missed nothing.
func TestReturned(t *testing.T) {
	for _, test := range []struct {
		event, action string
		want          int
	}{
		{"installation", "created", 0}, {"installation", "unsuspend", 1}, {"installation", "suspend", 0}, {"installation", "deleted", 0},
		{"installation_repositories", "added", 0}, {"installation_repositories", "removed", 0},
		{"repository", "unarchived", 1}, {"repository", "renamed", 0},
	} {
		asked := 0
		cfg := testConfig(nil)
		cfg.Returned = func() { asked++ }
		stored(t, cfg, test.event, body(act(test.action), inRepo, fromWriter))
		if asked != test.want {
			t.Errorf("%s %s: asked %d times", test.event, test.action, asked)
		}
	}
}

// I12: an account that may not use this server is passed by, whatever it sends.
func TestI12NotOurs(t *testing.T) {
	cfg := testConfig(nil)
	cfg.Allowed = func(owner string) bool { return owner != "o" }
	for _, in := range intakes {
		payload := body(act("created"), anIssue, say("/lifecycle start", ""), `"label":{"name":"lifecycle"}`, inRepo, fromWriter)
		if got := stored(t, cfg, in.event, payload); got != nil {
			t.Errorf("%s: %v", in.event, got)
		}
	}
}

// I25: no address of a payload is used; a session's repository is its number
// and its names, and calls go to the configured API root alone.
func TestI25AddressesOfAPayload(t *testing.T) {
	in := &inbox{}
	payload := body(act("labeled"), anIssue, `"label":{"name":"lifecycle"}`, `"enterprise":{"html_url":"https://evil.example"}`, inRepo, fromWriter)
	payload = strings.Replace(payload, `"repository":{`, `"repository":{"url":"https://evil.example/api","issues_url":"https://evil.example/i",`, 1)
	if err := deliver(t, testConfig(in), "issues", payload); err != nil {
		t.Fatal(err)
	}
	if told := fmt.Sprintf("%+v", in.events); len(in.events) != 1 || strings.Contains(told, "evil") {
		t.Fatal(told)
	}
}

// silent refuses to be asked anything: foreign deliveries must not get there.
type silent struct{ t *testing.T }

func (s silent) Accept(_ context.Context, ev pipeline.Event) error {
	s.t.Errorf("stored %s", told(ev))
	return nil
}

// Ten thousand deliveries of an organisation's daily life end in the handlers:
// nothing is stored, so nothing can be asked of GitHub.
func TestForeignDeliveries(t *testing.T) {
	cfg := testConfig(silent{t})
	daily := []struct{ event, payload string }{
		{"push", body(`"ref":"refs/heads/feature","after":"abc","commits":[{"added":["a.go"],"modified":["go.mod"]}]`, inRepo, fromWriter)},
		{"check_run", body(act("completed"), `"check_run":{"head_sha":"abc","external_id":"142/TLS-x","app":{"id":8}}`, inRepo, fromBot)},
		{"check_suite", body(act("requested"), `"check_suite":{"app":{"id":7},"pull_requests":[{"number":145}]}`, inRepo, fromWriter)},
		{"issue_comment", body(act("created"), anIssue, say("looks good", ""), inRepo, fromWriter)},
		{"issues", body(act("labeled"), anIssue, `"label":{"name":"bug"}`, inRepo, fromWriter)},
		{"pull_request", body(act("synchronize"), otherPull, inRepo, fromWriter)},
		{"pull_request", body(act("opened"), forkPull, inRepo, fromWriter)},
		{"pull_request_review", body(act("submitted"), otherPull, `"review":{"body":"/resume"}`, inRepo, fromWriter)},
		{"repository", body(act("edited"), inRepo, fromWriter)},
		{"issue_comment", body(act("created"), anIssue, say("done", ""), inRepo, fromUs)},
	}
	passed := 0
	for range 1000 {
		for _, d := range daily {
			if err := deliver(t, cfg, d.event, d.payload); !errors.Is(err, ErrIgnored) {
				t.Fatalf("%s: %v", d.event, err)
			}
			passed++
		}
	}
	if passed != 10000 {
		t.Fatalf("%d deliveries", passed)
	}
}
