package redisstore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"parley/pipeline"
)

// Config says where Redis is and how careful to be. Zero values take the
// defaults named beside them.
type Config struct {
	// Client options; Options reads them from an address.
	Redis *redis.UniversalOptions
	// Unsafe starts although Redis may lose or evict data; Faults still names why.
	Unsafe bool

	Partitions int           // of a new Redis: 16; an old one keeps its own
	Lease      time.Duration // 15 s
	Remember   time.Duration // ids of deliveries: 8 days
	KeepBlobs  time.Duration // 24 h
	Waiting    int           // events of one session: 1000
	// Share is how much of this process one installation may hold at a time.
	Share Share
	// Lost is called when Redis turned out to be an empty one, also at the
	// first start: sessions are then rebuilt from their branches.
	Lost func()

	// breakScript lets a test take a check out of a script.
	breakScript func(name, source string) string
	version     int           // newest record version; recordVersion
	grace       time.Duration // contact before leases are taken back; Lease
}

// Share bounds what one installation holds of each lane; 0 is no bound.
type Share struct{ Turns, Quick, Slow int }

// Meta describes the whole keyspace.
type Meta struct {
	ID         string
	Schema     int
	Partitions int
}

// Store implements pipeline.Store and pipeline.Desk on Redis. Any number of
// processes may share one Redis.
type Store struct {
	cfg      Config
	db       redis.UniversalClient
	script   scripts
	meta     atomic.Pointer[Meta]
	replicas atomic.Int32 // acknowledgements to wait for

	doors  map[string]*door
	shares shares
	tick   ticker
	loops  sync.WaitGroup
	stop   context.CancelFunc
	quit   func() // ends the in-process server
}

var (
	_ pipeline.Store = (*Store)(nil)
	_ pipeline.Desk  = (*Store)(nil)
)

// Open connects, refuses a Redis that may lose data, and starts listening for
// work. Close ends it.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	if cfg.Redis == nil {
		return nil, errors.New("redis_url: no address; set PARLEY_REDIS_URL or use --data DIR")
	}
	cfg.fill()
	s := &Store{cfg: cfg, db: redis.NewUniversalClient(cfg.Redis), script: loadScripts(cfg.breakScript), quit: func() {}}
	if err := s.open(ctx); err != nil {
		s.db.Close()
		return nil, err
	}
	return s, nil
}

func (c *Config) fill() {
	setDefault(&c.Partitions, 16)
	setDefault(&c.Lease, 15*time.Second)
	setDefault(&c.Remember, 8*24*time.Hour)
	setDefault(&c.KeepBlobs, 24*time.Hour)
	setDefault(&c.Waiting, 1000)
	setDefault(&c.version, recordVersion)
	setDefault(&c.grace, c.Lease)
	if c.Lost == nil {
		c.Lost = func() {}
	}
}

func setDefault[T comparable](v *T, to T) {
	var zero T
	if *v == zero {
		*v = to
	}
}

func (s *Store) open(ctx context.Context) error {
	faults, err := s.Faults(ctx)
	if err != nil {
		return err
	}
	for _, f := range faults {
		if f.Fatal && !s.cfg.Unsafe {
			return f
		}
	}
	created, err := s.readMeta(ctx)
	if err != nil {
		return err
	}
	s.begin(created)
	return nil
}

func (s *Store) begin(created bool) {
	s.shares.held = map[string]held{}
	s.tick.broken()
	s.listen()
	if created {
		s.cfg.Lost()
	}
}

// readMeta reads q:meta, or makes it: then this Redis is new to us.
func (s *Store) readMeta(ctx context.Context) (created bool, err error) {
	id := nonce()
	if created, err = s.db.HSetNX(ctx, metaKey, "id", id).Result(); err != nil {
		return false, fmt.Errorf("read %s: %w", metaKey, err)
	}
	if created {
		if err := s.db.HSet(ctx, metaKey, "schema", 1, "partitions", s.cfg.Partitions, "created", time.Now().UTC().Format(time.RFC3339)).Err(); err != nil {
			return false, fmt.Errorf("write %s: %w", metaKey, err)
		}
	}
	return created, s.adoptMeta(ctx)
}

func (s *Store) adoptMeta(ctx context.Context) error {
	for try := 0; ; try++ {
		m, err := s.db.HGetAll(ctx, metaKey).Result()
		if err != nil {
			return fmt.Errorf("read %s: %w", metaKey, err)
		}
		schema, _ := strconv.Atoi(m["schema"])
		partitions, _ := strconv.Atoi(m["partitions"])
		if partitions > 0 && schema == 1 {
			s.meta.Store(&Meta{ID: m["id"], Schema: schema, Partitions: partitions})
			return nil
		}
		if schema > 1 {
			return fmt.Errorf("this Redis is kept by a newer parley (schema %d): upgrade this one", schema)
		}
		if try == 20 { // whoever made it died before the second write
			s.db.HSet(ctx, metaKey, "schema", 1, "partitions", s.cfg.Partitions)
		} else if try > 20 {
			return fmt.Errorf("%s has no partitions", metaKey)
		}
	}
}

// Meta is what the keyspace is.
func (s *Store) Meta() Meta { return *s.meta.Load() }

// Close stops listening and closes the connections.
func (s *Store) Close() error {
	s.stop()
	for _, d := range s.doors {
		d.close()
	}
	err := s.db.Close()
	s.loops.Wait()
	s.quit()
	return err
}

// Ready proves that Redis takes writes.
func (s *Store) Ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if err := s.db.Set(ctx, "q:ready", "1", time.Minute).Err(); err != nil {
		return fmt.Errorf("redis refuses writes: %w", err)
	}
	return nil
}

func nonce() string { return strconv.FormatUint(rand.Uint64(), 36) }
