package handlers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pipeline"
)

// inbox keeps what it is given; answer is what Accept returns.
type inbox struct {
	events []pipeline.Event
	answer error
}

func (i *inbox) Accept(_ context.Context, ev pipeline.Event) error {
	i.events = append(i.events, ev)
	return i.answer
}

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func testConfig(in pipeline.Inbox) Config {
	return Config{Inbox: in, AppID: 7, BotLogin: "parley[bot]", Now: func() time.Time { return noon }}
}

func deliver(t *testing.T, cfg Config, event, payload string) error {
	t.Helper()
	for _, h := range All(cfg) {
		if h.Handles()[0] == event {
			return h.Handle(t.Context(), event, "d-1", []byte(payload))
		}
	}
	t.Fatalf("nobody handles %s", event)
	return nil
}

const (
	fromWriter = `"sender":{"id":5,"login":"octocat","type":"User"}`
	fromUs     = `"sender":{"id":9,"login":"parley[bot]","type":"Bot"}`
	fromBot    = `"sender":{"id":8,"login":"dependabot[bot]","type":"Bot"}`
	inRepo     = `"installation":{"id":3},"repository":{"id":11,"node_id":"R_1","name":"hooks","private":true,"html_url":"https://github.com/o/hooks","default_branch":"main","owner":{"login":"o","type":"Organization"}}`
	anIssue    = `"issue":{"number":142,"title":"Retry","user":{"id":5,"login":"octocat"},"updated_at":"2026-11-21T10:00:00Z"}`
	onPull     = `"issue":{"number":143,"title":"spec: Retry","pull_request":{"url":"x"}}`
	ourPull    = `"number":143,"pull_request":{"number":143,"body":"no panel","updated_at":"2026-11-21T10:00:00Z","head":{"ref":"lifecycle/TLS-x","sha":"abc","repo":{"id":11}},"base":{"ref":"release"}}`
	forkPull   = `"number":144,"pull_request":{"number":144,"head":{"ref":"lifecycle/TLS-x","sha":"abc","repo":{"id":12}}}`
	otherPull  = `"number":145,"pull_request":{"number":145,"head":{"ref":"feature","sha":"abc","repo":{"id":11}}}`
)

func say(body, rest string) string {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`"comment":{"id":77,"node_id":"IC_1","body":%s,"user":{"id":5,"login":"octocat","type":"User"},"created_at":"2026-11-21T11:00:00Z","updated_at":"2026-11-21T11:30:00Z"%s}`, text, rest)
}

func body(parts ...string) string { return "{" + strings.Join(parts, ",") + "}" }

func act(action string) string { return `"action":"` + action + `"` }

// told is an event in one line, for the tables.
func told(ev pipeline.Event) string {
	s := fmt.Sprintf("%s issue=%d pr=%d", ev.Kind, ev.Issue, ev.PR)
	for _, part := range []struct{ name, value string }{{"label", ev.Label}, {"head", ev.Head}} {
		if part.value != "" {
			s += " " + part.name + "=" + part.value
		}
	}
	if c := ev.Command; c != nil {
		s += fmt.Sprintf(" /%s%s %v on %s", c.Verb, c.Hint, c.Args, c.Carrier)
		if c.Thread != "" {
			s += " thread=" + c.Thread
		}
	}
	if th := ev.Thread; th != nil {
		s += fmt.Sprintf(" %s %s %s:%d resolved=%t", th.ID, th.Finding, th.Path, th.Line, th.Resolved)
	}
	if m := ev.Moved; m != nil {
		s += fmt.Sprintf(" to %s/%s #%d %s", m.Repo.Owner, m.Repo.Name, m.Issue, m.Base)
	}
	return s
}

