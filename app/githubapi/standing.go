package githubapi

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"parley/pipeline"
)

// permissions are the roles GitHub knows. A custom role's standing is the
// coarse permission beside it.
var permissions = map[string]pipeline.Permission{
	"none": pipeline.PermNone, "read": pipeline.PermRead, "triage": pipeline.PermTriage,
	"write": pipeline.PermWrite, "maintain": pipeline.PermMaintain, "admin": pipeline.PermAdmin,
}

// Permission implements pipeline.GitHub. It is always a live read: a stranger
// and an unknown login have none.
func (c *Client) Permission(ctx context.Context, repo pipeline.Repo, login string) (pipeline.Permission, error) {
	var said struct {
		Permission string `json:"permission"`
		RoleName   string `json:"role_name"`
	}
	op := fmt.Sprintf("read the permission of %q in %s/%s", login, repo.Owner, repo.Name)
	if login == "" {
		return pipeline.PermNone, nil
	}
	err := c.restCall(ctx, call{op: op, method: http.MethodGet, read: true, token: writeKey(repo),
		path: repoPath(repo, "collaborators", login, "permission")}, &said)
	if is(err, KindNotFound) {
		return pipeline.PermNone, nil
	}
	if err != nil {
		return pipeline.PermNone, err
	}
	if p, ok := permissions[said.RoleName]; ok {
		return p, nil
	}
	p, ok := permissions[said.Permission]
	if !ok {
		return pipeline.PermNone, &Error{Kind: KindInvalid, Op: op, Message: fmt.Sprintf("unknown permission %q", said.Permission)}
	}
	return p, nil
}

// standing remembers for a few minutes who may write. It decides only whose
// comments count as input; a command is always judged live.
type standing struct {
	now  func() time.Time
	mu   sync.Mutex
	kept map[standingKey]standingNote
}

type standingKey struct {
	repo  int64
	login string
}

type standingNote struct {
	writer bool
	until  time.Time
}

const (
	standingLife = 5 * time.Minute
	maxStanding  = 10000
)

func newStanding(now func() time.Time) *standing {
	return &standing{now: now, kept: map[standingKey]standingNote{}}
}

// writes tells whether login may write; what cannot be read is no.
func (c *Client) writes(ctx context.Context, repo pipeline.Repo, login string) bool {
	s, key := c.standing, standingKey{repo.ID, login}
	s.mu.Lock()
	note, ok := s.kept[key]
	s.mu.Unlock()
	if ok && s.now().Before(note.until) {
		c.spared(repo, "read a permission")
		return note.writer
	}
	p, err := c.Permission(ctx, repo, login)
	if err != nil {
		c.cfg.Log.Warn("permission not read", "login", login, "err", err)
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.kept) >= maxStanding {
		clear(s.kept)
	}
	s.kept[key] = standingNote{p >= pipeline.PermWrite, s.now().Add(standingLife)}
	return p >= pipeline.PermWrite
}
