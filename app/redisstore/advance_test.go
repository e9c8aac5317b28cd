package redisstore

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"parley/pipeline"
)

// instant is a worker that takes no time and tells when it was asked.
type instant struct {
	*remote
	asked chan time.Time
}

func (w instant) Work(ctx context.Context, a pipeline.Assignment) (pipeline.Draft, error) {
	select {
	case w.asked <- time.Now():
	case <-ctx.Done():
		return pipeline.Draft{}, ctx.Err()
	}
	path := string(a.Task.ID) + ".md"
	return pipeline.Draft{Outcome: pipeline.Outcome{Task: a.Task.ID, Artifact: path}, Text: map[string][]byte{path: []byte(a.Task.ID)}}, nil
}

// BenchmarkFastAdvance is one step of a session whose work takes no time:
// from the asking for one task to the asking for the next.
func BenchmarkFastAdvance(b *testing.B) {
	s := benchStore(b, Config{})
	ctx, cancel := context.WithCancel(context.Background())
	w := instant{&remote{}, make(chan time.Time, 1)}
	e := &pipeline.Engine{Store: s, Worker: w, GitHub: w, Policy: pipeline.Policy{
		Advance: func(st pipeline.Session, ev pipeline.Event, _ time.Time) (pipeline.Session, []pipeline.Effect, error) {
			st.Schema, st.Status, st.Repo, st.Issue.Number = 1, pipeline.SessionActive, ev.Repo, ev.Issue
			st.Beats++
			id := pipeline.TaskID(fmt.Sprint("T", st.Beats))
			st.Tasks = []pipeline.Task{{ID: id}}
			return st, []pipeline.Effect{{Job: &pipeline.JobSpec{ID: string(id), Kind: pipeline.JobTask, Task: id}}}, nil
		},
	}}
	var wg sync.WaitGroup
	wg.Go(func() { e.Run(ctx) })
	if err := s.Accept(ctx, aCommand("start", 1)); err != nil {
		b.Fatal(err)
	}
	last := <-w.asked
	var steps []time.Duration
	for b.Loop() {
		now := <-w.asked
		steps = append(steps, now.Sub(last))
		last = now
	}
	cancel()
	wg.Wait()
	quantiles(b, steps, "step")
}
