package redisstore

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"parley/pipeline"
)

const (
	floodEvents = 10_000
	floodWork   = 5 * time.Millisecond // of every event, the quiet ones too
	quietEvents = 200                  // per window
)

// BenchmarkFlood is one organisation's wait, alone and while another's 10,000
// events wait in the queue, with the shares that serve has. Calm and flooded
// windows alternate, so that what else the machine does falls on both; each
// iteration is a pair, and the medians of the windows are reported: from an
// event's acceptance to its start, and to its committed decision.
func BenchmarkFlood(b *testing.B) {
	s := benchStore(b, Config{Share: Share{Turns: 6, Quick: 6, Slow: 3}})
	var calm, flooded []waits
	for n := 0; b.Loop(); n++ {
		calm = append(calm, window(b, s, fmt.Sprint("calm", n), 0))
		flooded = append(flooded, window(b, s, fmt.Sprint("flood", n), floodEvents))
	}
	for name, of := range map[string]func(waits) time.Duration{
		"start-p50":  func(w waits) time.Duration { return quantile(w.start, 50) },
		"start-p95":  func(w waits) time.Duration { return quantile(w.start, 95) },
		"answer-p95": func(w waits) time.Duration { return quantile(w.answer, 95) },
	} {
		quiet, loud := median(calm, of), median(flooded, of)
		b.ReportMetric(float64(quiet.Microseconds())/1000, "ms-calm-"+name)
		b.ReportMetric(float64(loud.Microseconds())/1000, "ms-flood-"+name)
	}
}

// waits are what the quiet organisation's events of one window waited.
type waits struct{ start, answer []time.Duration }

func quantile(all []time.Duration, q int) time.Duration {
	slices.Sort(all)
	return all[len(all)*q/100]
}

func median(windows []waits, of func(waits) time.Duration) time.Duration {
	var all []time.Duration
	for _, w := range windows {
		all = append(all, of(w))
	}
	return quantile(all, 50)
}

// window runs an engine over an empty queue, or a flooded one, while the
// quiet organisation sends an event, waits for its answer, and sends the next.
func window(b *testing.B, s *Store, name string, flood int) (w waits) {
	const quiet = 2
	unsynced(b, s, true)
	for i := range flood {
		if err := s.Accept(context.Background(), aCommand(fmt.Sprint(name, i), 1000+i)); err != nil {
			b.Fatal(err)
		}
	}
	unsynced(b, s, false)
	ctx, cancel := context.WithCancel(context.Background())
	started, answered := make(chan time.Time, 1), make(chan time.Time, 1)
	e := &pipeline.Engine{Store: s, Turns: 8, Quick: 8, Slow: 4, Policy: pipeline.Policy{
		Advance: func(st pipeline.Session, ev pipeline.Event, _ time.Time) (pipeline.Session, []pipeline.Effect, error) {
			if ev.Repo.Installation == quiet {
				started <- time.Now()
			}
			<-time.After(floodWork)
			return st, nil, nil
		},
	}, Hooks: pipeline.Hooks{Progress: func(p pipeline.Progress) {
		if p.Stage == pipeline.StageTurn && p.Key.Issue < 1000 {
			answered <- time.Now()
		}
	}}}
	var wg sync.WaitGroup
	wg.Go(func() { e.Run(ctx) })
	for i := range quietEvents {
		ev := aCommand(fmt.Sprint(name, "quiet", i), 1+i%50)
		ev.Repo.Installation = quiet
		began := time.Now()
		if err := s.Accept(ctx, ev); err != nil {
			b.Fatal(err)
		}
		w.start = append(w.start, (<-started).Sub(began))
		w.answer = append(w.answer, (<-answered).Sub(began))
	}
	if st, err := s.Stats(ctx); err != nil || (flood > 0 && st.Due < 1000) {
		b.Fatalf("the flood was over before the window: %+v (%v)", st, err)
	}
	cancel()
	wg.Wait()
	if err := s.db.FlushAll(context.Background()).Err(); err != nil {
		b.Fatal(err)
	}
	if _, err := s.readMeta(context.Background()); err != nil {
		b.Fatal(err)
	}
	return w
}
