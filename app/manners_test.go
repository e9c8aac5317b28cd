package app_test

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"parley/app/githubsim"
	"parley/pipeline"
)

// breaches are what the scripts' conversations did against the rules that hold
// for all of them.
var breaches struct {
	sync.Mutex
	list  []string
	heard int // conversations looked at
}

// keptManners holds once the scripts are over: nobody was pinged but by the
// one notice, no text was longer than its budget, the log held nothing secret
// or private, and GitHub was not asked or written to more often than is due.
func keptManners(t *testing.T) {
	breaches.Lock()
	defer breaches.Unlock()
	if breaches.heard == 0 {
		t.Error("no conversation was looked at")
	}
	for _, b := range breaches.list {
		t.Error(b)
	}
}

// lookBack reads a conversation when its script is over.
func (s *stage) lookBack(script string) {
	breaches.Lock()
	defer breaches.Unlock()
	breaches.heard++
	breach := func(format string, args ...any) {
		breaches.list = append(breaches.list, script+": "+fmt.Sprintf(format, args...))
	}
	for _, b := range s.log.Breaches(s.world, repoName, hookSecret) {
		breach("%s", b)
	}
	pulls := 0
	for number := 1; number <= 12; number++ {
		at := githubsim.At(repoName, number)
		for _, p := range s.spoken(at) {
			if n := pipeline.Words(p.text); p.words > 0 && n > p.words {
				breach("%s of #%d has %d words:\n%s", p.name, number, n, p.text)
			}
		}
		if p, err := s.world.Pull(at); err == nil && p.Author == botName {
			pulls++
		}
	}
	texts := s.sent.texts()
	if pulls > 0 && len(texts) < 20 {
		breach("%d texts were listened to", len(texts))
	}
	for _, text := range texts {
		if pings(text) && !noticeForm.MatchString(text) {
			breach("pings somebody:\n%s", text)
		}
	}
	if s.faulty {
		return // tries after a fault have no budget
	}
	made, more := s.requests(), s.allowance(pulls)
	if limit := 24*max(pulls, 1) + more; made > limit && !s.byREST {
		breach("%d requests, at most %d are due", made, limit)
	}
	created := s.world.Counts().Created
	if limit := 10*max(pulls, 1) + more; created > limit {
		breach("%d things created, at most %d are due", created, limit)
	}
}

// pings tells a text with an @ outside code.
func pings(text string) bool { return strings.Contains(codeSpans.ReplaceAllString(text, ""), "@") }

// TestPingsAreHeard: what the conversations are held to can be broken.
func TestPingsAreHeard(t *testing.T) {
	tests := map[string]struct{ pings, notice bool }{
		"`@wes` has read": {},
		"```\n@wes\n```":  {},
		"nobody":          {},
		"@wes has read":   {pings: true},
		"`code` and @wes": {pings: true},
		"`open @wes":      {pings: true},
		"@wes, this session waits for you. Say so.":   {pings: true, notice: true},
		"@wes, this session waits for you. And @moe.": {pings: true},
		"So @wes, this session waits for you.":        {pings: true},
	}
	for text, want := range tests {
		if pings(text) != want.pings || noticeForm.MatchString(text) != want.notice {
			t.Errorf("%q: pings %v, notice %v", text, pings(text), noticeForm.MatchString(text))
		}
	}
}

var (
	codeSpans  = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	noticeForm = regexp.MustCompile(`\A@[a-z]+, this session waits for you\. [^@]*\z`)
)

// spoken is one text of the bot with its budget of words, 0 for none.
type spoken struct {
	name, text string
	words      int
}

// spoken is all the bot has said at one number.
func (s *stage) spoken(at githubsim.Where) []spoken {
	var out []spoken
	for _, k := range s.world.Comments(at) {
		if k.Author == botName {
			out = append(out, spoken{"comment", k.Body, 0})
		}
	}
	for _, v := range s.world.Reviews(at) {
		if v.Author == botName {
			out = append(out, spoken{"review", v.Body, 250})
		}
	}
	for _, t := range s.world.Threads(at) {
		for _, k := range t.Texts {
			if k.Author == botName {
				out = append(out, spoken{"line comment", k.Body, 0})
			}
		}
	}
	p, err := s.world.Pull(at)
	if err != nil || p.Author != botName {
		return out
	}
	out = append(out, spoken{"title", p.Title, 0}, spoken{"check", s.gateText(p.Head), 0})
	if _, rest, ok := strings.Cut(p.Body, pipeline.PanelStart); ok {
		panel, _, _ := strings.Cut(rest, pipeline.PanelEnd)
		out = append(out, spoken{"panel", panel, 200})
	}
	return out
}

// allowance is what is due beyond plain sessions: two for each command and for
// whatever else a person did that is answered like one, two for each task
// beyond the six and each discussion, which commit and post like one, and one for
// each time it waits. What starts a session is in the
// session's own budget.
func (s *stage) allowance(sessions int) int {
	more := 2 * max(0, s.commands-sessions)
	if state, err := s.session(); err == nil {
		begun := 0
		for _, task := range state.Tasks {
			if task.StartedAt != nil {
				begun++
			}
		}
		more += 2 * max(0, begun+state.Discussions-6)
	}
	said := s.said(s.at())
	if p, err := s.pull(); err == nil {
		said += s.said(githubsim.At(repoName, p.Number))
	}
	return more + strings.Count(said, "this session waits")
}
