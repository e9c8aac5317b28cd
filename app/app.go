package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"parley/app/githubapi"
	"parley/app/redisstore"
	"parley/discuss"
	"parley/pipeline"
	"parley/pipeline/roles"
)

// App is one process: the webhook, the loops and what they need.
type App struct {
	cfg     Config
	log     zerolog.Logger
	redact  *cleanWriter
	store   *redisstore.Store
	github  *githubapi.Client
	engine  *pipeline.Engine
	hook    *hook
	health  *health
	metrics *metrics
	tracing *tracing
	live    atomic.Pointer[live]
	// changing is held while live is replaced.
	changing sync.Mutex
	now      func() time.Time
	others   others
	// again asks for a sweep before its time.
	again chan struct{}
	lost  chan struct{} // Redis turned out to be empty
	// taken are deliveries of GitHub's log that lie in the overlap of two
	// readings; the one loop that reads the log has it for itself.
	taken map[string]bool
	// child is the redis-server of --data.
	child *redisstore.Server
	// Public and Admin are where the listeners really are, once Listening is closed.
	Public, Admin string
	Listening     chan struct{}
}

// Deps are what a caller may bring: parley try and the tests run the true App
// on a store in the process, and watch it.
type Deps struct {
	Log io.Writer
	// Store is used instead of the one Config names.
	Store *redisstore.Store
	// Key is the App's private key in PEM form, instead of the file.
	Key      []byte
	Progress func(pipeline.Progress)
	Lookup   func(string) (string, bool) // environment of the model keys
	Models   bool                        // false: rules only, whatever keys are set
	Now      func() time.Time
	HTTP     http.RoundTripper // to GitHub
	policy   pipeline.Policy   // zero is pipeline.Advance
}

// New wires an App. It reads the key, reaches Redis, and refuses to start on
// anything that would lose or leak.
func New(ctx context.Context, cfg Config, d Deps) (*App, error) {
	if d.Now == nil {
		d.Now = time.Now
	}
	if d.Log == nil {
		d.Log = os.Stderr
	}
	key := d.Key
	if key == nil {
		if err := cfg.CheckServe(); err != nil {
			return nil, err
		}
		raw, err := os.ReadFile(cfg.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("PARLEY_PRIVATE_KEY_FILE: %w", err)
		}
		key = raw
	}
	model, keys, err := newModel(cfg, d)
	if err != nil {
		return nil, err
	}
	a := &App{cfg: cfg, metrics: newMetrics(), now: d.Now, lost: make(chan struct{}, 1), Listening: make(chan struct{}), again: make(chan struct{}, 1)}
	a.log, a.redact = newLogger(d.Log, cfg.LogLevel)
	a.redact.add(slices.Concat(cfg.secrets(), keys, collectorSecrets()))
	if err := a.openStore(ctx, d); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	if a.tracing, err = newTracing(ctx, a.log); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	a.change(func(l *live) { l.take(cfg) })
	if err := a.openGitHub(key, d); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	model.lend(a)
	a.wire(model, d)
	return a, nil
}

func (a *App) openStore(ctx context.Context, d Deps) error {
	if a.store = d.Store; a.store != nil {
		return nil
	}
	address := string(a.cfg.RedisURL)
	if a.cfg.Data != "" {
		var err error
		if a.child, err = redisstore.StartServer(ctx, a.cfg.Data); err != nil {
			return fmt.Errorf("PARLEY_DATA: %w", err)
		}
		address = a.child.Address
	}
	options, err := redisstore.Options(address)
	if err != nil {
		return fmt.Errorf("PARLEY_REDIS_URL: %w", err)
	}
	a.store, err = redisstore.Open(ctx, redisstore.Config{Redis: options, Unsafe: a.cfg.UnsafeRedis, Lost: a.redisLost,
		Share: redisstore.Share{Turns: most(a.cfg.Turns), Quick: most(a.cfg.Turns), Slow: a.cfg.JobsPerOrg}})
	if err != nil {
		return fmt.Errorf("PARLEY_REDIS_URL: %w", err)
	}
	return nil
}

// most is what one installation may hold of n workers: the rest is there when
// another one's event comes.
func most(n int) int { return max(1, n*3/4) }

// exactly says none as the engine does, for which zero is its default.
func exactly(n int) int {
	if n == 0 {
		return -1
	}
	return n
}

