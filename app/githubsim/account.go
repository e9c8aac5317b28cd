package githubsim

import (
	"fmt"
	"strings"
	"time"
)

// Account is a user, an organisation or a bot.
type Account struct {
	ID     int64
	NodeID string
	Login  string
	Type   string // User, Organization, Bot
	Name   string
	// members of an organisation by lower-case login; true when the
	// membership is public.
	members map[string]bool
}

func (a *Account) bot() bool { return a.Type == "Bot" }

// actorLogin is the login as GraphQL shows it, where a bot has no suffix.
func (a *Account) actorLogin() string {
	if a.bot() {
		return strings.TrimSuffix(a.Login, "[bot]")
	}
	return a.Login
}

func (a *Account) signature(at time.Time) signature {
	name := a.Name
	if name == "" {
		name = a.Login
	}
	return signature{Name: name, Email: fmt.Sprintf("%d+%s@users.noreply.github.com", a.ID, a.Login), At: at}
}

// ghost stands in for an account that was deleted.
const ghost = "ghost"

// AddUser adds a person, or returns the one that exists.
func (w *World) AddUser(login string) *Account {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.account(login, "User")
}

// AddOrg adds an organisation with public members.
func (w *World) AddOrg(login string, members ...string) *Account {
	w.mu.Lock()
	defer w.mu.Unlock()
	org := w.account(login, "Organization")
	for _, m := range members {
		org.members[strings.ToLower(w.account(m, "User").Login)] = true
	}
	return org
}

// AddPrivateMember makes a person a member whose membership others do not see.
func (w *World) AddPrivateMember(org, login string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.account(org, "Organization").members[strings.ToLower(w.account(login, "User").Login)] = false
}

// AddBot adds another app's bot account, "name[bot]".
func (w *World) AddBot(login string) *Account {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.account(login, "Bot")
}

// account finds an account by login or makes one of the given type.
func (w *World) account(login, kind string) *Account {
	key := strings.ToLower(login)
	if a := w.accounts[key]; a != nil {
		return a
	}
	prefix := map[string]string{"User": "U", "Organization": "O", "Bot": "BOT"}[kind]
	a := &Account{ID: w.nextID(), Login: login, Type: kind, members: map[string]bool{}}
	a.NodeID = w.register(prefix, a.ID, a)
	w.accounts[key] = a
	return a
}

// Role is a person's role on a repository.
type Role int

// Roles, weakest first.
const (
	RoleNone Role = iota
	RoleRead
	RoleTriage
	RoleWrite
	RoleMaintain
	RoleAdmin
)

var roleNames = []string{"none", "read", "triage", "write", "maintain", "admin"}

func (r Role) String() string { return roleNames[r] }

// coarse is the role in the four words the permission endpoint knows.
func (r Role) coarse() string {
	switch r {
	case RoleMaintain:
		return "write"
	case RoleTriage:
		return "read"
	}
	return r.String()
}

func parseRole(name string) (Role, error) {
	for i, n := range roleNames {
		if n == name {
			return Role(i), nil
		}
	}
	return RoleNone, fmt.Errorf("no role %q", name)
}

// SetPermission gives a person a role (none, read, triage, write, maintain,
// admin) on a repository.
func (w *World) SetPermission(repo, login, role string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	r, err := w.repo(repo)
	if err != nil {
		return err
	}
	level, err := parseRole(role)
	if err != nil {
		return err
	}
	r.roles[strings.ToLower(w.account(login, "User").Login)] = level
	w.touch()
	return nil
}

// role is what a person may do on a repository, live.
func (r *Repo) role(a *Account) Role {
	if a == nil || a.Login == ghost {
		return RoleNone
	}
	key := strings.ToLower(a.Login)
	if r.Owner == a {
		return RoleAdmin
	}
	if level, ok := r.roles[key]; ok {
		return level
	}
	if _, member := r.Owner.members[key]; member {
		return max(RoleRead, r.memberRole)
	}
	if r.Private {
		return RoleNone
	}
	return RoleRead
}

// association is author_association as payloads carry it: computed without a
// viewer, so a private member looks like a stranger.
func (r *Repo) association(a *Account) string {
	if a == nil {
		return "NONE"
	}
	key := strings.ToLower(a.Login)
	if r.Owner == a {
		return "OWNER"
	}
	if r.Owner.members[key] {
		return "MEMBER"
	}
	if _, private := r.Owner.members[key]; !private && r.roles[key] > RoleRead {
		return "COLLABORATOR"
	}
	for _, c := range r.objects.commits {
		if c.By == a {
			return "CONTRIBUTOR"
		}
	}
	return "NONE"
}
