package llm

import (
	"context"
	"sync"
)

// gate bounds the calls to one backend and lets installations take turns: who
// has waited longest in the installation whose turn it is goes next.
type gate struct {
	mu     sync.Mutex
	free   int
	order  []int64 // installations with someone waiting, next first
	queues map[int64][]chan struct{}
}

func newGate(places int) *gate { return &gate{free: places, queues: map[int64][]chan struct{}{}} }

// enter waits for a place and returns how to leave it.
func (g *gate) enter(ctx context.Context, installation int64) (func(), error) {
	g.mu.Lock()
	if g.free > 0 {
		g.free--
		g.mu.Unlock()
		return g.leave, nil
	}
	turn := make(chan struct{})
	if len(g.queues[installation]) == 0 {
		g.order = append(g.order, installation)
	}
	g.queues[installation] = append(g.queues[installation], turn)
	g.mu.Unlock()
	select {
	case <-turn:
		return g.leave, nil
	case <-ctx.Done():
		g.giveUp(installation, turn)
		return nil, ctx.Err()
	}
}

// giveUp takes a waiter out; a place that was handed over meanwhile is passed on.
func (g *gate) giveUp(installation int64, turn chan struct{}) {
	g.mu.Lock()
	queue := g.queues[installation]
	for i, w := range queue {
		if w == turn {
			g.queues[installation] = append(queue[:i:i], queue[i+1:]...)
			g.mu.Unlock()
			return
		}
	}
	g.mu.Unlock()
	g.leave()
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for len(g.order) > 0 {
		next := g.order[0]
		g.order = g.order[1:]
		queue := g.queues[next]
		if len(queue) == 0 {
			delete(g.queues, next)
			continue
		}
		g.queues[next] = queue[1:]
		if len(queue) > 1 {
			g.order = append(g.order, next)
		}
		close(queue[0])
		return
	}
	g.free++
}
