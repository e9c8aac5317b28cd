package githubsim

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Delivery is one webhook delivery, sent or waiting, as the log keeps it.
type Delivery struct {
	ID           int64
	GUID         string
	Event        string
	Action       string
	Installation int64
	Repository   int64
	Redelivery   bool
	DeliveredAt  time.Time
	Took         time.Duration
	Status       string // OK, or what went wrong
	StatusCode   int
	Payload      []byte
	Response     []byte

	app *App
}

// HookFault spoils matching deliveries. An empty Event or Action matches any.
type HookFault struct {
	Event    string
	Action   string
	Times    int // how many deliveries; 0 means one
	Copies   int // send it that many times more, with the same GUID
	Drop     bool
	Truncate int    // send only that many bytes, signed as the whole
	Unsigned bool   // leave the signatures out
	Secret   string // sign with this secret instead
}

// hookQueue sends deliveries in order, from one goroutine. Its fields are
// guarded by the world's mutex.
type hookQueue struct {
	world   *World
	client  *http.Client
	waiting []*Delivery
	held    []*Delivery
	holding bool
	sending bool
	running bool
	closed  bool
	log     []*Delivery
	faults  []*HookFault

	stop context.CancelFunc
	ctx  context.Context
	done chan struct{}
}

// hookTimeout is how long GitHub waits for a receiver.
const hookTimeout = 10 * time.Second

func newHookQueue(w *World) *hookQueue {
	ctx, stop := context.WithCancel(context.Background())
	return &hookQueue{world: w, client: &http.Client{Transport: &http.Transport{}}, ctx: ctx, stop: stop}
}

// enqueue adds a delivery; call it with the world's mutex held.
func (q *hookQueue) enqueue(d *Delivery) {
	if q.closed {
		return
	}
	if q.holding {
		q.held = append(q.held, d)
		return
	}
	q.waiting = append(q.waiting, d)
	if !q.running {
		q.running = true
		q.done = make(chan struct{})
		go q.run(q.done)
	}
}

// run sends until nothing is waiting.
func (q *hookQueue) run(done chan struct{}) {
	defer close(done)
	for {
		q.world.mu.Lock()
		if len(q.waiting) == 0 || q.closed {
			q.running, q.sending = false, false
			q.world.touch()
			q.world.mu.Unlock()
			return
		}
		d := q.waiting[0]
		q.waiting = q.waiting[1:]
		q.sending = true
		url, secret := d.app.HookURL, d.app.secret
		fault := q.fault(d)
		q.world.mu.Unlock()

		q.attempt(d, url, secret, fault)
	}
}

func (q *hookQueue) fault(d *Delivery) *HookFault {
	for i, f := range q.faults {
		if (f.Event != "" && f.Event != d.Event) || (f.Action != "" && f.Action != d.Action) {
			continue
		}
		f.Times--
		if f.Times <= 0 {
			q.faults = slices.Delete(q.faults, i, i+1)
		}
		return f
	}
	return &HookFault{}
}

// attempt sends one delivery, with its copies, and writes it to the log.
func (q *hookQueue) attempt(d *Delivery, url, secret string, fault *HookFault) {
	started := time.Now()
	code, answer, status := 0, []byte(nil), "dropped"
	for range fault.Copies + 1 {
		if fault.Drop || url == "" {
			break
		}
		code, answer, status = q.send(d, url, secret, fault)
	}
	q.world.mu.Lock()
	defer q.world.mu.Unlock()
	d.DeliveredAt, d.Took = q.world.now(), time.Since(started)
	d.StatusCode, d.Response, d.Status = code, answer, status
	q.log = append(q.log, d)
	q.world.touch()
}

