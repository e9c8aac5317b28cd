package spec

import (
	"slices"
	"strings"
)

// labels is a run of "**Label:** value" entries: short texts, lists, links and
// criteria under names of their own.
type labels []labelled

type labelled struct {
	name     string
	value    *string
	list     *[]string
	ids      *[]string
	in       linker
	criteria *[]Criterion
	story    *Story3
	made     string // computed, written only
}

func (ls labels) write(p *page) {
	for _, l := range ls {
		name := "**" + l.name + ":**"
		switch {
		case l.list != nil:
			p.under(name, listOf(*l.list, "- "))
		case l.criteria != nil:
			p.under(name, criteriaList(*l.criteria))
		case l.story != nil:
			p.under(name, l.story.list(p.empty()))
		case l.ids != nil:
			p.block(name + " " + orElse(l.in.all(*l.ids), p.empty()))
		case l.value != nil:
			p.block(name + " " + orElse(said(*l.value), p.empty()))
		default:
			p.block(name + " " + orElse(l.made, p.empty()))
		}
	}
}

func (p *page) under(name, list string) {
	if list == "" {
		p.block(name + " " + p.empty())
		return
	}
	p.block(name)
	p.block(list)
}

func (ls labels) read(sc scope) {
	texts, blocks := map[string]string{}, map[string][]Block{}
	known := make([]string, len(ls))
	for i, l := range ls {
		known[i] = titleKey(l.name)
	}
	at := ""
	for _, b := range sc.blocks() {
		if name, rest, ok := b.label(); ok {
			if key := titleKey(name); slices.Contains(known, key) {
				at = key
				texts[at] = joined(texts[at], unsaid(rest))
				continue
			}
		}
		if at != "" {
			blocks[at] = append(blocks[at], b)
		}
	}
	for i, l := range ls {
		l.take(texts[known[i]], blocks[known[i]])
	}
}

func (l labelled) take(text string, blocks []Block) {
	switch {
	case l.list != nil:
		*l.list = nil
		if t := entry(text); t != "" {
			*l.list = append(*l.list, t)
		}
		for _, b := range blocks {
			if t := entry(b.Text); t != "" && (b.Kind == ListItem || b.Kind == Paragraph) {
				*l.list = append(*l.list, t)
			}
		}
	case l.criteria != nil:
		*l.criteria = readCriteria(blocks)
	case l.story != nil:
		*l.story = readStory(text, blocks)
	case l.ids != nil:
		*l.ids = IDs(text)
	case l.value != nil:
		*l.value = oneLine(orElse(text, prose(blocks)))
	}
}

// storyOf is the story in a section of its own.
type storyOf struct{ to *Story3 }

func (s storyOf) write(p *page) { p.block(s.to.list(p.empty())) }
func (s storyOf) read(sc scope) { *s.to = readStory("", sc.blocks()) }

// vowel is how a word begins that takes "an".
var vowel = compile(`(?i)^(?:[aeio]|u[^snt]|un[^i]|hour)`)

func (s Story3) list(open string) string {
	role, want, benefit := said(s.Role), said(s.Want), said(s.Benefit)
	if role+want+benefit == "" {
		return ""
	}
	article := "a"
	if vowel.MatchString(role) {
		article = "an"
	}
	return "- **As " + article + "** " + orElse(role, open) + "\n- **I want to** " + orElse(want, open) + "\n- **so that** " + orElse(benefit, open)
}

var (
	storyLead  = compile(`(?i)^[\s*_]*(as an?|i want(?: to)?|so that)\b[*_]*[:,]?\s*`)
	storyWhole = compile(`(?is)\bas an?\s+(.+?),?\s+i\s+(?:want|need|would like)(?:\s+to)?\s+(.+?)(?:,?\s+(?:so that|in order to|so)\s+(.+?))?[.\s]*$`)
	storyOther = []pattern{
		compile(`(?is)\bals\s+(.+?),?\s+(?:möchte|will)\s+ich\s+(.+?)(?:,?\s+(?:damit|um)\s+(.+?))?[.\s]*$`),
		compile(`(?s)作为(?:一名|一个)?(.+?)[，,]\s*我(?:想要|想|希望|要)(.+?)(?:[，,]\s*(?:以便|从而|这样)(.+?))?[。\s]*$`),
	}
	boldOnly = strings.NewReplacer("**", "", "__", "")
)

// ReadStory finds role, want and benefit in a sentence; ok is false when it is
// no user story.
func ReadStory(sentence string) (Story3, bool) {
	t := oneLine(boldOnly.Replace(sentence))
	for _, re := range append([]pattern{storyWhole}, storyOther...) {
		if m := re.FindStringSubmatch(t); m != nil {
			return Story3{Role: unsaid(m[1]), Want: unsaid(m[2]), Benefit: unsaid(m[3])}, true
		}
	}
	return Story3{}, false
}

func readStory(text string, blocks []Block) Story3 {
	var s Story3
	slots := map[string]*string{"as a": &s.Role, "as an": &s.Role, "i want to": &s.Want, "i want": &s.Want, "so that": &s.Benefit}
	for _, b := range blocks {
		m := storyLead.FindStringSubmatch(b.Text)
		if b.Kind != ListItem || m == nil {
			continue
		}
		if slot := slots[strings.ToLower(m[1])]; slot != nil && *slot == "" {
			*slot = unsaid(oneLine(b.Text[len(m[0]):]))
		}
	}
	if s != (Story3{}) {
		return s
	}
	whole := text
	for _, b := range blocks {
		whole = joined(whole, b.Text)
	}
	s, _ = ReadStory(whole)
	return s
}
