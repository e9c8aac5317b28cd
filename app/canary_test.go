package app

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"parley/app/githubsim"
)

// Canary is the log of an App under test. What no line may hold is looked for
// when the test is over, whatever the test was about.
type Canary struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (c *Canary) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.b.Write(p)
}

func (c *Canary) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.b.String()
}

// neverLogged are keys and tokens by what each of a kind holds.
var neverLogged = []string{"PRIVATE KEY", "ghs_", "ghp_", "eyJ", "Bearer ", "sk-ant", secret, oldSecret}

// privateLength is from where on a line of somebody's text is recognised; what
// is shorter may be a title, or a word of ours.
const privateLength = 24

// Breaches are the lines that hold a secret, or what a person wrote on GitHub.
func (c *Canary) Breaches(w *githubsim.World, repo string, more ...string) []string {
	words := append(append(more, neverLogged...), private(w, repo)...)
	var out []string
	for line := range strings.Lines(c.String()) {
		for _, word := range words {
			if strings.Contains(line, word) {
				out = append(out, fmt.Sprintf("the log holds %q: %s", word, strings.TrimSpace(line)))
			}
		}
	}
	return out
}

// private are the longer lines of all that people wrote in a repository.
func private(w *githubsim.World, repo string) []string {
	var texts []string
	for number, missing := 1, 0; missing < 3; number++ {
		at := githubsim.At(repo, number)
		is, err := w.Issue(at)
		if err != nil {
			missing++
			continue
		}
		if !strings.HasSuffix(is.Author, "[bot]") {
			texts = append(texts, is.Title, is.Body)
		}
		for _, k := range w.Comments(at) {
			if !strings.HasSuffix(k.Author, "[bot]") {
				texts = append(texts, k.Body)
			}
		}
	}
	var lines []string
	for _, text := range texts {
		for l := range strings.Lines(text) {
			if l = strings.TrimSpace(l); len(l) >= privateLength {
				lines = append(lines, l)
			}
		}
	}
	return lines
}

// A canary that cannot sing is no good.
func TestCanarySings(t *testing.T) {
	d := stage(t, nil)
	d.issue()
	d.comment(1, "/revise DRAFT-002 say what happens to refunds")
	for line, want := range map[string]bool{
		`{"message":"audit","who":"ann","command":"revise"}`:                false,
		`{"message":"Customers must not pay twice when they press twice."}`: true,
		`{"why":"/revise DRAFT-002 say what happens to refunds"}`:           true,
		`{"header":"Bearer x"}`:                        true,
		`{"url":"http://127.0.0.1/?s=` + secret + `"}`: true,
	} {
		var c Canary
		fmt.Fprintln(&c, line)
		if got := c.Breaches(d.World, "octo/shop"); (len(got) > 0) != want {
			t.Errorf("%s: %q", line, got)
		}
	}
}