func (q *hookQueue) send(d *Delivery, url, secret string, fault *HookFault) (int, []byte, string) {
	ctx, cancel := context.WithTimeout(q.ctx, hookTimeout)
	defer cancel()
	body := d.Payload
	if fault.Truncate > 0 {
		body = body[:min(fault.Truncate, len(body))]
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 502, nil, "Invalid URL"
	}
	if strings.HasSuffix(req.URL.Hostname(), ".invalid") { // which no resolver knows (RFC 2606)
		return 502, nil, "failed to connect to host"
	}
	if fault.Secret != "" {
		secret = fault.Secret
	}
	if fault.Unsigned {
		secret = ""
	}
	d.sign(req.Header, secret)
	resp, err := q.client.Do(req)
	if err != nil {
		return 502, nil, "failed to connect to host"
	}
	defer resp.Body.Close()
	answer, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	status := "OK"
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		status = fmt.Sprintf("Invalid HTTP Response: %d", resp.StatusCode)
	}
	return resp.StatusCode, answer, status
}

// sign sets the headers of a delivery, signatures over the whole payload included.
func (d *Delivery) sign(h http.Header, secret string) {
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "*/*")
	h.Set("User-Agent", "GitHub-Hookshot/9f1c5e2")
	h.Set("X-GitHub-Event", d.Event)
	h.Set("X-GitHub-Delivery", d.GUID)
	h.Set("X-GitHub-Hook-ID", strconv.FormatInt(d.app.hookID, 10))
	h.Set("X-GitHub-Hook-Installation-Target-Type", "integration")
	h.Set("X-GitHub-Hook-Installation-Target-ID", strconv.FormatInt(d.app.ID, 10))
	if secret == "" {
		return
	}
	digest := func(algorithm func() hash.Hash) string {
		m := hmac.New(algorithm, []byte(secret))
		m.Write(d.Payload)
		return hex.EncodeToString(m.Sum(nil))
	}
	h.Set("X-Hub-Signature", "sha1="+digest(sha1.New))
	h.Set("X-Hub-Signature-256", "sha256="+digest(sha256.New))
}

func (q *hookQueue) close() {
	q.world.mu.Lock()
	q.closed = true
	done := q.done
	q.world.mu.Unlock()
	q.stop()
	if done != nil {
		<-done
	}
	q.client.CloseIdleConnections()
}

// FaultHook spoils the next deliveries that match.
func (w *World) FaultHook(f HookFault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hooks.faults = append(w.hooks.faults, &f)
}

// HoldHooks keeps deliveries back until ReleaseHooks.
func (w *World) HoldHooks() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hooks.holding = true
}

// ReleaseHooks sends what was held, rearranged as wanted: reversed, doubled,
// thinned out. Nil keeps the order.
func (w *World) ReleaseHooks(arrange func([]*Delivery) []*Delivery) {
	w.mu.Lock()
	defer w.mu.Unlock()
	held := w.hooks.held
	w.hooks.held, w.hooks.holding = nil, false
	if arrange != nil {
		held = arrange(held)
	}
	for _, d := range held {
		again := *d
		w.hooks.enqueue(&again)
	}
}

// Settle waits until every delivery was sent and answered.
func (w *World) Settle(ctx context.Context) error {
	return w.Await(ctx, w.Idle)
}

// Idle says that no delivery is waiting or under way.
func (w *World) Idle() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.hooks.waiting) == 0 && !w.hooks.sending && !w.hooks.running
}

// Deliveries is the log, oldest first.
func (w *World) Deliveries() []Delivery {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := make([]Delivery, 0, len(w.hooks.log))
	for _, d := range w.hooks.log {
		out = append(out, *d)
	}
	return out
}

// Redeliver sends a logged delivery again, under the same GUID.
func (w *World) Redeliver(id int64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.redeliver(id)
}

func (w *World) redeliver(id int64) error {
	d := w.delivery(id)
	if d == nil {
		return refuse(notFound, "Not Found")
	}
	again := *d
	again.ID, again.Redelivery = w.nextID(), true
	w.hooks.enqueue(&again)
	return nil
}

func (w *World) delivery(id int64) *Delivery {
	for _, d := range w.hooks.log {
		if d.ID == id {
			return d
		}
	}
	return nil
}

func newGUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
