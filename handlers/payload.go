package handlers

import (
	"encoding/json"
	"strings"
	"unicode"

	"parley/pipeline"
)

// The structs below name what we read of a payload, and nothing else: decode
// skips the rest.

type envelope struct {
	Action       string `json:"action"`
	Sender       user   `json:"sender"`
	Installation struct {
		ID      int64 `json:"id"`
		Account user  `json:"account"`
	} `json:"installation"`
	Repository repository `json:"repository"`
}

type user struct {
	ID    int64  `json:"id"`
	Login string `json:"login"`
	Type  string `json:"type"`
}

func (u user) actor() pipeline.Actor {
	return pipeline.Actor{ID: u.ID, Login: u.Login, Bot: u.bot()}
}

func (u user) bot() bool { return u.Type == "Bot" || strings.HasSuffix(u.Login, "[bot]") }

type repository struct {
	ID            int64  `json:"id"`
	NodeID        string `json:"node_id"`
	Name          string `json:"name"`
	FullName      string `json:"full_name"`
	Private       bool   `json:"private"`
	HTMLURL       string `json:"html_url"`
	DefaultBranch string `json:"default_branch"`
	Owner         user   `json:"owner"`
	// Properties are the organisation's custom properties of the repository.
	Properties map[string]json.RawMessage `json:"custom_properties"`
}

// repo is the payload's repository as sessions know it.
func (e *envelope) repo() pipeline.Repo {
	r := e.Repository.repo()
	r.Installation = e.Installation.ID
	return r
}

func (r repository) repo() pipeline.Repo {
	owner := r.Owner.Login
	if owner == "" {
		owner, _, _ = strings.Cut(r.FullName, "/")
	}
	return pipeline.Repo{ID: r.ID, NodeID: r.NodeID, Owner: owner, Name: r.Name,
		DefaultBranch: r.DefaultBranch, Private: r.Private, URL: r.HTMLURL}
}

type pull struct {
	Number int    `json:"number"`
	Title  string `json:"title"`
	Body   string `json:"body"`
	Merged bool   `json:"merged"`
	Head   struct {
		Ref  string `json:"ref"`
		SHA  string `json:"sha"`
		Repo struct {
			ID int64 `json:"id"`
		} `json:"repo"`
	} `json:"head"`
	Base struct {
		Ref string `json:"ref"`
	} `json:"base"`
	UpdatedAt string `json:"updated_at"`
}

// was is the former value of an edited field; nil where it did not change.
type was struct {
	From string `json:"from"`
}

const (
	maxTitle = 1 << 10
	maxBody  = 64 << 10
)

// text normalises what people wrote: valid UTF-8, plain line ends, no control
// characters, and at most limit bytes.
func text(s string, limit int) string {
	if len(s) > limit {
		s = s[:limit]
	}
	s = strings.ReplaceAll(strings.ToValidUTF8(s, ""), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		if r == '\r' {
			return '\n'
		}
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, s)
}
