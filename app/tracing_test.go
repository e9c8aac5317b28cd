package app

import (
	"context"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	collected "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"parley/pipeline"
)

// collector takes OTLP over HTTP on loopback and keeps the spans.
type collector struct {
	*httptest.Server
	t       *testing.T
	mu      sync.Mutex
	spans   []*spans.Span
	service []string
	asked   int
}

func newCollector(t *testing.T) *collector {
	c := &collector{t: t}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked++
	raw, err := io.ReadAll(r.Body)
	var said collected.ExportTraceServiceRequest
	if err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("X-Key") != collectorKey || proto.Unmarshal(raw, &said) != nil {
		c.t.Errorf("%s with %q: %v", r.URL, r.Header, err)
	}
	for _, of := range said.ResourceSpans {
		for _, a := range of.Resource.Attributes {
			if a.Key == "service.name" {
				c.service = append(c.service, a.Value.GetStringValue())
			}
		}
		for _, scope := range of.ScopeSpans {
			c.spans = append(c.spans, scope.Spans...)
		}
	}
}

const collectorKey = "a-key-of-the-collector"

// One delivery is one trace: what a replica took in, another one turned over,
// worked on, judged and wrote to GitHub.
func TestTraceFromDeliveryToWrite(t *testing.T) {
	c := newCollector(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "X-Key="+collectorKey)
	redis := startRedis(t)
	d := deploy(t, func(cfg *Config) { cfg.RedisURL, cfg.Turns, cfg.Jobs = Secret(redis.URL), 0, 0 })
	worker := d.cfg
	worker.Turns, worker.Jobs = 8, 8
	a, err := New(t.Context(), worker, Deps{Log: d.log, Now: d.now})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	d.session(d.issue("lifecycle"), "ends, with its pull request", func(s pipeline.Session) bool {
		return (s.Status == pipeline.SessionCompleted || s.Status == pipeline.SessionPaused) && s.PR.Number != 0
	})
	d.settled()
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := d.down(); err != nil {
		t.Error(err)
	}
	c.follow()
	if strings.Contains(d.log.String(), "collector") {
		t.Errorf("the log speaks of the collector:\n%s", d.log)
	}
}

// follow looks at the trace that the label began.
func (c *collector) follow() {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := slices.IndexFunc(c.spans, func(s *spans.Span) bool { return s.Name == "delivery start" })
	if at < 0 {
		c.t.Fatalf("no delivery among %d spans", len(c.spans))
	}
	root := c.spans[at]
	count := map[string]int{}
	byID := map[string]*spans.Span{}
	for _, s := range c.spans {
		if string(s.TraceId) != string(root.TraceId) {
			continue
		}
		byID[hex.EncodeToString(s.SpanId)] = s
		count[s.Name]++
		for _, a := range s.Attributes {
			if text := a.Value.GetStringValue(); strings.Contains(text, "Customers") || strings.Contains(text, "Pay once") {
				c.t.Errorf("%s tells what somebody wrote: %s=%s", s.Name, a.Key, text)
			}
		}
	}
	for name, want := range map[string]int{"delivery start": 1, "turn start": 1, "turn prepared": 1, "job prepare": 1, "job task": 6, "turn done": 6,
		"round DISCUSS-001": 1, "round DISCUSS-006": 1} {
		if count[name] != want {
			c.t.Errorf("%d spans %q, want %d", count[name], name, want)
		}
	}
	writes := 0
	for _, s := range byID {
		parent := byID[hex.EncodeToString(s.ParentSpanId)]
		switch {
		case s == root:
		case parent == nil:
			c.t.Errorf("%s hangs on nothing", s.Name)
		case s.Name == "github write":
			if writes++; parent.Name != "job deliver" {
				c.t.Errorf("a write in %q", parent.Name)
			}
		}
	}
	if writes < 2 || len(c.service) == 0 || c.service[0] != "parley" {
		c.t.Errorf("%d writes, service %q; spans %v", writes, c.service, count)
	}
	c.t.Logf("%d spans, %d of them in the delivery's trace: %v", len(c.spans), len(byID), count)
}

// Without a collector, or switched off, nothing is traced and nobody is asked.
func TestTracingIsOffUnlessAsked(t *testing.T) {
	c := newCollector(t)
	for name, env := range map[string]map[string]string{
		"unset":    {},
		"disabled": {"OTEL_EXPORTER_OTLP_ENDPOINT": c.URL, "OTEL_SDK_DISABLED": "true"},
		"none":     {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": c.URL, "OTEL_TRACES_EXPORTER": "none"},
	} {
		t.Run(name, func(t *testing.T) {
			for k, v := range env {
				t.Setenv(k, v)
			}
			d := deploy(t, nil)
			if code := d.send(numbered(90, secret)); code != http.StatusOK {
				t.Errorf("%d", code)
			}
			if d.app.tracing != nil {
				t.Error("traced")
			}
			if err := d.down(); err != nil {
				t.Error(err)
			}
		})
	}
	if c.asked > 0 {
		t.Errorf("the collector was asked %d times", c.asked)
	}
}

// A collector that is down costs a line in the log, which holds no key of it.
func TestCollectorIsDown(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9/"+collectorKey)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "X-Key="+collectorKey)
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "100")
	d := deploy(t, nil)
	if code := d.send(numbered(91, secret)); code != http.StatusOK {
		t.Errorf("%d", code)
	}
	if err := d.down(); err != nil {
		t.Errorf("SIGTERM: %v", err)
	}
	if text := d.log.String(); !strings.Contains(text, "collector") || strings.Contains(text, collectorKey) {
		t.Errorf("the log says\n%s", text)
	}
}
