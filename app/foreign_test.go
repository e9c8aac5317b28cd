package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/handlers"
)

// CheckSettings names the line of each mistake, so that a pull request shows it there.
func TestMistakesHaveLines(t *testing.T) {
	text := "enabled: true\nkeep: al\ngate:\n  accept:\n    review: anybody\ntrailers:\n  - \"Team: x\"\n  - nothing\nquestion_hours: 0\nlint:\n  disable:\n    L01: \"\"\n"
	var got []int
	for _, a := range annotate([]byte(text)) {
		got = append(got, a.Line)
	}
	if diff := cmp.Diff([]int{2, 5, 6, 12, 9}, got); diff != "" {
		t.Error(diff, annotate([]byte(text)))
	}
	for text, line := range map[string]int{"keep: all\nkepe: all\n": 2, "dry_run: perhaps\n": 1, "a: [\n": 1} {
		if out := annotate([]byte(text)); len(out) != 1 || out[0].Line < line {
			t.Errorf("%q: %+v", text, out)
		}
	}
}

// Ten thousand foreign deliveries ask GitHub nothing and leave no key in Redis.
func TestForeignDeliveriesLeaveNothing(t *testing.T) {
	redis := startRedis(t)
	d := deploy(t, func(c *Config) { c.RedisURL, c.Sweep = Secret(redis.URL), 0 })
	in := `"installation":{"id":1},"repository":{"id":77,"name":"shop","default_branch":"main","owner":{"login":"octo"}},"sender":{"id":5,"login":"ann","type":"User"}`
	daily := []struct{ event, body string }{
		{"push", `{"ref":"refs/heads/f","after":"abc","commits":[{"added":["a.go"]}],` + in + `}`},
		{"check_run", `{"action":"completed","check_run":{"head_sha":"abc","app":{"id":999}},` + in + `}`},
		{"pull_request", `{"action":"synchronize","number":145,"pull_request":{"number":145,"head":{"ref":"f","sha":"abc","repo":{"id":77}}},` + in + `}`},
		{"pull_request", `{"action":"closed","number":145,"pull_request":{"number":145,"head":{"ref":"lifecycle/none","sha":"abc","repo":{"id":77}}},` + in + `}`},
		{"issues", `{"action":"closed","issue":{"number":9,"title":"t"},` + in + `}`},
		{"issue_comment", `{"action":"created","issue":{"number":9},"comment":{"node_id":"IC","body":"/resume","user":{"id":5,"login":"ann","type":"User"}},` + in + `}`},
		{"merge_group", `{"action":"checks_requested","merge_group":{"head_sha":"abc","head_ref":"refs/heads/gh-readonly-queue/main/pr-145-0123456789abcdef"},` + in + `}`},
		{"issue_comment", `{"action":"created","issue":{"number":9},"comment":{"node_id":"IC","body":"fine","user":{"id":5,"login":"ann","type":"User"}},` + in + `}`},
	}
	d.settled()
	keys := func() string {
		return redis.command("EVAL \"local n=0 for _,k in ipairs(redis.call('KEYS','*')) do if string.find(k,':77-',1,true) or string.find(k,':dd:') then n=n+1 end end return n\" 0")
	}
	eventually(t, "a new Redis was looked into", func() bool {
		said, ok, err := d.app.store.Get(context.Background(), rebuildKey)
		return err == nil && ok && string(said) == rebuildDone
	})
	asked, before := d.Counts().Requests, keys()
	for n := range 10000 {
		x := daily[n%len(daily)]
		err := d.app.Ingest(context.Background(), x.event, fmt.Sprintf("foreign-%d", n), []byte(x.body))
		if err != nil && !errors.Is(err, handlers.ErrIgnored) {
			t.Fatalf("%s: %v", x.event, err)
		}
	}
	d.settled()
	if after := keys(); after != before || !strings.HasPrefix(after, ":") {
		t.Errorf("keys: %s before, %s after", before, after)
	}
	if n := d.Counts().Requests - asked; n != 0 {
		all := d.Requests()
		t.Errorf("%d requests to GitHub: %+v", n, all[len(all)-n:])
	}
	t.Logf("10000 foreign deliveries: %d requests, keys %s before and %s after", d.Counts().Requests-asked, before, keys())
}
