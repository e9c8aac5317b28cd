package llm

import (
	"fmt"
	"io"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"parley/pipeline"
)

// maxSource is what one source may weigh; what is cut is said.
const maxSource = 32 << 10

type fencedText struct {
	text     string
	boundary string
	report   []pipeline.Injection
}

// fence wraps untrusted sources in a random boundary that does not occur in
// them. Inner lines are numbered, so that text cannot imitate the structure.
func fence(sources []pipeline.Source, r *pipeline.Redactor, rnd io.Reader) fencedText {
	clean := make([]string, len(sources))
	counts := map[pipeline.Injection]int{}
	for i, s := range sources {
		text := s.Text
		cutMark := ""
		if len(text) > maxSource {
			text = text[:runeStart(text, maxSource)]
			cutMark = fmt.Sprintf("\n[cut: %d of %d bytes shown]", len(text), len(s.Text))
		}
		text, found := sanitise(text)
		for _, kind := range found {
			counts[pipeline.Injection{Kind: kind, Where: s.Name}]++
		}
		clean[i] = r.Clean(text) + cutMark
	}
	f := fencedText{boundary: freshBoundary(clean, rnd)}
	var b strings.Builder
	for i, s := range sources {
		fmt.Fprintf(&b, "<<<%s %s\n", f.boundary, oneName(s.Name))
		for n, line := range strings.Split(clean[i], "\n") {
			fmt.Fprintf(&b, "%d: %s\n", n+1, line)
		}
		fmt.Fprintf(&b, "%s>>>\n", f.boundary)
	}
	f.text = b.String()
	for at, n := range counts {
		at.Count = n
		f.report = append(f.report, at)
	}
	sort.Slice(f.report, func(i, j int) bool {
		return f.report[i].Where+f.report[i].Kind < f.report[j].Where+f.report[j].Kind
	})
	return f
}

func freshBoundary(texts []string, rnd io.Reader) string {
	for {
		b := token(rnd, 16)
		if !strings.Contains(strings.Join(texts, "\n"), b) {
			return b
		}
	}
}

func oneName(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == '<' || r == '>' {
			return '_'
		}
		return r
	}, cut(name, 120))
}

func runeStart(s string, n int) int {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}

// hiddenRunes are what a reader does not see, by what they are called.
var hiddenRunes = []struct {
	kind string
	is   func(rune) bool
}{
	{"zero-width characters", func(r rune) bool {
		return r == 0x200B || r == 0x200C || r == 0x2060 || r == 0xFEFF || r == 0x00AD || r == 0x180E
	}},
	{"direction overrides", func(r rune) bool { return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 }},
	{"tag characters", func(r rune) bool { return r >= 0xE0000 && r <= 0xE007F }},
	{"supplementary variation selectors", func(r rune) bool { return r >= 0xE0100 && r <= 0xE01EF }},
	{"control characters", func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }},
}

// sanitise removes what a reader does not see and names the kinds. Text that
// looks like an instruction to a model stays, since it is data, and is named.
func sanitise(text string) (string, []string) {
	var found []string
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n")
	for _, cutter := range hiddenMarkup {
		if cutter.pattern.MatchString(text) {
			found = append(found, cutter.kind)
			text = cutter.pattern.ReplaceAllString(text, cutter.with)
		}
	}
	for _, h := range hiddenRunes {
		n := len(text)
		text = strings.Map(func(r rune) rune {
			if h.is(r) {
				return -1
			}
			return r
		}, text)
		if len(text) != n {
			found = append(found, h.kind)
		}
	}
	folded := strings.ToLower(norm.NFKC.String(text)) // for looking only; what is sent stays as written
	for _, p := range orders {
		if p.MatchString(folded) {
			found = append(found, "words aimed at a model")
			break
		}
	}
	return text, found
}
