package spec

import (
	"slices"
	"strings"
	"unicode"
)

// askState is how far an ask is taken up.
type askState int

const (
	uncoveredAsk askState = iota
	partlyCovered
	coveredAsk
	scopedOut
)

// The share of an ask's words a requirement must hold to count as taking it
// up, where no source line says so.
const (
	wordsPartly = .4
	wordsFully  = .7
)

// askCoverage finds for each ask whether a requirement cites it, or shares its
// words, or the brief scopes it out.
func (s *Set) askCoverage(asks []Source) []askState {
	out := make([]askState, len(asks))
	if len(asks) == 0 {
		return out
	}
	sources, texts := s.requirementSources()
	outside := s.outOfScope()
	for i, a := range asks {
		key := quoteKey(a.Quote)
		words := contentWords(a.Quote)
		for j, src := range sources {
			q := quoteKey(src.Quote)
			if q != "" && (strings.Contains(q, key) || strings.Contains(key, q)) && (src.Line == a.Line || src.Line == 0 || a.Line == 0 || len(q) > 20) {
				out[i] = coveredAsk
				break
			}
			if n := overlap(words, texts[j]); n >= wordsFully && len(words) >= 3 {
				out[i] = coveredAsk
			} else if n >= wordsPartly {
				out[i] = max(out[i], partlyCovered)
			}
		}
		for _, o := range outside {
			if out[i] != coveredAsk && (strings.Contains(quoteKey(o), key) || overlap(words, wordSet(o)) >= wordsFully) {
				out[i] = scopedOut
			}
		}
	}
	return out
}

func (s *Set) requirementSources() ([]Source, []map[string]bool) {
	var sources []Source
	var texts []map[string]bool
	for _, it := range s.Of(KindReq, KindNFR) {
		var src Source
		if d := s.byPath[it.File]; d != nil && d.Front.Get("id") == it.ID {
			src = readSource(d)
		} else if m := sourceText.FindStringSubmatch(oneLine(it.Fields["source"])); m != nil {
			src.Quote = m[2]
		}
		text := it.Title + " " + it.Statement + " " + src.Quote
		for _, c := range s.Down(it.ID, KindAC) {
			ac, _ := s.Item(c)
			text += " " + ac.Statement
		}
		sources, texts = append(sources, src), append(texts, wordSet(text))
	}
	return sources, texts
}

func (s *Set) outOfScope() []string {
	var out []string
	for _, kind := range []DocKind{DocBrief, DocTiny} {
		d := s.First(kind)
		if d == nil {
			continue
		}
		for _, b := range d.Body(max(d.Find(-1, "Out of Scope", "Non-Goals"), -1)) {
			if b.Kind == ListItem && b.Section >= 0 && unsaid(b.Text) != "" {
				out = append(out, Plain(b.Text))
			}
		}
	}
	return out
}

