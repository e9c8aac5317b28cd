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

// TestScriptsKeepManners runs after the scripts: nobody was pinged but by the
// one notice, no text was longer than its budget, the log held nothing secret
// or private, and GitHub was not asked or written to more often than is due.
func TestScriptsKeepManners(t *testing.T) {
	breaches.Lock()
	defer breaches.Unlock()
	if breaches.heard == 0 {
		t.Skip("no script was played")
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
			if strings.Contains(codeSpans.ReplaceAllString(p.text, ""), "@") && !noticeForm.MatchString(p.text) {
				breach("%s of #%d pings somebody:\n%s", p.name, number, p.text)
			}
		}
		if p, err := s.world.Pull(at); err == nil && p.Author == botName {
			pulls++
		}
	}
	if s.faulty {
		return // tries after a fault have no budget
	}
	made, more := s.world.Counts(), s.allowance()
	if limit := 24*max(pulls, 1) + more; made.Requests > limit {
		breach("%d requests, at most %d are due", made.Requests, limit)
	}
	if limit := 10*max(pulls, 1) + more; made.Created > limit {
		breach("%d things created, at most %d are due", made.Created, limit)
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

// allowance is what is due beyond a plain session: two for each act of a
// person and each task beyond the six, one for each time it waits.
func (s *stage) allowance() int {
	more := 2 * s.acts
	if state, err := s.session(); err == nil {
		more += 2 * max(0, len(state.Tasks)-6)
	}
	said := s.said(s.at())
	if p, err := s.pull(); err == nil {
		said += s.said(githubsim.At(repoName, p.Number))
	}
	return more + strings.Count(said, "this session waits")
}
