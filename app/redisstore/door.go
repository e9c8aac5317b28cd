package redisstore

import (
	"context"
	"slices"
	"sync"
	"time"

	"parley/pipeline"
)

// door is where idle workers of one lane wait. Inside a process work is handed
// from worker to worker: a claim that leaves something behind wakes the next
// one, a lease that ends wakes one for whom its installation had no share
// left. Between processes bells in Redis do the same; see porter.
type door struct {
	bells chan partition // heard by a porter, not yet taken

	mu      sync.Mutex
	cond    *sync.Cond       // a worker came, or the door closed
	waiting []chan partition // one for each idle worker, longest first
	visits  int              // how often a worker came
	closed  bool
	// queue are partitions worth a look, in turn. starved are those where only
	// installations waited that had their share.
	queue, starved []partition
	told           map[partition]time.Time // when other processes last heard of more
}

func newDoor() *door {
	d := &door{bells: make(chan partition), told: map[partition]time.Time{}}
	d.cond = sync.NewCond(&d.mu)
	return d
}

// wait calls try for partitions worth a look until it answers ok or fails.
func (d *door) wait(ctx context.Context, try func(partition) (string, error)) error {
	for {
		p, err := d.next(ctx)
		if err != nil {
			return err
		}
		answer, err := try(p)
		switch {
		case err != nil:
			return err
		case answer == "ok":
			return nil
		case answer == "capped":
			d.starve(p)
		default:
			d.released()
		}
	}
}

// next is a bell that was heard, or else a partition from the queue: a busy
// process would otherwise never listen to those that are not in its queue.
func (d *door) next(ctx context.Context) (partition, error) {
	ch := make(chan partition, 1)
	d.mu.Lock()
	d.visits++
	d.cond.Broadcast()
	select {
	case p := <-d.bells:
		d.mu.Unlock()
		return p, nil
	default:
	}
	if len(d.queue) > 0 {
		p := d.queue[0]
		d.queue = d.queue[1:]
		d.mu.Unlock()
		return p, nil
	}
	d.waiting = append(d.waiting, ch)
	d.mu.Unlock()
	select {
	case p := <-ch:
		return p, nil
	case p := <-d.bells:
		d.leave(ch)
		return p, nil
	case <-ctx.Done():
		d.leave(ch)
		return 0, ctx.Err()
	}
}

// leave takes a worker off the list; what it was just handed goes to another.
func (d *door) leave(ch chan partition) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if i := slices.Index(d.waiting, ch); i >= 0 {
		d.waiting = slices.Delete(d.waiting, i, i+1)
		return
	}
	d.hand(<-ch)
}

// hand gives a partition to an idle worker, or to the next one that comes.
// The caller holds the lock.
func (d *door) hand(p partition) {
	if len(d.waiting) > 0 {
		d.waiting[0] <- p
		d.waiting = d.waiting[1:]
		return
	}
	if !slices.Contains(d.queue, p) {
		d.queue = append(d.queue, p)
	}
}

// more makes a partition worth another look.
func (d *door) more(p partition) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hand(p)
}

// starve remembers a partition until an installation's lease ends here.
func (d *door) starve(p partition) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !slices.Contains(d.starved, p) {
		d.starved = append(d.starved, p)
	}
}

// released makes one starved partition worth another look: one place was
// freed. Looking at all of them at each release would keep Redis busy with
// nothing while a flood lasts.
func (d *door) released() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.starved) > 0 {
		p := d.starved[0]
		d.starved = d.starved[1:]
		d.hand(p)
	}
}

// tellEvery is how often a process tells the others that a partition has more
// than it takes itself. Its own workers it wakes at once.
const tellEvery = 200 * time.Millisecond

// tell says whether a claim is to ring for other processes when it leaves
// something behind.
func (d *door) tell(p partition) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if now := time.Now(); now.Sub(d.told[p]) > tellEvery {
		d.told[p] = now
		return true
	}
	return false
}

func (d *door) close() {
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	d.cond.Broadcast()
}

// somebody waits until a worker is idle, or has come since the caller last
// asked: then others will come soon. False when the door is closed.
func (d *door) somebody(seen int) (visits int, open bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.waiting) == 0 && d.visits == seen && !d.closed {
		d.cond.Wait()
	}
	return d.visits, !d.closed
}

// offer gives a bell to a worker; false when all stay busy.
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

var lanes = []string{laneTurn, string(pipeline.LaneQuick), string(pipeline.LaneSlow)}
