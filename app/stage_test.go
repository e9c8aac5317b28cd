package app_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/app"
	"parley/app/githubsim"
	"parley/app/githubsim/conform"
	"parley/app/redisstore"
	"parley/pipeline"
)

// The stage of every script: one organisation, one repository, an app on it,
// and people by what they may do.
const (
	repoName = "acme/shop"
	botName  = "parley[bot]"
	gateName = "parley/gate"

	hookSecret = "a-webhook-secret-for-scripts"
)

// cast maps a person to the role they have on the repository.
var cast = map[string]string{"ann": "admin", "moe": "maintain", "wes": "write", "tess": "triage", "rob": "read"}

// testKey is the App's private key; making one takes longer than a script.
var testKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

// exchanges holds every REST exchange of the scripts against GitHub's
// description; nil outside make test-peers.
var exchanges = sync.OnceValues(func() (*conform.Recorder, error) {
	peers := os.Getenv("PARLEY_TEST_PEERS")
	if peers == "" {
		return nil, nil
	}
	return conform.Open(peers)
})

// stage is the true App on a real Redis before a simulated GitHub, all
// connected by sockets.
type stage struct {
	world *githubsim.World
	hub   *githubsim.App
	inst  *githubsim.Installation
	app   *app.App
	log   *app.Canary
	repo  int64
	issue int
	mark  string
	asked int // requests up to the mark
	// What was said on both sides, for the manners that lookBack holds.
	sent     sent
	commands int
	faulty   bool
	before   int // requests at the App's start
	byREST   bool
	ahead    atomic.Int64 // the App's clock, before GitHub's and Redis's
	cache    string       // where the App keeps what it downloads
	ended    chan error
	close    []func()
}

// openStage starts everything. files are the repository's; settings are
// environment variables of the App.
func openStage(files, settings map[string]string) (s *stage, err error) {
	s = &stage{ended: make(chan error, 1), log: &app.Canary{}}
	defer func() {
		if err != nil {
			s.stop()
		}
	}()
	record, err := exchanges()
	if err != nil {
		return s, err
	}
	world := githubsim.Config{}
	if record != nil {
		world.Recorder = record
	}
	s.world = githubsim.New(world)
	s.close = append(s.close, s.world.Stop)
	api := httptest.NewServer(s.sent.watch(s.world.Handler()))
	s.close = append(s.close, api.Close)
	if err := s.populate(files); err != nil {
		return s, err
	}
	s.hub = s.world.InstallApp(&testKey().PublicKey, hookSecret, "")
	if s.inst, err = s.world.Install(s.hub, "acme"); err != nil {
		return s, err
	}
	redis, err := s.redis()
	if err != nil {
		return s, err
	}
	env := map[string]string{
		"PARLEY_APP_ID": fmt.Sprint(s.hub.ID), "PARLEY_GITHUB_URL": api.URL, "PARLEY_WEBHOOK_SECRET": hookSecret, "PARLEY_BOT": botName,
		"PARLEY_LISTEN": "127.0.0.1:0", "PARLEY_ADMIN_LISTEN": "", "PARLEY_SWEEP": "0s", "PARLEY_LOG_LEVEL": "info",
		"PARLEY_REDIS_URL": redis, "PARLEY_GRACE": "5s",
	}
	for k, v := range settings {
		env[k] = v
	}
	s.byREST = env["PARLEY_GITHUB_WRITES"] == "rest"
	if err := s.start(env); err != nil {
		return s, err
	}
	if err := s.lookedRound(); err != nil {
		return s, err
	}
	s.world.SetHook(s.hub, "http://"+s.app.Public+"/api/github/hook", hookSecret)
	return s, nil
}

// lookedRound waits until the App has looked round at its start, as it does
// before an empty Redis: at its installations, their repositories, the pull
// requests there. No session has to answer for these calls.
func (s *stage) lookedRound() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err := s.world.Await(ctx, func() bool {
		calls := 0
		for _, r := range s.world.Requests() {
			if r.Kind != "token" {
				calls++
			}
		}
		return calls >= 3
	})
	s.before = s.world.Counts().Requests
	return err
}

// requests counts the calls since the start.
func (s *stage) requests() int { return s.world.Counts().Requests - s.before }

