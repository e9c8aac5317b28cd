package githubsim

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"sync"
	"time"
)

// Config sets up a World. The zero value works.
type Config struct {
	// Now is GitHub's clock; default time.Now.
	Now func() time.Time
	// APIURL and WebURL are the hosts that addresses in answers and payloads
	// name; default those of github.com. Nothing listens there: requests are
	// served at whatever address Handler is mounted on.
	APIURL string
	WebURL string
	// RateLimit is what an installation may ask for in an hour, per bucket; default 5,000.
	RateLimit int
	// Recorder, when set, sees every exchange on the API.
	Recorder Recorder
}

// World is one GitHub: accounts, repositories, apps and what happened to them.
// It is safe for concurrent use; everything below mu is guarded by it.
type World struct {
	cfg Config

	mu        sync.Mutex
	changed   chan struct{} // closed and replaced on every change
	sequence  int64
	nodes     map[string]any
	accounts  map[string]*Account // by lower-case login
	repos     []*Repo
	moved     map[string]*Repo // former full names, lower case
	apps      []*App
	installed []*Installation
	tokens    map[string]*token
	manifests map[string]Manifest // by the code that turns each into an app
	downloads map[string]bool     // keys of archive addresses
	limits    map[limitKey]*limit
	faults    []*Fault
	requests  []Request
	marks     []any // comments and reviews in the order they appeared

	hooks *hookQueue
}

// New makes an empty world. Stop it when it is done with.
func New(cfg Config) *World {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.APIURL == "" {
		cfg.APIURL = "https://api.github.com"
	}
	if cfg.WebURL == "" {
		cfg.WebURL = "https://github.com"
	}
	if cfg.RateLimit == 0 {
		cfg.RateLimit = 5000
	}
	w := &World{
		cfg: cfg, changed: make(chan struct{}), sequence: 1000,
		nodes: map[string]any{}, accounts: map[string]*Account{}, moved: map[string]*Repo{},
		tokens: map[string]*token{}, manifests: map[string]Manifest{}, downloads: map[string]bool{}, limits: map[limitKey]*limit{},
	}
	w.hooks = newHookQueue(w)
	return w
}

// Stop ends the deliveries and waits for the one under way.
func (w *World) Stop() { w.hooks.close() }

// Await returns as soon as cond holds. It is asked once at first and again
// after every change of the world, and must not change the world itself.
func (w *World) Await(ctx context.Context, cond func() bool) error {
	for {
		w.mu.Lock()
		changed := w.changed
		w.mu.Unlock()
		if cond() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// touch wakes those who wait for a change. Call it with mu held.
func (w *World) touch() {
	close(w.changed)
	w.changed = make(chan struct{})
}

func (w *World) now() time.Time { return w.cfg.Now().UTC().Truncate(time.Second) }

func (w *World) nextID() int64 {
	w.sequence++
	return w.sequence
}

// register gives an object its global node id and makes it findable by it.
func (w *World) register(prefix string, id int64, object any) string {
	node := nodeID(prefix, id)
	w.nodes[node] = object
	return node
}

func nodeID(prefix string, id int64) string {
	var raw [8]byte
	binary.BigEndian.PutUint64(raw[:], uint64(id))
	return prefix + "_kw" + base64.RawURLEncoding.EncodeToString(raw[:])
}