// quoteKey is a quote without what copying changes.
func quoteKey(s string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

var fillWords = func() map[string]bool {
	m := map[string]bool{}
	for _, list := range stopWords {
		for _, w := range list {
			m[w] = true
		}
	}
	for _, w := range strings.Fields("will can may shall want need would could able have has from they them their into there all any also") {
		m[w] = true
	}
	return m
}()

// contentWords are the words of a text that carry meaning, sorted, each once.
func contentWords(s string) []string { return compact(orderedWords(s)) }

func wordSet(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range orderedWords(s) {
		out[w] = true
	}
	return out
}

// specified tells whether a line goes on behind a mark that may introduce the
// thing itself, not only the reason.
func specified(line string) bool { return strings.ContainsAny(line, ":：;；–—") }

// orderedWords are the words that carry meaning as they come; Chinese and
// Japanese text counts by pairs of letters.
func orderedWords(s string) []string {
	var out []string
	for w := range strings.FieldsFuncSeq(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		r := []rune(w)
		if unicode.In(r[0], unicode.Han, unicode.Hiragana, unicode.Katakana) {
			for i := 0; i+1 < len(r); i++ {
				out = append(out, string(r[i:i+2]))
			}
		} else if len(r) > 2 && !fillWords[w] {
			out = append(out, stem(w))
		}
	}
	return out
}

// stem folds the commonest endings, so that "retries" and "retry" meet.
func stem(w string) string {
	for _, e := range []struct{ end, to string }{{"ies", "y"}, {"ing", ""}, {"ed", ""}, {"es", ""}, {"en", ""}, {"s", ""}, {"e", ""}} {
		if strings.HasSuffix(w, e.end) && len(w) >= len(e.end)+4 {
			return strings.TrimSuffix(w, e.end) + e.to
		}
	}
	return w
}

func overlap(words []string, in map[string]bool) float64 {
	if len(words) == 0 {
		return 0
	}
	n := 0
	for _, w := range words {
		if in[w] {
			n++
		}
	}
	return float64(n) / float64(len(words))
}

// Trace is the matrix downwards: one chain for each goal, or for each ask
// where there are no goals.
func Trace(s *Set, o Options) []Chain {
	var out []Chain
	for _, g := range s.Of(KindGoal) {
		out = append(out, s.chain(g.ID, orElse(g.Statement, g.Title), s.Down(g.ID, KindReq, KindNFR)))
	}
	if len(out) > 0 {
		return out
	}
	asks := o.Asks
	if asks == nil {
		asks = s.Asks()
	}
	reqs := s.Of(KindReq, KindNFR)
	sources, texts := s.requirementSources()
	for _, a := range asks {
		var ids []string
		for j, src := range sources {
			if q := quoteKey(src.Quote); q != "" && strings.Contains(q+quoteKey(a.Quote), quoteKey(a.Quote)+q) || overlap(contentWords(a.Quote), texts[j]) >= wordsFully {
				ids = append(ids, reqs[j].ID)
			}
		}
		out = append(out, s.chain("", a.Quote, ids))
	}
	return out
}

// chain follows requirements to design and stories, and names the first link
// that is missing.
func (s *Set) chain(from, text string, reqs []string) Chain {
	c := Chain{From: from, Text: Plain(text), Reqs: reqs}
	for _, id := range reqs {
		c.Design = append(c.Design, s.design(id)...)
		c.Stories = append(c.Stories, s.Down(id, KindStory)...)
	}
	c.Design, c.Stories = compact(c.Design), compact(c.Stories)
	switch {
	case len(c.Reqs) == 0:
		c.Missing = "requirement"
	case len(c.Design) == 0:
		c.Missing = "design"
	case len(c.Stories) == 0:
		c.Missing = "story"
	}
	return c
}

func compact(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// design is the decisions and components that answer a requirement.
func (s *Set) design(req string) []string {
	out := s.Down(req, KindADR)
	for _, c := range s.Components() {
		if slices.Contains(c.Reqs, req) {
			out = append(out, c.Name)
		}
	}
	return out
}

// Components are the architecture's components.
func (s *Set) Components() []Component { return s.architecture().Components }

// architecture is for those who only read it; empty where there is none.
func (s *Set) architecture() Architecture {
	s.archOnce.Do(func() {
		if a, err := ParseArchitecture(s); err == nil {
			s.arch = a
		}
	})
	return s.arch
}

// Upwards lists for an item what it serves: requirements, then goals.
func (s *Set) Upwards(id string) []string {
	var out []string
	next := s.Up(id)
	for len(next) > 0 && len(out) < idsLimit {
		var further []string
		for _, up := range next {
			if !slices.Contains(out, up) && up != id {
				out = append(out, up)
				further = append(further, s.Up(up)...)
			}
		}
		next = further
	}
	return out
}

// Orphans are items that serve nothing above them.
func (s *Set) Orphans() []string {
	above := map[Kind][]Kind{KindReq: {KindGoal}, KindNFR: {KindGoal, KindReq}, KindADR: {KindReq, KindNFR}, KindStory: {KindReq, KindNFR}}
	var out []string
	for _, it := range s.Items {
		kinds, ok := above[it.Kind]
		if ok && !slices.ContainsFunc(ofKind(it.TracesTo, kinds...), s.Has) {
			out = append(out, it.ID)
		}
	}
	return out
}