func TestHandle(t *testing.T) {
	label := func(name string) string { return `"label":{"name":"` + name + `"}` }
	edit := func(before string) string { return `"changes":{"body":{"from":` + fmt.Sprintf("%q", before) + `}}` }
	check := func(app int, rest string) string {
		return fmt.Sprintf(`"check_run":{"node_id":"CR_1","head_sha":"abc","external_id":"142/TLS-x","app":{"id":%d},"pull_requests":[{"number":143}]}%s`, app, rest)
	}
	review := func(text string) string {
		return fmt.Sprintf(`"review":{"node_id":"PRR_1","body":%q,"commit_id":"def","submitted_at":"2026-11-21T11:00:00Z","user":{"id":5,"login":"octocat"}}`, text)
	}
	threadOf := func(author, text string) string {
		return fmt.Sprintf(`"thread":{"node_id":"PRRT_1","comments":[{"id":1,"body":%q,"path":".workflow/.team/TLS-x/spec/product-brief.md","line":18,"user":{"login":%q}}]}`, text, author)
	}
	tests := []struct {
		name, event, payload string
		want                 []string // nil: ignored
	}{
		{"label starts", "issues", body(act("labeled"), anIssue, label("lifecycle"), inRepo, fromWriter), []string{"start issue=142 pr=0 label=lifecycle"}},
		{"label with mode", "issues", body(act("labeled"), anIssue, label("lifecycle:full-lifecycle"), inRepo, fromWriter), []string{"start issue=142 pr=0 label=lifecycle:full-lifecycle"}},
		{"other label", "issues", body(act("labeled"), anIssue, label("bug"), inRepo, fromWriter), nil},
		{"label set by a bot is for the core to judge", "issues", body(act("labeled"), anIssue, label("lifecycle"), inRepo, fromBot), []string{"start issue=142 pr=0 label=lifecycle"}},
		{"label set by us", "issues", body(act("labeled"), anIssue, label("lifecycle"), inRepo, fromUs), nil},
		{"label on a pull request", "issues", body(act("labeled"), onPull, label("lifecycle"), inRepo, fromWriter), nil},
		{"unlabelled", "issues", body(act("unlabeled"), anIssue, label("lifecycle"), inRepo, fromWriter), []string{"unlabelled issue=142 pr=0 label=lifecycle"}},
		{"opened", "issues", body(act("opened"), anIssue, inRepo, fromWriter), nil},
		{"text edited", "issues", body(act("edited"), anIssue, edit("old"), inRepo, fromWriter), []string{"issue_edited issue=142 pr=0"}},
		{"nothing edited", "issues", body(act("edited"), anIssue, `"changes":{}`, inRepo, fromWriter), nil},
		{"closed", "issues", body(act("closed"), anIssue, inRepo, fromWriter), []string{"issue_closed issue=142 pr=0"}},
		{"transferred", "issues", body(act("transferred"), anIssue, `"changes":{"new_issue":{"number":9},"new_repository":{"id":2,"name":"b","full_name":"p/b"}}`, inRepo, fromWriter), []string{"issue_moved issue=142 pr=0 to p/b #9 "}},

		{"command", "issue_comment", body(act("created"), anIssue, say("/recheck", ""), inRepo, fromWriter), []string{"command issue=142 pr=0 /recheck [] on issue_comment"}},
		{"command on the pull request", "issue_comment", body(act("created"), onPull, say("/revise draft-002 x", ""), inRepo, fromWriter), []string{"command issue=0 pr=143 /revise [DRAFT-002 x] on pull_comment"}},
		{"two commands", "issue_comment", body(act("created"), anIssue, say("/recheck\n/status", ""), inRepo, fromWriter), []string{"command issue=142 pr=0 /recheck [] on issue_comment", "command issue=142 pr=0 /status [] on issue_comment"}},
		{"start by comment", "issue_comment", body(act("created"), anIssue, say("/lifecycle start spec-only --track tiny", ""), inRepo, fromWriter), []string{"start issue=142 pr=0 /start [spec-only --track tiny] on issue_comment"}},
		{"start on a pull request is a command to refuse", "issue_comment", body(act("created"), onPull, say("/lifecycle start", ""), inRepo, fromWriter), []string{"command issue=0 pr=143 /start [] on pull_comment"}},
		{"misspelt", "issue_comment", body(act("created"), anIssue, say("/reusme", ""), inRepo, fromWriter), []string{"command issue=142 pr=0 /resume [] on issue_comment"}},
		{"prose", "issue_comment", body(act("created"), anIssue, say("looks good", ""), inRepo, fromWriter), nil},
		{"command by a bot", "issue_comment", body(act("created"), anIssue, say("/recheck", ""), inRepo, fromBot), nil},
		{"command by us", "issue_comment", body(act("created"), anIssue, say("/recheck", ""), inRepo, fromUs), nil},
		{"edit adds a command", "issue_comment", body(act("edited"), anIssue, say("/recheck\n/status", ""), edit("/recheck"), inRepo, fromWriter), []string{"command issue=142 pr=0 /status [] on issue_comment"}},
		{"edit by another person", "issue_comment", body(act("edited"), anIssue, say("/resume", ""), edit("hm"), inRepo, `"sender":{"id":6,"login":"mallory","type":"User"}`), nil},
		{"comment deleted", "issue_comment", body(act("deleted"), anIssue, say("/recheck", ""), inRepo, fromWriter), nil},

		{"pushed", "pull_request", body(act("synchronize"), ourPull, inRepo, fromWriter), []string{"pushed issue=0 pr=143 head=abc"}},
		{"pushed by us", "pull_request", body(act("synchronize"), ourPull, inRepo, fromUs), nil},
		{"closed without merge", "pull_request", body(act("closed"), ourPull, inRepo, fromWriter), []string{"pull_closed issue=0 pr=143 head=abc"}},
		{"merged", "pull_request", body(act("closed"), strings.Replace(ourPull, `"body"`, `"merged":true,"body"`, 1), inRepo, fromWriter), []string{"pull_merged issue=0 pr=143 head=abc"}},
		{"reopened", "pull_request", body(act("reopened"), ourPull, inRepo, fromWriter), []string{"pull_reopened issue=0 pr=143 head=abc"}},
		{"retargeted", "pull_request", body(act("edited"), ourPull, `"changes":{"base":{"ref":{"from":"main"}}}`, inRepo, fromWriter), []string{"retargeted issue=0 pr=143 head=abc to / #0 release"}},
		{"panel cut out", "pull_request", body(act("edited"), ourPull, edit("x"), inRepo, fromWriter), []string{"panel_lost issue=0 pr=143 label=body edited head=abc"}},
		{"a fork's branch of our name", "pull_request", body(act("synchronize"), forkPull, inRepo, fromWriter), nil},
		{"not ours", "pull_request", body(act("opened"), otherPull, inRepo, fromWriter), nil},
		{"not ours, and names the configuration", "pull_request", body(act("opened"), strings.Replace(otherPull, `"head"`, `"title":"Update parley.yml","head"`, 1), inRepo, fromWriter), nil},
		{"a fork's, and names the configuration", "pull_request", body(act("opened"), strings.Replace(forkPull, `"head"`, `"title":"Update parley.yml","head"`, 1), inRepo, fromWriter),
			[]string{"config_pushed issue=0 pr=144 head=abc"}},

		{"review with a command", "pull_request_review", body(act("submitted"), ourPull, review("/improve depth"), inRepo, fromWriter), []string{"command issue=0 pr=143 head=def /improve [depth] on review"}},
		{"review elsewhere", "pull_request_review", body(act("submitted"), otherPull, review("/improve"), inRepo, fromWriter), nil},
		{"review dismissed", "pull_request_review", body(act("dismissed"), ourPull, review("/improve"), inRepo, fromWriter), nil},
		{"reply in a thread", "pull_request_review_comment", body(act("created"), ourPull, say("/accept fine", `,"in_reply_to_id":70,"commit_id":"def"`), inRepo, fromWriter), []string{"command issue=0 pr=143 /accept [fine] on review_comment thread=70"}},
		{"thread resolved", "pull_request_review_thread", body(act("resolved"), ourPull, threadOf("parley[bot]", "**F-08** "+pipeline.Marker(pipeline.FindingMark, "F-08")), inRepo, fromWriter), []string{"thread issue=0 pr=143 head=abc PRRT_1 F-08 spec/product-brief.md:18 resolved=true"}},
		{"forged marker", "pull_request_review_thread", body(act("unresolved"), ourPull, threadOf("mallory", pipeline.Marker(pipeline.FindingMark, "F-08")), inRepo, fromWriter), []string{"thread issue=0 pr=143 head=abc PRRT_1  spec/product-brief.md:18 resolved=false"}},

		{"button", "check_run", body(act("requested_action"), check(7, `,"requested_action":{"identifier":"retry:DRAFT-002"}`), inRepo, fromWriter), []string{"command issue=142 pr=143 head=abc /retry [DRAFT-002] on check"}},
		{"unknown button", "check_run", body(act("requested_action"), check(7, `,"requested_action":{"identifier":"rm"}`), inRepo, fromWriter), nil},
		{"re-run", "check_run", body(act("rerequested"), check(7, ""), inRepo, fromWriter), []string{"rerequested issue=142 pr=143 head=abc"}},
		{"somebody else's check of our name", "check_run", body(act("rerequested"), check(8, ""), inRepo, fromWriter), nil},
		{"our check completed", "check_run", body(act("completed"), check(7, ""), inRepo, fromWriter), nil},
		{"suite of every push", "check_suite", body(act("requested"), `"check_suite":{"app":{"id":7},"pull_requests":[{"number":143}]}`, inRepo, fromWriter), nil},
		{"suite re-run", "check_suite", body(act("rerequested"), `"check_suite":{"head_sha":"abc","app":{"id":7},"pull_requests":[{"number":143}]}`, inRepo, fromWriter), []string{"rerequested issue=0 pr=143 head=abc"}},
		{"merge group", "merge_group", body(act("checks_requested"), `"merge_group":{"head_sha":"fed","head_ref":"refs/heads/gh-readonly-queue/main/pr-143-0123456789abcdef0123456789abcdef01234567"}`, inRepo, fromBot), []string{"merge_group issue=0 pr=143 head=fed"}},
		{"merge group with an odd ref", "merge_group", body(act("checks_requested"), `"merge_group":{"head_sha":"fed","head_ref":"refs/heads/main"}`, inRepo, fromBot), nil},

		{"uninstalled", "installation", body(act("deleted"), `"installation":{"id":3,"account":{"login":"o"}}`, fromWriter), []string{"removed issue=0 pr=0"}},
		{"suspended", "installation", body(act("suspend"), `"installation":{"id":3}`, fromWriter), []string{"suspended issue=0 pr=0"}},
		{"installed", "installation", body(act("created"), `"installation":{"id":3}`, fromWriter), nil},
		{"taken out", "installation_repositories", body(act("removed"), `"installation":{"id":3},"repositories_removed":[{"id":11,"name":"hooks","full_name":"o/hooks"},{"id":12,"full_name":"o/b"}]`, fromWriter), []string{"removed issue=0 pr=0", "removed issue=0 pr=0"}},
		{"account renamed", "installation_target", body(act("renamed"), `"installation":{"id":3},"account":{"login":"new"}`, fromWriter), []string{"renamed issue=0 pr=0 to new/ #0 "}},
		{"repository renamed", "repository", body(act("renamed"), inRepo, fromWriter), []string{"renamed issue=0 pr=0 to o/hooks #0 "}},
		{"archived", "repository", body(act("archived"), inRepo, fromWriter), []string{"suspended issue=0 pr=0"}},
		{"starred or so", "repository", body(act("publicized"), inRepo, fromWriter), nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			in := &inbox{}
			err := deliver(t, testConfig(in), test.event, test.payload)
			if (err != nil) != (test.want == nil) || err != nil && !errors.Is(err, ErrIgnored) {
				t.Fatalf("error %v", err)
			}
			var got []string
			for _, ev := range in.events {
				got = append(got, told(ev))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Fatal(diff)
			}
		})
	}
}