func (a *App) openGitHub(key []byte, d Deps) error {
	cache := a.cfg.CacheDir
	if cache == "" {
		root, err := os.UserCacheDir()
		if err != nil {
			root = os.TempDir()
		}
		cache = filepath.Join(root, "parley")
	}
	var err error
	a.github, err = githubapi.New(githubapi.Config{BaseURL: a.cfg.GitHubURL, AppID: a.cfg.AppID, Keys: [][]byte{key},
		HTTP: d.HTTP, Quota: a.store, CacheDir: cache, Writes: a.cfg.Writes, ParseSettings: a.parseSettings, CheckSettings: annotate, Now: d.Now,
		Observe: a.observeGitHub, Log: slogTo(a.log), Redact: a.redact.clean})
	return err
}

// parseSettings counts the mistakes that repositories make.
func (a *App) parseSettings(org, repo []byte) (pipeline.Settings, []string) {
	s, problems := ParseSettings(org, repo)
	a.metrics.configErrors.Add(float64(len(problems)))
	return s, problems
}

func (a *App) wire(model *models, d Deps) {
	a.hook = &hook{log: a.log, quiet: a.log.Level(loudOnly(a.log.GetLevel())), metrics: a.metrics, live: a.live.Load}
	a.health = newHealth(a.store.Ready)
	mind := a.tracing.model(model.port())
	panel := discuss.Config{Model: mind, Now: d.Now}
	a.engine = &pipeline.Engine{
		Store: a.store, GitHub: a.github,
		Worker: roles.New(roles.Config{Model: mind, Now: d.Now}),
		Critic: discuss.New(panel), Discussant: discuss.NewDiscussant(panel),
		Policy: d.policy, Retracted: a.retracted,
		Compare: compareFolders, Now: d.Now,
		Hooks: pipeline.Hooks{Log: a.logLine, Progress: a.progress(d.Progress), Observe: a.observe, Audit: a.audit},
		Turns: exactly(a.cfg.Turns), Quick: exactly(a.cfg.Turns), Slow: exactly(a.cfg.Jobs), Grace: max(0, a.cfg.Grace-shutdownTime),
	}
	a.tracing.watch(a.engine)
}

// shutdownTime is what remains of the grace for answers under way.
const shutdownTime = 2 * time.Second

// Close lets go of an App that was not run. The redis-server of --data goes
// last, when nothing is written any more.
func (a *App) Close() error {
	var err error
	if a.store != nil {
		err = a.store.Close()
	}
	if a.child != nil {
		a.child.Stop()
	}
	return err
}

// Run serves until ctx ends. Then new deliveries are answered 503, turns
// finish, jobs are handed back within the grace time, and nothing is lost.
func (a *App) Run(ctx context.Context) error {
	public, err := net.Listen("tcp", a.cfg.Listen)
	if err != nil {
		return errors.Join(fmt.Errorf("PARLEY_LISTEN: %w; choose a free address", err), a.Close())
	}
	a.Public = public.Addr().String()
	servers := []served{{listener(a.publicRoutes()), public}}
	if a.cfg.AdminListen != "" {
		admin, err := net.Listen("tcp", a.cfg.AdminListen)
		if err != nil {
			return errors.Join(fmt.Errorf("PARLEY_ADMIN_LISTEN: %w; choose a free address", err), public.Close(), a.Close())
		}
		a.Admin = admin.Addr().String()
		servers = append(servers, served{listener(a.adminRoutes()), admin})
	}
	close(a.Listening)
	a.log.Info().Str("listen", a.Public).Str("admin", a.Admin).Msg("serving")
	err = a.loops(ctx, servers)
	a.tracing.stop(ctx)
	a.log.Info().Msg("stopped")
	return errors.Join(err, a.Close())
}

type served struct {
	server *http.Server
	at     net.Listener
}

// loops runs everything under one group: the first that fails ends them all.
func (a *App) loops(ctx context.Context, servers []served) error {
	g, work := errgroup.WithContext(ctx)
	for _, s := range servers {
		g.Go(func() error {
			if err := s.server.Serve(s.at); !errors.Is(err, http.ErrServerClosed) {
				return fmt.Errorf("serve %s: %w", s.at.Addr(), err)
			}
			return nil
		})
	}
	engine := make(chan struct{})
	g.Go(func() error { defer close(engine); return a.engine.Run(work) })
	for _, loop := range a.upkeep() {
		g.Go(func() error { loop(work); return nil })
	}
	g.Go(func() error {
		<-work.Done()
		a.hook.draining.Store(true)
		a.health.set("stopping", "the process is stopping")
		<-engine // deliveries are answered 503 while work is handed back
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
		defer cancel()
		var errs []error
		for _, s := range servers {
			errs = append(errs, s.server.Shutdown(stop))
		}
		return errors.Join(errs...)
	})
	return g.Wait()
}
