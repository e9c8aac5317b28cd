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
	// turnWork is what every turn takes, the quiet ones too: a command's live
	// permission read, answered quickly.
	turnWork    = 20 * time.Millisecond
	quietEvents = 50 // measured in a window
	warmEvents  = 5  // before them
	quietOrg    = 2
)

// BenchmarkFlood is one organisation's wait, alone and while another's 10,000
// events wait in the queue, with the shares that serve has. A second of
// the one and of the other alternate, so that what else the machine does falls
// on both alike; an iteration is such a pair, and at least twenty are needed.
// Reported are quantiles over all windows, from an event's acceptance to its
// start and to its committed decision, and how much longer the flood made them.
func BenchmarkFlood(b *testing.B) {
	share := Config{Share: Share{Turns: 6, Quick: 6, Slow: 3}}
	calm, loud := &org{s: benchStore(b, share)}, &org{s: benchStore(b, share), flood: floodEvents}
	for n := 0; b.Loop(); n++ {
		pair := []*org{calm, loud}
		pair[n%2].window(b)
		pair[1-n%2].window(b)
	}
	for name, of := range map[string]func(*org) time.Duration{
		"start-p50":  func(o *org) time.Duration { return quantile(o.start, 50) },
		"start-p95":  func(o *org) time.Duration { return quantile(o.start, 95) },
		"answer-p95": func(o *org) time.Duration { return quantile(o.answer, 95) },
	} {
		quiet, flooded := of(calm), of(loud)
		b.ReportMetric(float64(quiet.Microseconds())/1000, "ms-calm-"+name)
		b.ReportMetric(float64(flooded.Microseconds())/1000, "ms-flood-"+name)
		b.ReportMetric(float64(flooded)/float64(quiet), "x-"+name)
	}
}

// org is the quiet organisation beside a flood, or beside nobody.
type org struct {
	s             *Store
	flood, sent   int // of the other's events: how many are to wait, how many were sent
	asked         int
	start, answer []time.Duration // what its events waited
}

func quantile(all []time.Duration, q int) time.Duration {
	slices.Sort(all)
	return all[len(all)*q/100]
}

// window runs an engine while the organisation sends an event, waits for its
// answer, and sends the next.
func (o *org) window(b *testing.B) {
	o.fill(b)
	ctx, cancel := context.WithCancel(context.Background())
	started, answered := make(chan time.Time, 1), make(chan time.Time, 1)
	e := &pipeline.Engine{Store: o.s, Turns: 8, Quick: 8, Slow: 4, Policy: pipeline.Policy{
		Advance: func(st pipeline.Session, ev pipeline.Event, _ time.Time) (pipeline.Session, []pipeline.Effect, error) {
			if ev.Repo.Installation == quietOrg {
				started <- time.Now()
			}
			<-time.After(turnWork)
			return st, nil, nil
		},
	}, Hooks: pipeline.Hooks{Progress: func(p pipeline.Progress) {
		if p.Stage == pipeline.StageTurn && p.Key.Issue < 1000 {
			answered <- time.Now()
		}
	}}}
	var wg sync.WaitGroup
	wg.Go(func() { e.Run(ctx) })
	for i := range warmEvents + quietEvents {
		o.asked++
		ev := aCommand(fmt.Sprint("quiet", o.asked), 1+o.asked%50)
		ev.Repo.Installation = quietOrg
		began := time.Now()
		if err := o.s.Accept(ctx, ev); err != nil {
			b.Fatal(err)
		}
		start, answer := (<-started).Sub(began), (<-answered).Sub(began)
		if i >= warmEvents {
			o.start, o.answer = append(o.start, start), append(o.answer, answer)
		}
	}
	if st, err := o.s.Stats(ctx); err != nil || (o.flood > 0 && st.Due < o.flood/2) {
		b.Fatalf("the flood was over before the window: %+v (%v)", st, err)
	}
	cancel()
	wg.Wait()
}

// fill lets as many of the flood's events wait as there are to be.
func (o *org) fill(b *testing.B) {
	st, err := o.s.Stats(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	unsynced(b, o.s, true)
	for range o.flood - st.Due {
		o.sent++
		if err := o.s.Accept(context.Background(), aCommand(fmt.Sprint("flood", o.sent), 1000+o.sent)); err != nil {
			b.Fatal(err)
		}
	}
	unsynced(b, o.s, false)
}
