package app

import (
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"

	"parley/app/githubsim"
	"parley/pipeline"
)

// labelWords are all values a label may take, by metric and label. A label
// that is not here, or a value that is not among its words, could grow with
// repositories, sessions or people.
var labelWords = map[string][]string{
	"webhook_deliveries_total event":             append(knownEventNames(), "other"),
	"webhook_deliveries_total result":            {"stored", "ignored", "duplicate", "malformed", "media", "bad_sig", "slow", "too_large", "draining", "not_stored", "no_installation"},
	"job_seconds kind":                           {"prepare", "task", "edited", "deliver", "discuss", "rebuild", "head"},
	"job_seconds result":                         {"done", "failed", "stale", "wait", "yield"},
	"commands_total command":                     append(verbs(), "start", "rebuild", "panel", "other"),
	"commands_total decision":                    {"done", "refused", "resumed", "other"},
	"github_requests_total cached":               {"no", "yes"},
	"github_quota_remaining installation_bucket": {"core", "graphql", "app"},
	"llm_tokens_total role":                      {"product", "technical", "quality", "risk", "coverage", "analyst", "writer", "reviewer", "planner", "discussant"},
	"llm_failures_total reason":                  {"refused", "cut-off", "empty", "language", "invalid", "429", "5xx", "timeout", "budget", "auth", "leak", "too-long"},
}

func knownEventNames() []string {
	var out []string
	for name := range knownEvents {
		out = append(out, name)
	}
	return out
}

func verbs() []string {
	var out []string
	for _, c := range pipeline.Commands {
		out = append(out, c.Verb)
	}
	return out
}

var documented = regexp.MustCompile("(?m)^\\| `([a-z_]+)(?:\\{[a-z_,]+\\})?` \\|")

// What a running App offers after a session, some mischief and some strangers
// is what the README lists, no more and no less, and no label tells of
// repositories, sessions or people.
func TestScrape(t *testing.T) {
	d := deploy(t, nil)
	number := d.issue("lifecycle")
	d.session(number, "ends", ended)
	for n := range 30 { // people and issues without number
		who := fmt.Sprintf("person-%d", n)
		d.may(who, "write")
		if _, err := d.Comment(who, githubsim.At("octo/shop", number), "/lifecycle accept F-99"); err != nil {
			t.Fatal(err)
		}
	}
	d.settled()
	for n, event := range []string{"no_such_event", "another_one", "third"} {
		x := numbered(800+n, secret)
		x.event = event
		d.send(x)
		x.sha = "sha256=" + strings.Repeat("0", 64)
		d.send(x)
	}
	d.app.metrics.touchAll()
	code, text := d.get(d.app.Admin + "/metrics")
	if code != http.StatusOK {
		t.Fatalf("/metrics says %d", code)
	}
	families, err := d.app.metrics.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(readme), "<!-- generated: metrics -->")
	table, _, _ = strings.Cut(table, "<!-- end of generated -->")
	listed := map[string]bool{}
	for _, m := range documented.FindAllStringSubmatch(table, -1) {
		listed[m[1]] = true
	}
	for _, f := range families {
		name := f.GetName()
		if !strings.Contains(text, "# TYPE "+name+" ") {
			t.Errorf("%s is registered and not scraped", name)
		}
		if strings.HasPrefix(name, "go_") || strings.HasPrefix(name, "process_") {
			continue
		}
		if !listed[name] {
			t.Errorf("%s is emitted and not in the README", name)
		}
		for _, m := range f.Metric {
			boundedLabels(t, name, m.Label)
		}
		delete(listed, name)
	}
	for name := range listed {
		t.Errorf("%s is in the README and not emitted", name)
	}
	for _, series := range []string{`commands_total{command="accept",decision="refused"} 30`, `job_seconds_count{kind="task",result="done"} 6`,
		`webhook_deliveries_total{event="other",result="bad_sig"} 3`, `token_mints_total `, `redis_policy_ok `,
		`github_requests_total{cached="yes",status="200"} `} {
		if !strings.Contains(text, "\n"+series) {
			t.Errorf("no series %s", series)
		}
	}
}

func boundedLabels(t *testing.T, metric string, labels []*dto.LabelPair) {
	for _, l := range labels {
		if metric == "github_requests_total" && l.GetName() == "status" {
			if !regexp.MustCompile(`^(0|[1-5]\d\d)$`).MatchString(l.GetValue()) {
				t.Errorf("%s has status %q", metric, l.GetValue())
			}
			continue
		}
		words, ok := labelWords[metric+" "+l.GetName()]
		if !ok || !slices.Contains(words, l.GetValue()) {
			t.Errorf("%s has %s=%q, which is none of %q", metric, l.GetName(), l.GetValue(), words)
		}
	}
}
