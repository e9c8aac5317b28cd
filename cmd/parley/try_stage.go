package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"parley/app"
	"parley/app/githubsim"
	"parley/pipeline"
)

// The people and the repository of a try.
const (
	you      = "you"
	repoName = "you/project"
)

// stage is a simulated GitHub with the true App before it, connected by HTTP.
type stage struct {
	cmd   tryCmd
	t     *terminal
	show  *show
	world *githubsim.World
	api   *http.Server
	app   *app.App
	repo  int64
	issue int
	says  []string
	began time.Time
	ended chan error
	stop  context.CancelFunc
	asked *bufio.Reader
	cache string // the archives' place, gone with the try
}

func openStage(ctx context.Context, c tryCmd, t *terminal, show *show, files map[string]string) (*stage, error) {
	s := &stage{cmd: c, t: t, show: show, says: c.Say, began: time.Now(), ended: make(chan error, 1), asked: bufio.NewReader(t.in)}
	// It guards nothing beyond this process, and a longer one takes longer to make.
	key, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	s.world = githubsim.New(githubsim.Config{Recorder: t.watch})
	listen, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("a loopback address: %w", err)
	}
	s.api = &http.Server{Handler: s.world.Handler()}
	go s.api.Serve(listen)
	s.world.AddUser(you)
	repo, err := s.world.AddRepo(repoName, files)
	if err != nil {
		return nil, err
	}
	s.repo = repo.ID
	secret := "try-" + rand.Text()
	hub := s.world.InstallApp(&key.PublicKey, secret, "")
	if _, err := s.world.Install(hub, you); err != nil {
		return nil, err
	}
	if err := s.serve(ctx, "http://"+listen.Addr().String(), hub, key, secret); err != nil {
		_ = os.RemoveAll(s.cache)
		return nil, err
	}
	s.world.SetHook(hub, "http://"+s.app.Public+"/api/github/hook", secret)
	return s, nil
}

// serve starts the App as parley serve would, on a store in memory.
func (s *stage) serve(ctx context.Context, github string, hub *githubsim.App, key *rsa.PrivateKey, secret string) error {
	cfg, err := app.LoadConfig(app.Source{Lookup: func(string) (string, bool) { return "", false }})
	if err != nil {
		return err
	}
	cfg.AppID, cfg.GitHubURL, cfg.Secret, cfg.Bot = hub.ID, github, app.Secret(secret), hub.Slug+"[bot]"
	cfg.Listen, cfg.AdminListen, cfg.Sweep, cfg.LogLevel = "127.0.0.1:0", "", 0, "error"
	if s.cache, err = os.MkdirTemp("", "parley-try-"); err != nil {
		return fmt.Errorf("a place for the repository's archive: %w", err)
	}
	cfg.CacheDir = s.cache
	if b := s.cmd.Models; b != "off" && b != "auto" {
		cfg.Models.Only, cfg.Models.CLIs = b, true
	}
	s.app, err = app.NewInProcess(ctx, cfg, app.Deps{Log: s.t.err, Progress: s.show.progress, Lookup: s.t.env,
		Models: s.cmd.Models != "off", Key: pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})})
	if err != nil {
		return err
	}
	run, stop := context.WithCancel(ctx)
	s.stop = stop
	go func() { s.ended <- s.app.Run(run) }()
	select {
	case <-s.app.Listening:
		return nil
	case err := <-s.ended:
		return err
	}
}

func (s *stage) close() {
	s.stop()
	<-s.ended
	s.world.Stop()
	s.api.Close()
	_ = os.RemoveAll(s.cache) // what is left of it is the system's to clean
}

// start opens the issue and asks for a session, as a person would.
func (s *stage) start(ctx context.Context, title, body string) error {
	var err error
	if s.issue, err = s.world.OpenIssue(you, repoName, title, body); err != nil {
		return s.cmd.refuse(s.t, fmt.Errorf("the issue: GitHub takes none like it: %w", err))
	}
	if s.cmd.Spec == "" && s.cmd.Track == "standard" {
		label := "lifecycle"
		if s.cmd.Mode != "" {
			label += ":" + s.cmd.Mode
		}
		err = s.world.Label(you, s.at(), label)
	} else {
		words := []string{"/lifecycle start", s.cmd.Mode}
		if s.cmd.Track != "standard" {
			words = append(words, "--track", s.cmd.Track)
		}
		if s.cmd.Spec != "" {
			words = append(words, "--spec", specPath(s.cmd.Spec))
		}
		_, err = s.world.Comment(you, s.at(), strings.Join(words, " "))
	}
	if err != nil {
		return err
	}
	return s.rest(ctx)
}

func (s *stage) at() githubsim.Where { return githubsim.At(repoName, s.issue) }

// rest waits until nothing moves any more, here and on GitHub. An active
// session whose job failed moves again by itself a little later.
func (s *stage) rest(ctx context.Context) error {
	calm := 0
	for calm < 2 { // an event may be on its way between the two looks
		settled, err := s.app.Settled(ctx)
		if err != nil {
			return err
		}
		state, err := s.state(ctx)
		if err != nil {
			return err
		}
		calm++
		if !settled || !s.world.Idle() || state.Status == pipeline.SessionActive {
			calm = 0
		}
		select {
		case <-ctx.Done():
			return errors.New("stopped")
		case err := <-s.ended:
			s.ended <- err
			return fmt.Errorf("the server ended: %w", err)
		case <-s.show.moved:
		case <-time.After(2 * time.Millisecond):
		}
	}
	return nil
}

// play answers pauses until there is nothing left to say.
func (s *stage) play(ctx context.Context) error {
	for {
		state, err := s.state(ctx)
		if err != nil || state.ID == "" || state.Status == pipeline.SessionAborted {
			return err
		}
		said, more, err := s.answer(state)
		if err != nil || !more {
			return err
		}
		if said == "" {
			err = s.app.Deadline(ctx, state)
		} else {
			s.show.said(said)
			_, err = s.world.Comment(you, s.where(state), said)
		}
		if err == nil {
			err = s.rest(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// answer is what is said now: the next --say, a line of the terminal, or
// nothing, which lets the deadline of open questions come.
func (s *stage) answer(state pipeline.Session) (said string, more bool, err error) {
	if len(s.says) > 0 {
		said, s.says = s.says[0], s.says[1:]
		return said, true, nil
	}
	if state.Status != pipeline.SessionPaused {
		return "", false, nil
	}
	if s.t.interactive() && s.cmd.Format == "text" {
		s.show.pause(state)
		line, err := s.asked.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return "", false, nil
		}
		line = strings.TrimSpace(line)
		return line, line != "", err
	}
	return "", state.Wait != nil && state.Wait.Reason == pipeline.WaitQuestions, nil
}

func (s *stage) state(ctx context.Context) (pipeline.Session, error) {
	return s.app.Session(ctx, s.repo, s.issue)
}

func (s *stage) where(state pipeline.Session) githubsim.Where {
	if state.PR.Number > 0 {
		return githubsim.At(repoName, state.PR.Number)
	}
	return s.at()
}