func TestWholeEvent(t *testing.T) {
	in := &inbox{}
	err := deliver(t, testConfig(in), "issue_comment", body(act("created"), anIssue, say("/recheck", ""), inRepo, fromWriter))
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 21, 11, 0, 0, 0, time.UTC)
	want := []pipeline.Event{{
		ID: "d-1/0", Delivery: "d-1", Kind: pipeline.EventCommand, At: at, Issue: 142, Title: "Retry",
		Dedupe: in.events[0].Dedupe,
		Repo: pipeline.Repo{Installation: 3, ID: 11, NodeID: "R_1", Owner: "o", Name: "hooks", DefaultBranch: "main",
			Private: true, URL: "https://github.com/o/hooks"},
		Actor:   pipeline.Actor{ID: 5, Login: "octocat"},
		Command: &pipeline.Command{Verb: "recheck", Subject: "IC_1", Carrier: pipeline.OnIssue, At: at},
	}}
	if diff := cmp.Diff(want, in.events); diff != "" {
		t.Fatal(diff)
	}
}

// I15: the same comment under another delivery id has the same meaning.
func TestMeaning(t *testing.T) {
	seen := func(text string) string {
		in := &inbox{}
		if err := deliver(t, testConfig(in), "issue_comment", body(act("created"), anIssue, say(text, ""), inRepo, fromWriter)); err != nil {
			t.Fatal(err)
		}
		return in.events[0].Dedupe
	}
	if a, b := seen("/recheck"), seen("well:\n\n/RECHECK"); a != b || a == "" {
		t.Fatalf("%q and %q", a, b)
	}
	if a, b := seen("/improve depth"), seen("/improve coverage"); a == b {
		t.Fatal("two commands, one meaning")
	}
}

