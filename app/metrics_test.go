package app

import (
	"os"
	"regexp"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
)

var metricWord = regexp.MustCompile(`\b[a-z]+(?:_[a-z]+)+\b`)

// Alert rules and dashboard may name only what is exported, and everything
// exported of ours is on one of them or listed as kept for questions.
func TestAlertsAndDashboardNameRealMetrics(t *testing.T) {
	m := newMetrics()
	m.touchAll()
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	exported := map[string]*dto.MetricFamily{}
	for _, f := range families {
		exported[f.GetName()] = f
	}
	expr := regexp.MustCompile(`(?m)"?expr"?:\s*"?(.*?)"?,?$`)
	for _, file := range []string{"../deploy/alerts.yml", "../deploy/dashboard.json"} {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, e := range expr.FindAllStringSubmatch(string(raw), -1) {
			for _, w := range metricWord.FindAllString(strings.ReplaceAll(e[1], `\"`, `"`), -1) {
				base := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(w, "_bucket"), "_count"), "_sum")
				if promWords[w] {
					continue
				}
				found++
				if exported[w] == nil && exported[base] == nil {
					t.Errorf("%s names %s, which nobody exports", file, w)
				}
			}
		}
		if found == 0 {
			t.Errorf("%s names no metric at all", file)
		}
	}
}

// promWords look like metrics and are functions, labels or values.
var promWords = map[string]bool{"histogram_quantile": true, "not_stored": true, "bad_sig": true, "installation_bucket": true}

func TestEventLabelIsBounded(t *testing.T) {
	m := newMetrics()
	for _, name := range []string{"issues", "x_one", "x_two", "x_three"} {
		m.delivery(name, "ignored")
	}
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "webhook_deliveries_total" && len(f.Metric) != 2 {
			t.Errorf("%d series for four names, want issues and other", len(f.Metric))
		}
	}
}

// Names that come from outside become few series.
func TestCommandLabelsAreBounded(t *testing.T) {
	m := newMetrics()
	for _, row := range [][2]string{{"resume", "done"}, {"resume", "refused"}, {"rm -rf", "done"}, {"x1", "nonsense"}, {"x2", "other nonsense"}} {
		m.command(row[0], row[1])
	}
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "commands_total" && len(f.Metric) != 4 {
			t.Errorf("%d series, want 4", len(f.Metric))
		}
	}
}

// touchAll makes every labelled metric appear, so that it can be compared.
func (m *metrics) touchAll() {
	m.deliveries.WithLabelValues("issues", "stored")
	m.jobSeconds.WithLabelValues("task", "done")
	m.quota.WithLabelValues("core").Set(5000)
	m.requests.WithLabelValues("200", "no")
	m.commands.WithLabelValues("status", "done")
	m.tokens.WithLabelValues("writer")
	m.modelFailures.WithLabelValues("429")
}
