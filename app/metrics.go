package app

import (
	"net/http"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"parley/pipeline"
)

// metrics are the numbers Parley offers. Every name is listed in the README
// and used by the alert rules; a test compares the three.
type metrics struct {
	registry      *prometheus.Registry
	deliveries    *prometheus.CounterVec
	ackSeconds    prometheus.Histogram
	duplicates    prometheus.Counter
	swept         prometheus.Counter
	queueDepth    prometheus.Gauge
	queueOldest   prometheus.Gauge
	jobSeconds    *prometheus.HistogramVec
	jobRetries    prometheus.Counter
	deadLetters   prometheus.Gauge
	leaseLost     prometheus.Counter
	commands      *prometheus.CounterVec
	permErrors    prometheus.Counter
	requests      *prometheus.CounterVec
	quota         *prometheus.GaugeVec
	waits         prometheus.Counter
	mints         prometheus.Counter
	outbox        prometheus.Gauge
	readbacks     prometheus.Counter
	healed        prometheus.Counter
	tokens        *prometheus.CounterVec
	modelFailures *prometheus.CounterVec
	gatePending   prometheus.Gauge
	configErrors  prometheus.Counter
	policyOK      prometheus.Gauge
}

// knownEvents bounds the event label: a name nobody knows is "other".
var knownEvents = map[string]bool{"ping": true, "issues": true, "issue_comment": true, "pull_request": true,
	"pull_request_review": true, "pull_request_review_comment": true, "pull_request_review_thread": true,
	"check_run": true, "check_suite": true, "merge_group": true, "installation": true,
	"installation_repositories": true, "installation_target": true, "repository": true, "push": true, "label": true}

func newMetrics() *metrics {
	r := prometheus.NewRegistry()
	m := &metrics{registry: r}
	counter := func(name, help string) prometheus.Counter {
		c := prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
		r.MustRegister(c)
		return c
	}
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
		r.MustRegister(c)
		return c
	}
	gauge := func(name, help string) prometheus.Gauge {
		g := prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
		r.MustRegister(g)
		return g
	}
	m.deliveries = counters("webhook_deliveries_total", "deliveries by event and what became of them", "event", "result")
	m.ackSeconds = prometheus.NewHistogram(prometheus.HistogramOpts{Name: "webhook_ack_seconds", Help: "time until a delivery was answered",
		Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2}})
	m.jobSeconds = prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "job_seconds", Help: "time a job took",
		Buckets: prometheus.ExponentialBuckets(.01, 4, 9)}, []string{"kind", "result"})
	m.quota = prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "github_quota_remaining", Help: "calls left before GitHub's limit"}, []string{"installation_bucket"})
	r.MustRegister(m.ackSeconds, m.jobSeconds, m.quota, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.duplicates = counter("delivery_duplicates_total", "deliveries seen before")
	m.swept = counter("delivery_sweep_missing", "deliveries found in GitHub's log and not with us")
	m.queueDepth = gauge("queue_depth", "sessions with something due")
	m.queueOldest = gauge("queue_oldest_seconds", "how long the oldest due session has waited")
	m.jobRetries = counter("job_retries_total", "tries after the first")
	m.deadLetters = gauge("dead_letters", "events and jobs given up")
	m.leaseLost = counter("lease_lost_total", "leases that ended before their holder was done")
	m.commands = counters("commands_total", "commands by what was decided", "command", "decision")
	m.permErrors = counter("permission_check_errors_total", "permissions that could not be read")
	m.requests = counters("github_requests_total", "calls to GitHub; cached=yes were spared, their answer was kept", "status", "cached")
	m.waits = counter("github_secondary_waits_total", "times GitHub told us to wait")
	m.mints = counter("token_mints_total", "installation tokens made")
	m.outbox = gauge("outbox_pending", "writes not yet on GitHub")
	m.readbacks = counter("outbox_readback_total", "writes looked for before a second try")
	m.healed = counter("sticky_duplicates_healed_total", "panels or comments of ours made anew")
	m.tokens = counters("llm_tokens_total", "tokens by role", "role")
	m.modelFailures = counters("llm_failures_total", "model calls that gave no answer", "reason")
	m.gatePending = gauge("gate_pending_seconds", "how long the longest-waiting gate has waited for a person")
	m.configErrors = counter("config_errors_total", "mistakes in repositories' configuration")
	m.policyOK = gauge("redis_policy_ok", "1 while Redis neither evicts nor forgets")
	return m
}

func (m *metrics) delivery(event, result string) {
	if !knownEvents[event] {
		event = "other"
	}
	if result == "duplicate" {
		m.duplicates.Inc()
	}
	m.deliveries.WithLabelValues(event, result).Inc()
}

func (m *metrics) job(kind, result string, took time.Duration) {
	m.jobSeconds.WithLabelValues(kind, result).Observe(took.Seconds())
}

// knownDecisions bounds the decision label.
var knownDecisions = map[string]bool{"done": true, "refused": true, "resumed": true}

// command counts what became of one. Verbs are those of the parser's table.
func (m *metrics) command(verb, decision string) {
	known := verb == "start" || verb == "rebuild" || verb == "panel" || slices.ContainsFunc(pipeline.Commands, func(c pipeline.CommandSpec) bool { return c.Verb == verb })
	if !known {
		verb = "other"
	}
	if !knownDecisions[decision] {
		decision = "other"
	}
	m.commands.WithLabelValues(verb, decision).Inc()
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
