package llm

import (
	"context"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGateTakesTurnsBetweenInstallations(t *testing.T) {
	g := newGate(1)
	leave, err := g.enter(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	var order []int64
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i, inst := range []int64{1, 1, 1, 2} {
		wg.Go(func() {
			out, err := g.enter(context.Background(), inst)
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			order = append(order, inst)
			mu.Unlock()
			out()
		})
		for queued := 0; queued <= i; { // a spin, since there is nothing to wait on // until this waiter stands in line
			g.mu.Lock()
			queued = len(g.queues[1]) + len(g.queues[2])
			g.mu.Unlock()
		}
	}
	leave()
	wg.Wait()
	if d := cmp.Diff([]int64{1, 2, 1, 1}, order); d != "" {
		t.Error(d)
	}
}

func TestGateGivenUpPlaceIsNotLost(t *testing.T) {
	g := newGate(1)
	leave, _ := g.enter(context.Background(), 1)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := g.enter(ctx, 2); err == nil {
		t.Fatal("entered a full gate")
	}
	leave()
	if _, err := g.enter(context.Background(), 3); err != nil {
		t.Fatal(err)
	}
}
