package app

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"parley/pipeline"
)

// tracing follows a delivery over turns, jobs, rounds and models to the writes
// on GitHub, on whichever replica they happen, and tells a collector. A nil
// one does nothing and dials nobody. Spans hold ids and kinds, never a text.
type tracing struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
}

// newTracing is nil unless a collector is named and nothing switches it off.
// The SDK reads these and the other standard variables itself.
func newTracing(ctx context.Context, log zerolog.Logger) (*tracing, error) {
	const collector, ofTraces = "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	off := os.Getenv("OTEL_SDK_DISABLED") == "true" || os.Getenv("OTEL_TRACES_EXPORTER") == "none"
	if off || os.Getenv(collector) == "" && os.Getenv(ofTraces) == "" {
		return nil, nil
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; name a collector that takes OTLP over HTTP", collector, err)
	}
	about, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", "parley")), resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w; write them as key=value,key=value", err)
	}
	lost := func(err error) { log.Warn().Err(err).Msg("the collector did not take traces") }
	otel.SetErrorHandler(otel.ErrorHandlerFunc(lost))
	p := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(about))
	return &tracing{provider: p, tracer: p.Tracer("parley")}, nil
}

// collectorSecrets are the values of the headers that a collector is sent.
func collectorSecrets() []string {
	var out []string
	for _, name := range []string{"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"} {
		for pair := range strings.SplitSeq(os.Getenv(name), ",") {
			_, value, _ := strings.Cut(pair, "=")
			if plain, err := url.PathUnescape(strings.TrimSpace(value)); err == nil && plain != "" {
				out = append(out, plain)
			}
		}
	}
	return out
}

// stop sends what is left, for as long as a stopping process has.
func (t *tracing) stop(ctx context.Context) {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		otel.Handle(err) // a collector that is down is no fault of the process
	}
}

var traceparent propagation.TraceContext

// span begins one; what it returns ends it.
func (t *tracing) span(ctx context.Context, name string, about ...attribute.KeyValue) (context.Context, func(error)) {
	ctx, s := t.tracer.Start(ctx, name, trace.WithAttributes(about...))
	return ctx, func(err error) {
		if err != nil {
			s.SetStatus(codes.Error, "") // the log has the text
		}
		s.End()
	}
}

// step is the engine's hook: a turn or a job belongs to the delivery that set
// it off, wherever that was taken in.
func (t *tracing) step(ctx context.Context, s pipeline.Step) (context.Context, func(error)) {
	ctx = traceparent.Extract(ctx, propagation.MapCarrier{"traceparent": s.Trace})
	return t.span(ctx, s.What+" "+s.Kind, append(where(s.Key), attribute.String("parley.session", s.Session), attribute.String("parley.task", string(s.Task)))...)
}

func where(k pipeline.Key) []attribute.KeyValue {
	return []attribute.KeyValue{attribute.Int64("parley.repository", k.Repo), attribute.Int("parley.issue", k.Issue)}
}

// inbox begins a trace with every event that is taken in.
func (t *tracing) inbox(to pipeline.Inbox) pipeline.Inbox {
	if t == nil {
		return to
	}
	return tracedInbox{to, t}
}

type tracedInbox struct {
	pipeline.Inbox
	t *tracing
}

func (i tracedInbox) Accept(ctx context.Context, ev pipeline.Event) error {
	ctx, end := i.t.span(ctx, "delivery "+string(ev.Kind), append(where(pipeline.Key{Repo: ev.Repo.ID, Issue: ev.Issue}), attribute.String("parley.delivery", ev.Delivery))...)
	carried := propagation.MapCarrier{}
	traceparent.Inject(ctx, carried)
	ev.Trace = carried["traceparent"]
	err := i.Inbox.Accept(ctx, ev)
	end(err)
	return err
}

// watch has the engine's work traced.
func (t *tracing) watch(e *pipeline.Engine) {
	if t == nil {
		return
	}
	e.Hooks.Step, e.GitHub, e.Critic = t.step, tracedGitHub{e.GitHub, t}, tracedCritic{e.Critic, t}
}

type tracedGitHub struct {
	pipeline.GitHub
	t *tracing
}

func (g tracedGitHub) Deliver(ctx context.Context, b pipeline.Batch) (pipeline.Receipts, error) {
	kinds := make([]string, len(b.Writes))
	for n, w := range b.Writes {
		kinds[n] = string(w.Kind)
	}
	ctx, end := g.t.span(ctx, "github write", attribute.StringSlice("parley.writes", kinds))
	made, err := g.GitHub.Deliver(ctx, b)
	end(err)
	return made, err
}

type tracedCritic struct {
	pipeline.Critic
	t *tracing
}

func (c tracedCritic) Critique(ctx context.Context, r pipeline.Review) (pipeline.Judgement, error) {
	ctx, end := c.t.span(ctx, "round "+string(r.Round))
	j, err := c.Critic.Critique(ctx, r)
	end(err)
	return j, err
}

// model has each question traced, whoever asks it.
func (t *tracing) model(m pipeline.Model) pipeline.Model {
	if t == nil || m == nil {
		return m
	}
	return tracedModel{m, t}
}

type tracedModel struct {
	pipeline.Model
	t *tracing
}

func (m tracedModel) Ask(ctx context.Context, p pipeline.Prompt) (pipeline.Reply, error) {
	ctx, end := m.t.span(ctx, "model "+p.Slot)
	r, err := m.Model.Ask(ctx, p)
	end(err)
	return r, err
}