func (s *stage) populate(files map[string]string) error {
	s.world.AddOrg("acme", "ann")
	repo, err := s.world.AddRepo(repoName, files)
	if err != nil {
		return err
	}
	s.repo = repo.ID
	for who, role := range cast {
		if err := s.world.SetPermission(repoName, who, role); err != nil {
			return err
		}
	}
	return nil
}

// redis starts a server of its own on a private socket.
func (s *stage) redis() (string, error) {
	dir, err := os.MkdirTemp("", "parley")
	if err != nil {
		return "", err
	}
	s.close = append(s.close, func() { os.RemoveAll(dir) })
	server, err := redisstore.StartServer(context.Background(), dir)
	if err != nil {
		return "", err
	}
	s.close = append(s.close, server.Stop)
	return server.Address, nil
}

// start runs the App as parley serve would.
func (s *stage) start(env map[string]string) error {
	dir, err := os.MkdirTemp("", "parley-key")
	if err != nil {
		return err
	}
	s.close = append(s.close, func() { os.RemoveAll(dir) })
	file := filepath.Join(dir, "app.pem")
	raw := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(testKey())})
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		return err
	}
	env["PARLEY_PRIVATE_KEY_FILE"], env["PARLEY_CACHE_DIR"] = file, dir
	s.cache = dir
	cfg, err := app.LoadConfig(app.Source{Lookup: func(name string) (string, bool) { v, ok := env[name]; return v, ok }})
	if err != nil {
		return err
	}
	s.app, err = app.New(context.Background(), cfg, app.Deps{Log: s.log, Now: s.now})
	if err != nil {
		return err
	}
	run, stop := context.WithCancel(context.Background())
	go func() { s.ended <- s.app.Run(run) }()
	s.close = append(s.close, func() { stop(); <-s.ended })
	select {
	case <-s.app.Listening:
		return nil
	case err := <-s.ended:
		s.ended <- err
		return err
	}
}

// now is the App's clock.
func (s *stage) now() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }

func (s *stage) stop() {
	for n := len(s.close) - 1; n >= 0; n-- {
		s.close[n]()
	}
}

// patience is how long a script waits for the App to come to rest. It guards
// against hanging; no script depends on it.
const patience = 90 * time.Second

// rest waits until nothing is on its way, neither here nor on GitHub.
func (s *stage) rest() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for calm := 0; calm < 3; { // an event may be on its way between two looks
		settled, err := s.app.Settled(ctx)
		if err != nil {
			return err
		}
		calm++
		if !settled || !s.world.Idle() {
			calm = 0
		}
		select {
		case <-tick.C:
		case err := <-s.ended:
			s.ended <- err
			return fmt.Errorf("the app ended: %w", err)
		case <-ctx.Done():
			return errors.New("the app does not come to rest")
		}
	}
	return nil
}

func (s *stage) session() (pipeline.Session, error) {
	return s.app.Session(context.Background(), s.repo, s.issue)
}

// pull is the session's pull request: the newest one of the repository's
// that the bot opened.
func (s *stage) pull() (githubsim.PullView, error) {
	pulls := s.world.Pulls(repoName)
	for n := len(pulls) - 1; n >= 0; n-- {
		p, err := s.world.Pull(githubsim.At(repoName, pulls[n]))
		if err == nil && p.Author == botName {
			return p, nil
		}
	}
	return githubsim.PullView{}, errors.New("the bot has opened no pull request")
}

// where reads "issue", "pr" or a number.
func (s *stage) where(name string) (githubsim.Where, error) {
	at := githubsim.At(repoName, s.issue)
	switch name {
	case "issue":
	case "pr":
		p, err := s.pull()
		if err != nil {
			return at, err
		}
		at.Number = p.Number
	default:
		if _, err := fmt.Sscan(strings.TrimPrefix(name, "#"), &at.Number); err != nil {
			return at, fmt.Errorf("%q is neither issue, pr nor a number", name)
		}
	}
	return at, nil
}

// TestMain puts a redis-server on PATH: Debian's redis-check-rdb is one when
// it is called so.
func TestMain(m *testing.M) {
	os.Exit(withRedis(func() int { return githubsim.Alone(m.Run) }))
}