func TestGuards(t *testing.T) {
	good := body(act("labeled"), anIssue, `"label":{"name":"lifecycle"}`, inRepo, fromWriter)
	strange := errors.New("redis is away")
	tests := []struct {
		name, event, payload string
		change               func(*Config)
		want                 error
	}{
		{"no installation", "issues", strings.Replace(good, `"id":3`, `"id":0`, 1), nil, ErrNoInstallation},
		{"no repository", "issues", strings.Replace(good, `"id":11`, `"id":0`, 1), nil, ErrMalformed},
		{"account not allowed", "issues", good, func(c *Config) { c.Allowed = func(owner string) bool { return owner != "o" } }, ErrIgnored},
		{"no session there", "issues", good, func(c *Config) { c.Inbox = &inbox{answer: pipeline.ErrNotFound} }, ErrIgnored},
		{"seen before", "issues", good, func(c *Config) { c.Inbox = &inbox{answer: pipeline.ErrDuplicate} }, pipeline.ErrDuplicate},
		{"full", "issues", good, func(c *Config) { c.Inbox = &inbox{answer: pipeline.ErrFull} }, pipeline.ErrFull},
		{"redis away", "issues", good, func(c *Config) { c.Inbox = &inbox{answer: strange} }, strange},
		{"others' pull requests wanted", "pull_request", body(act("opened"), otherPull, inRepo, fromWriter), func(c *Config) { c.Others = func(r pipeline.Repo) bool { return r.ID == 11 } }, nil},
		{"not JSON", "issues", "label", nil, ErrMalformed},
		{"empty", "issues", "", nil, ErrMalformed},
		{"cut off", "issues", good[:len(good)-9], nil, ErrMalformed},
		{"trailing text", "issues", good + "x", nil, ErrMalformed},
		{"a list", "issues", "[" + good + "]", nil, ErrMalformed},
		{"wrong type", "issues", strings.Replace(good, `"number":142`, `"number":"142"`, 1), nil, ErrMalformed},
		{"huge number", "issues", strings.Replace(good, `"number":142`, `"number":1e999`, 1), nil, ErrMalformed},
		{"deep nesting beside", "issues", strings.Replace(good, `"number"`, `"x":`+strings.Repeat("[", 100000)+strings.Repeat("]", 100000)+`,"number"`, 1), nil, nil},
		{"deep nesting in a field", "issues", strings.Replace(good, `"number":142`, `"number":`+strings.Repeat("[", 100000)+strings.Repeat("]", 100000), 1), nil, ErrMalformed},
		{"duplicate keys", "issues", strings.Replace(good, `"number":142`, `"number":1,"number":142`, 1), nil, nil},
		{"NUL and bad UTF-8", "issues", strings.Replace(good, "Retry", "Re\\u0000try\xff", 1), nil, nil},
		{"null everywhere", "issues", `{"action":null,"issue":null,"sender":null,"installation":null,"repository":null}`, nil, ErrNoInstallation},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			cfg := testConfig(&inbox{})
			if test.change != nil {
				test.change(&cfg)
			}
			if err := deliver(t, cfg, test.event, test.payload); !errors.Is(err, test.want) || test.want == nil && err != nil {
				t.Fatalf("error %v, want %v", err, test.want)
			}
		})
	}
}
