package redisstore

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/pipeline"
)

// settle waits until everything is handled and checks the books.
func (s *schedule) settle() {
	deadline := time.After(s.patience)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	var left []string
	for {
		if left = s.unfinished(); len(left) == 0 {
			break
		}
		select {
		case <-deadline:
			s.mu.Lock()
			s.errs = append(s.errs, left...)
			s.mu.Unlock()
			return
		case <-tick.C:
		}
	}
	s.audit()
}

// unfinished names what is still to happen. A good event that met three
// accidents is in the dead letters: the operator sends it back.
func (s *schedule) unfinished() (left []string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	letters, err := s.store.Dead(ctx)
	if err != nil {
		return []string{err.Error()}
	}
	dead := map[string]bool{}
	for _, l := range letters {
		if strings.Contains(l.Body, `"poison"`) {
			dead["poison"] = true
		} else if err := s.store.Retry(ctx, l.ID); err != nil {
			left = append(left, err.Error())
		}
	}
	for issue := 1; issue <= crashSessions; issue++ {
		state, err := s.store.Session(ctx, pipeline.Key{Repo: int64(100 + issue), Issue: issue})
		if err != nil {
			left = append(left, err.Error())
			continue
		}
		for n := 1; n <= crashEvents; n++ {
			if s.poisoned(issue, n) {
				if !dead["poison"] {
					left = append(left, "the poison is not dead")
				}
				continue
			}
			left = append(left, s.missing(state, issue, n)...)
		}
	}
	if stats, err := s.store.Stats(ctx); err != nil || stats.Due+stats.Running+stats.Outbox+stats.Timers > 0 {
		left = append(left, fmt.Sprintf("not quiet: %+v %v", stats, err))
	}
	return left
}

// missing names what one event should have left behind and has not.
func (s *schedule) missing(state pipeline.Session, issue, n int) (left []string) {
	id, task := crashID(issue, n), pipeline.TaskID(fmt.Sprint("T", n))
	if !slices.Contains(state.WisdomEntries, id) {
		left = append(left, id+" is not handled")
	}
	s.mu.Lock()
	if _, ok := s.made[fmt.Sprintf("%d/%s#0", issue, id)]; !ok {
		left = append(left, id+" has no comment")
	}
	s.mu.Unlock()
	if n%3 == 0 && !slices.Contains(state.CompletedTasks, task) {
		left = append(left, fmt.Sprintf("session %d: %s is not done", issue, task))
	}
	if timer := fmt.Sprint("t", n); n%4 == 0 && !slices.Contains(state.CheckpointsHit, timer) {
		left = append(left, fmt.Sprintf("session %d: timer %s did not fire", issue, timer))
	}
	return left
}

// audit checks the books once all is quiet.
func (s *schedule) audit() {
	ctx := context.Background()
	faults, err := s.store.Check(ctx, false)
	if err != nil || len(faults) > 0 {
		s.fault("check: %v %v", faults, err)
	}
	for p := range partition(s.store.Meta().Partitions) {
		if n, _ := s.store.db.HGet(ctx, p.key("cnt"), "foreign").Int(); n > 0 {
			s.fault("%d commits by somebody who had lost the lease", n)
		}
	}
	for issue := 1; issue <= crashSessions; issue++ {
		state, err := s.store.Session(ctx, pipeline.Key{Repo: int64(100 + issue), Issue: issue})
		if err != nil {
			s.fault("session %d: %v", issue, err)
			continue
		}
		for what, list := range map[string][]string{"event": state.WisdomEntries, "timer": state.CheckpointsHit} {
			if twice := repeated(list); twice != "" {
				s.fault("session %d: %s %s handled twice", issue, what, twice)
			}
		}
		if !slices.IsSortedFunc(state.WisdomEntries, inOrder) && s.undisturbed() {
			s.fault("session %d: out of order: %v", issue, state.WisdomEntries)
		}
		s.commits(issue, state)
	}
}

// undisturbed says that no good event went to the dead letters and back.
func (s *schedule) undisturbed() bool {
	for p := range partition(s.store.Meta().Partitions) {
		n, _ := s.store.db.HGet(context.Background(), p.key("cnt"), "dead").Int()
		if n > 0 {
			return false
		}
	}
	return true
}

// commits checks that each task's result was committed once, and that it is
// the one the session knows.
func (s *schedule) commits(issue int, state pipeline.Session) {
	want := 0
	for n := 3; n <= crashEvents; n += 3 {
		if !s.poisoned(issue, n) {
			want++
		}
	}
	if len(state.CompletedTasks) != want {
		s.fault("session %d: completed %v", issue, state.CompletedTasks)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	found := map[string]int{}
	for _, one := range s.made {
		for path, text := range one.Texts {
			if state.Manifest.Files[path] == pipeline.BlobID([]byte(text)) {
				found[path]++
			}
		}
	}
	for path := range state.Manifest.Files {
		if found[path] != 1 {
			s.errs = append(s.errs, fmt.Sprintf("session %d: what the session knows of %s was committed %d times", issue, path, found[path]))
		}
	}
}

func inOrder(a, b string) int {
	num := func(id string) int { n, _ := strconv.Atoi(id[strings.LastIndex(id, "-")+1:]); return n }
	return num(a) - num(b)
}

func repeated(list []string) string {
	seen := map[string]bool{}
	for _, one := range list {
		if seen[one] {
			return one
		}
		seen[one] = true
	}
	return ""
}
