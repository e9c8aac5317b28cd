package redisstore

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"parley/pipeline"
)

// holderEnv makes the test binary a process that takes a task and keeps it.
const holderEnv = "PARLEY_TAKEOVER_HOLDER"

// worker says when it is given a task.
type worker struct {
	remote
	given func()
	keep  bool
}

func (w *worker) Work(ctx context.Context, a pipeline.Assignment) (pipeline.Draft, error) {
	w.given()
	if w.keep {
		<-ctx.Done()
		return pipeline.Draft{}, ctx.Err()
	}
	return w.remote.Work(ctx, a)
}

// single is the policy of a session that is nothing but one task.
func single(s pipeline.Session, ev pipeline.Event, _ time.Time) (pipeline.Session, []pipeline.Effect, error) {
	if ev.Kind != pipeline.EventCommand {
		return s, nil, nil
	}
	s = pipeline.Session{Schema: 1, Status: pipeline.SessionActive, ID: fmt.Sprint("s", ev.Issue), Repo: ev.Repo, Tasks: []pipeline.Task{{ID: "T1"}}}
	s.Issue.Number = ev.Issue
	return s, []pipeline.Effect{{Job: &pipeline.JobSpec{ID: "job", Kind: pipeline.JobTask, Task: "T1", Deadline: time.Hour}}}, nil
}

func (w *worker) engine(s *Store) *pipeline.Engine {
	w.chaos = &chaos{rnd: newRand(1)}
	return &pipeline.Engine{Store: s, GitHub: w, Worker: w, Policy: pipeline.Policy{Advance: single}, Turns: 2, Quick: 1, Slow: 1}
}

// hold is the life of the process that is killed.
func hold(address string) {
	options, err := Options(address)
	if err != nil {
		panic(err)
	}
	s, err := Open(context.Background(), Config{Redis: options})
	if err != nil {
		panic(err)
	}
	w := &worker{keep: true, given: func() { fmt.Println("given") }}
	w.engine(s).Run(context.Background())
}

// BenchmarkTakeover kills -9 a process in the middle of a task and measures
// until another one, with the times of a deployment, is given the task.
func BenchmarkTakeover(b *testing.B) {
	for b.Loop() {
		srv := server(b)
		s := store(b, srv.Address, Config{})
		victim := exec.Command(os.Args[0])
		victim.Env = append(os.Environ(), holderEnv+"="+srv.Address)
		out, err := victim.StdoutPipe()
		if err != nil {
			b.Fatal(err)
		}
		if err := victim.Start(); err != nil {
			b.Fatal(err)
		}
		if err := s.Accept(context.Background(), aCommand("one", 1)); err != nil {
			b.Fatal(err)
		}
		if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
			b.Fatal(line, err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		given := make(chan struct{})
		var heir sync.WaitGroup
		w := &worker{given: func() { close(given) }}
		heir.Go(func() { w.engine(s).Run(ctx) })
		killed := time.Now()
		if err := victim.Process.Kill(); err != nil {
			b.Fatal(err)
		}
		<-given
		b.ReportMetric(time.Since(killed).Seconds(), "s/takeover")
		cancel()
		heir.Wait()
		if _, err := io.Copy(io.Discard, out); err != nil {
			b.Fatal(err)
		}
		if err := victim.Wait(); err == nil {
			b.Fatal("the victim ended by itself")
		}
	}
}
