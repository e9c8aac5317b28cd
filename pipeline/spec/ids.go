package spec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// An id is a prefix and zero-padded numbers: REQ-014, NFR-SC-002,
// STORY-001-003, AC-014-02. FR is a common spelling of REQ.
const idPattern = `(?:(?:REQ|FR|ADR|EPIC|G|GOAL|RISK|ASSUMPTION)-\d{1,5}|NFR-(?:[A-Za-z]{1,8}-)?\d{1,5}|STORY-\d{1,5}(?:-\d{1,5})?|AC-\d{1,5}(?:-\d{1,5}){0,2})`

var (
	idAnywhere = compile(`\b` + idPattern + `\b`)
	idAtStart  = compile(`^[\s*_(\[` + "`" + `]{0,6}(` + idPattern + `)\b`)
	idExactly  = compile(`^` + idPattern + `$`)
	idHere     = compile(`^` + idPattern + `\b`)
)

var kinds = []struct {
	prefix string
	kind   Kind
}{
	{"STORY-", KindStory}, {"EPIC-", KindEpic}, {"REQ-", KindReq}, {"FR-", KindReq}, {"NFR-", KindNFR},
	{"ADR-", KindADR}, {"AC-", KindAC}, {"GOAL-", KindGoal}, {"G-", KindGoal},
	{"RISK-", KindRisk}, {"ASSUMPTION-", KindAssumption},
}

// KindOf is the kind an id's prefix names; empty when it is no id.
func KindOf(id string) Kind {
	if id == "" || !digit(id[len(id)-1]) || !idExactly.MatchString(id) {
		return ""
	}
	for _, k := range kinds {
		if strings.HasPrefix(id, k.prefix) {
			return k.kind
		}
	}
	return ""
}

// IDs lists the ids in a text, each once, in order.
func IDs(text string) []string {
	var out []string
	for i, n := 0, 0; i < len(text) && n < idsLimit; i++ {
		// Looking for the letters that ids begin with is far cheaper than for ids.
		if strings.IndexByte(idLetters, text[i]) < 0 || i > 0 && wordByte(text[i-1]) {
			continue
		}
		id := idHere.FindString(text[i:])
		if id == "" {
			continue
		}
		n, i = n+1, i+len(id)-1
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// idLetters are the letters that ids begin with.
const idLetters = "RFAEGNS"

func wordByte(c byte) bool {
	return digit(c) || c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// idsLimit is how many ids of one text are read.
const idsLimit = 500

// NextID is the id after the highest ever given for the prefix ("REQ",
// "NFR-P", "STORY-002"). Retired ids count, so that none is used again.
func NextID(prefix string, taken ...string) string {
	highest := 0
	for _, id := range taken {
		rest, ok := strings.CutPrefix(id, prefix+"-")
		if !ok {
			continue
		}
		if n, err := strconv.Atoi(rest); err == nil && n > highest {
			highest = n
		}
	}
	return fmt.Sprintf("%s-%03d", prefix, highest+1)
}

var transliterated = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "é", "e", "è", "e", "ç", "c", "ñ", "n")

// Slug is a title in lower case, words joined by hyphens, at most 40 characters.
func Slug(title string) string {
	var b strings.Builder
	n, gap := 0, false
	for _, r := range transliterated.Replace(strings.ToLower(title)) {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			gap = n > 0
			continue
		}
		if gap && n >= 32 {
			break // a word boundary near the limit is the better end
		}
		if gap {
			b.WriteByte('-')
			n++
		}
		gap = false
		b.WriteRune(r)
		if n++; n >= 40 {
			break
		}
	}
	return b.String()
}

// fileName is where an item lives: as first written, whatever became of its title.
func fileName(dir, file, id, title string) string {
	if file != "" {
		return file
	}
	if slug := Slug(title); slug != "" {
		return dir + "/" + id + "-" + slug + ".md"
	}
	return dir + "/" + id + ".md"
}
