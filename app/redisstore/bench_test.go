package redisstore

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/pipeline"
)

func oid(parts ...any) string {
	sum := sha1.Sum([]byte(fmt.Sprint(parts...)))
	return hex.EncodeToString(sum[:])
}

// finished is a spec-only session at its end: six judged tasks, forty files,
// a dozen threads.
func finished(n int) pipeline.Session {
	at := time.Date(2026, 11, 21, 9, n%60, 13, 0, time.UTC)
	s := pipeline.Session{
		Schema: 1, ID: fmt.Sprintf("TLS-csv-export-%d", n), Mode: pipeline.SpecOnly, Track: pipeline.TrackStandard, Status: pipeline.SessionCompleted,
		Scope: "Export a report as CSV", ModeReason: "default mode of the repository", Language: "en", StartedAt: at, UpdatedAt: at.Add(time.Second),
		CompletedAt: &at, TasksTotal: 6, TasksCompleted: 6, Beats: 6, Messages: 31, Starter: "octo-" + strconv.Itoa(n), Settings: pipeline.DefaultSettings(),
		Repo:     pipeline.Repo{Installation: int64(7_000_000 + n%40), ID: int64(91_000_000 + n), NodeID: "R_" + oid(n)[:10], Owner: "octo-org", Name: "service-" + strconv.Itoa(n), DefaultBranch: "main"},
		Issue:    pipeline.Issue{Number: n, NodeID: "I_" + oid(n, 2)[:14], Title: "Export reports as CSV so that finance can reconcile them", Author: "ann", Text: oid("text", n)},
		PR:       pipeline.PullRequest{Number: n + 1, NodeID: "PR_" + oid(n, 3)[:14], URL: fmt.Sprintf("https://github.com/octo-org/service-%d/pull/%d", n, n+1), Head: oid(n, "head"), BaseHead: oid(n, "base")},
		Manifest: pipeline.Manifest{Head: oid(n, "head"), Tree: oid(n, "tree"), Files: map[string]string{}},
		Posted:   pipeline.Posted{Comment: "IC_" + oid(n, 4)[:14], CheckID: int64(n) * 77, CheckHead: oid(n, "head"), Panel: oid(n, "panel"), Threads: map[string]string{}},
	}
	rating := 4.2
	for i, id := range []pipeline.TaskID{"RESEARCH-001", "DRAFT-001", "DRAFT-002", "DRAFT-003", "DRAFT-004", "QUALITY-001"} {
		end := at.Add(time.Duration(i) * 97 * time.Millisecond)
		s.Tasks = append(s.Tasks, pipeline.Task{
			ID: id, Owner: pipeline.Writer, Status: pipeline.TaskCompleted, Round: pipeline.Round(fmt.Sprintf("DISCUSS-%03d", i+1)), AgentID: string(id) + "/1",
			Description: "Write the part of the specification that " + string(id) + " stands for, from the issue's own words.", Artifact: "spec/part-" + strconv.Itoa(i) + ".md",
			Verdict: pipeline.ConsensusReached, Rating: &rating, Summary: fmt.Sprintf("%d requirements, %d quality attributes, %d open questions", 9+i, 3, i),
			StartedAt: &at, CompletedAt: &end, TookMS: int64(80 + i),
		})
		s.CompletedTasks = append(s.CompletedTasks, id)
	}
	for i := range 40 {
		s.Manifest.Files[fmt.Sprintf("spec/requirements/REQ-%03d-export-of-part-%d.md", i, i)] = oid(n, i)
	}
	for i := range 12 {
		s.Posted.Threads[fmt.Sprintf("F-%02d", i)] = "PRRT_" + oid(n, "thread", i)[:16]
	}
	score := 84.5
	s.Gate = &pipeline.Gate{Result: pipeline.GatePass, Score: score, Dimensions: map[string]*float64{}, Notes: map[string]string{}, Rules: "L70", Tree: oid(n, "tree")}
	for _, d := range pipeline.Dimensions {
		s.Gate.Dimensions[d.Name], s.Gate.Notes[d.Name] = &score, "8 of 9 requirements reach a story"
	}
	return s
}

