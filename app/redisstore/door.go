package redisstore

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"parley/pipeline"
)

// door is where idle workers of one lane wait. A porter per node listens for
// bells while somebody waits; a bell nobody takes is rung again for other
// processes.
type door struct {
	bells chan partition

	mu     sync.Mutex
	cond   *sync.Cond
	idle   int
	closed bool
	// again are partitions worth another look without a bell: a claim left
	// something behind. Starved are those where only installations waited
	// that had their share; a released lease makes them worth a look.
	starved, again map[partition]bool
}

func newDoor() *door {
	d := &door{bells: make(chan partition), starved: map[partition]bool{}, again: map[partition]bool{}}
	d.cond = sync.NewCond(&d.mu)
	return d
}

// wait calls try for every partition that rings until it answers ok or fails.
func (d *door) wait(ctx context.Context, try func(partition) (string, error)) error {
	d.mu.Lock()
	d.idle++
	d.mu.Unlock()
	d.cond.Broadcast()
	defer func() {
		d.mu.Lock()
		d.idle--
		d.mu.Unlock()
	}()
	for {
		p, ok := d.local()
		if !ok {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case p = <-d.bells:
			}
		}
		answer, err := try(p)
		switch {
		case err != nil:
			return err
		case answer == "ok":
			return nil
		case answer == "capped":
			d.mu.Lock()
			d.starved[p] = true
			d.mu.Unlock()
		}
	}
}

func (d *door) local() (partition, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for p := range d.again {
		delete(d.again, p)
		return p, true
	}
	return 0, false
}

// more makes a partition worth another look.
func (d *door) more(p partition) {
	d.mu.Lock()
	d.again[p] = true
	d.mu.Unlock()
}

// released makes one starved partition worth another look: one place was
// freed. Looking at all of them at each release would keep Redis busy with
// nothing while a flood lasts; what this misses, the next tick rings for.
func (d *door) released() {
	d.mu.Lock()
	for p := range d.starved {
		delete(d.starved, p)
		d.again[p] = true
		break
	}
	d.mu.Unlock()
	d.cond.Broadcast()
}

func (d *door) close() {
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	d.cond.Broadcast()
}

// somebody waits until a worker is idle; false when the door is closed. It
// also returns a partition that is worth another look, or -1.
func (d *door) somebody() (partition, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for d.idle == 0 && !d.closed {
		d.cond.Wait()
	}
	for p := range d.again {
		delete(d.again, p)
		return p, !d.closed
	}
	return -1, !d.closed
}

// listen starts the porters: one per lane, or one per lane and partition on a
// Cluster, where one blocking call cannot name keys of several slots.
func (s *Store) listen() {
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.doors = map[string]*door{}
	groups := [][]partition{nil}
	for p := range partition(s.meta.Partitions) {
		groups[0] = append(groups[0], p)
	}
	if _, cluster := s.db.(*redis.ClusterClient); cluster {
		whole := groups[0]
		groups = nil
		for _, p := range whole {
			groups = append(groups, []partition{p})
		}
	}
	for _, lane := range []string{laneTurn, string(pipeline.LaneQuick), string(pipeline.LaneSlow)} {
		d := newDoor()
		s.doors[lane] = d
		for _, g := range groups {
			s.loops.Go(func() { s.porter(ctx, d, lane, g) })
		}
	}
}

// porter hands bells to idle workers until the store is closed.
func (s *Store) porter(ctx context.Context, d *door, lane string, group []partition) {
	keys := make([]string, len(group))
	of := map[string]partition{}
	for i, p := range group {
		keys[i] = p.key("bell:" + lane)
		of[keys[i]] = p
	}
	for {
		p, open := d.somebody()
		if !open {
			return
		}
		if p < 0 {
			// Redis serves the first key that has a bell: a random order is fair to all.
			rand.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
			out, err := s.db.BLPop(ctx, time.Second, keys...).Result()
			if errors.Is(err, redis.Nil) {
				continue
			}
			if err != nil {
				patience(ctx)
				continue
			}
			p = of[out[0]]
		}
		if !d.offer(ctx, p) {
			s.db.RPush(context.WithoutCancel(ctx), p.key("bell:"+lane), "1")
		}
	}
}

// offer gives the bell to a worker; false when all have become busy.
func (d *door) offer(ctx context.Context, p partition) bool {
	t := time.NewTimer(10 * time.Millisecond)
	defer t.Stop()
	select {
	case d.bells <- p:
		return true
	case <-ctx.Done():
	case <-t.C:
	}
	return false
}

// patience keeps a porter from spinning while Redis is away. The loops' own
// beats and ticks report it.
func patience(ctx context.Context) {
	t := time.NewTimer(200 * time.Millisecond)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