// TestFinishedSessionIsSmall holds the state of a finished session under 4 KB.
func TestFinishedSessionIsSmall(t *testing.T) {
	packed, err := packJSON(finished(1234))
	if err != nil {
		t.Fatal(err)
	}
	if len(packed) > 3500 {
		t.Errorf("a finished session takes %d bytes, want room below 4096 for its keys", len(packed))
	}
	t.Logf("%d bytes", len(packed))
}

// populate stores n idle sessions and returns the bytes each takes.
func populate(b *testing.B, s *Store, n int) float64 {
	ctx := context.Background()
	before := used(b, s)
	var wg sync.WaitGroup
	var next atomic.Int64
	for range 16 {
		wg.Go(func() {
			for i := int(next.Add(1)); i <= n; i = int(next.Add(1)) {
				one := finished(i)
				ev := pipeline.Event{ID: fmt.Sprint("d", i), Kind: pipeline.EventCommand, Issue: i, Repo: one.Repo}
				if err := s.Accept(ctx, ev); err != nil {
					b.Error(err)
					return
				}
				turn, err := s.TakeTurn(ctx, one.Key())
				if err == nil {
					_, err = s.Commit(ctx, turn.Lease, pipeline.Commit{Event: ev.ID, Session: one})
				}
				if err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	return float64(used(b, s)-before) / float64(max(n, 1))
}

func used(b *testing.B, s *Store) int64 {
	info, err := s.info(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	n, err := strconv.ParseInt(info["used_memory"], 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	return n
}

func benchStore(b *testing.B, cfg Config) *Store {
	b.Helper()
	s := store(b, server(b).Address, cfg)
	return s
}

func unsynced(b *testing.B, s *Store, on bool) {
	mode := map[bool]string{true: "no", false: "always"}[on]
	if err := s.db.ConfigSet(context.Background(), "appendfsync", mode).Err(); err != nil {
		b.Fatal(err)
	}
}

// idle is a store with sessions at rest, and what an event cost beside them.
type idle struct {
	s        *Store
	sessions int
	size     float64 // bytes of a session
	took     []time.Duration
}

// event is accepted, claimed and committed.
func (o *idle) event(b *testing.B, i int) {
	ctx, one, id := context.Background(), finished(1+i%o.sessions), fmt.Sprint("e", i)
	began := time.Now()
	if err := o.s.Accept(ctx, pipeline.Event{ID: id, Kind: pipeline.EventCommand, Issue: one.Issue.Number, Repo: one.Repo}); err != nil {
		b.Fatal(err)
	}
	turn, err := o.s.TakeTurn(ctx, one.Key())
	if err != nil {
		b.Fatal(err)
	}
	if _, err := o.s.Commit(ctx, turn.Lease, pipeline.Commit{Event: id, Session: turn.Session}); err != nil {
		b.Fatal(err)
	}
	o.took = append(o.took, time.Since(began))
}

// BenchmarkIdleSessions measures what idle sessions take, and what an event
// costs beside few and beside many: each in turn, so that what else the machine
// does falls on all alike, and the medians count.
func BenchmarkIdleSessions(b *testing.B) {
	var beside []*idle
	for _, n := range []int{100, 10_000, 100_000} {
		s := benchStore(b, Config{})
		unsynced(b, s, true)
		beside = append(beside, &idle{s: s, sessions: n, size: populate(b, s, n)})
		unsynced(b, s, false)
	}
	for i := 0; b.Loop(); i++ {
		for _, o := range beside {
			o.event(b, i)
		}
	}
	few := quantile(beside[0].took, 50)
	for _, o := range beside {
		took := quantile(o.took, 50)
		b.ReportMetric(o.size, fmt.Sprintf("B/session-%d", o.sessions))
		b.ReportMetric(float64(took.Microseconds()), fmt.Sprintf("us-beside-%d", o.sessions))
		b.ReportMetric(float64(took)/float64(few), fmt.Sprintf("x-beside-%d", o.sessions))
	}
}

// BenchmarkAccept is intake alone, sixteen clients, every write synced.
func BenchmarkAccept(b *testing.B) {
	s := benchStore(b, Config{Waiting: 1 << 30})
	var n atomic.Int64
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			i := int(n.Add(1))
			if err := s.Accept(context.Background(), aCommand(fmt.Sprint(i), 1+i%1000)); err != nil {
				b.Error(err)
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkTurns is the whole of a turn under the engine, a thousand
// sessions, every write synced; decisions take no time.
func BenchmarkTurns(b *testing.B) {
	s := benchStore(b, Config{Waiting: 1 << 30})
	ctx, cancel := context.WithCancel(context.Background())
	var left atomic.Int64
	done := make(chan struct{})
	e := &pipeline.Engine{Store: s, Turns: 16, Quick: 1, Slow: 1, Policy: pipeline.Policy{
		Advance: func(st pipeline.Session, ev pipeline.Event, _ time.Time) (pipeline.Session, []pipeline.Effect, error) {
			st.Schema, st.Status, st.Beats = 1, pipeline.SessionActive, st.Beats+1
			if left.Add(-1) == 0 {
				close(done)
			}
			return st, nil, nil
		},
	}}
	left.Store(int64(b.N))
	for i := range b.N {
		if err := s.Accept(ctx, aCommand(fmt.Sprint(i), 1+i%1000)); err != nil {
			b.Fatal(err)
		}
	}
	var wg sync.WaitGroup
	b.ResetTimer()
	wg.Go(func() { e.Run(ctx) })
	<-done
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
	b.StopTimer()
	cancel()
	wg.Wait()
}

// BenchmarkStart is the wait from an event's acceptance to its decision on an
// idle queue, one event at a time.
func BenchmarkStart(b *testing.B) {
	s := benchStore(b, Config{})
	ctx, cancel := context.WithCancel(context.Background())
	started := make(chan time.Time, 1)
	e := &pipeline.Engine{Store: s, Turns: 4, Quick: 1, Slow: 1, Policy: pipeline.Policy{
		Advance: func(st pipeline.Session, _ pipeline.Event, _ time.Time) (pipeline.Session, []pipeline.Effect, error) {
			started <- time.Now()
			return st, nil, nil
		},
	}}
	var wg sync.WaitGroup
	wg.Go(func() { e.Run(ctx) })
	var waits []time.Duration
	for i := 0; b.Loop(); i++ {
		began := time.Now()
		if err := s.Accept(ctx, aCommand(fmt.Sprint(i), 1+i%50)); err != nil {
			b.Fatal(err)
		}
		waits = append(waits, (<-started).Sub(began))
	}
	quantiles(b, waits, "start")
	cancel()
	wg.Wait()
}

func quantiles(b *testing.B, waits []time.Duration, name string) {
	slices.Sort(waits)
	for _, q := range []int{50, 95, 99} {
		b.ReportMetric(float64(waits[len(waits)*q/100].Microseconds())/1000, fmt.Sprintf("ms-%s-p%d", name, q))
	}
}

// FuzzUnpack feeds stored records that are not ours.
func FuzzUnpack(f *testing.F) {
	f.Add("")
	f.Add("r{}")
	f.Add(string(pack([]byte(strings.Repeat(`{"id":"F-01"}`, 30)))))
	f.Fuzz(func(t *testing.T, packed string) {
		body, err := unpack(packed)
		if err != nil {
			return
		}
		again, err := unpack(string(pack(body)))
		if err != nil || string(again) != string(body) {
			t.Errorf("packing %q again gave %q (%v)", body, again, err)
		}
	})
}

// FuzzDecodeEvent feeds inbox entries that are not ours.
func FuzzDecodeEvent(f *testing.F) {
	entry, err := encodeEvent(recordVersion, aCommand("one", 1))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(entry)
	f.Add("1\nid\ntimer\n5\nname")
	f.Add("1\nid\nlost\n5\n{}")
	f.Fuzz(func(t *testing.T, entry string) {
		ev, err := decodeEvent(entry, pipeline.Key{Repo: 1, Issue: 1}, pipeline.Repo{ID: 1})
		if err == nil && !strings.Contains(entry, "\n"+ev.ID+"\n") {
			t.Errorf("the entry's id became %q", ev.ID)
		}
		if errors.Is(err, pipeline.ErrNotFound) {
			t.Error("a broken entry is not a missing one")
		}
	})
}
