package spec

import (
	"slices"
	"strconv"
	"strings"
)

// quantity is a number with what it counts, in a base unit where there is one.
type quantity struct {
	value float64
	unit  string // "s", "byte", "%", or the stem of the counted noun
	bound string // "min", "max", or empty for an exact number
	text  string // as written, with its unit
}

// unitScale folds spellings into base units.
var unitScale = map[string]struct {
	unit  string
	scale float64
}{
	"ms": {"s", .001}, "millisecond": {"s", .001}, "milliseconds": {"s", .001}, "millisekunden": {"s", .001}, "毫秒": {"s", .001},
	"s": {"s", 1}, "sec": {"s", 1}, "secs": {"s", 1}, "second": {"s", 1}, "seconds": {"s", 1}, "sekunde": {"s", 1}, "sekunden": {"s", 1}, "秒": {"s", 1},
	"min": {"s", 60}, "mins": {"s", 60}, "minute": {"s", 60}, "minutes": {"s", 60}, "minuten": {"s", 60}, "分钟": {"s", 60},
	"h": {"s", 3600}, "hour": {"s", 3600}, "hours": {"s", 3600}, "stunde": {"s", 3600}, "stunden": {"s", 3600}, "小时": {"s", 3600},
	"d": {"s", 86400}, "day": {"s", 86400}, "days": {"s", 86400}, "tag": {"s", 86400}, "tage": {"s", 86400}, "tagen": {"s", 86400}, "天": {"s", 86400},
	"week": {"s", 604800}, "weeks": {"s", 604800}, "woche": {"s", 604800}, "wochen": {"s", 604800}, "周": {"s", 604800},
	"kb": {"byte", 1e3}, "mb": {"byte", 1e6}, "gb": {"byte", 1e9}, "tb": {"byte", 1e12}, "kib": {"byte", 1024}, "mib": {"byte", 1 << 20}, "gib": {"byte", 1 << 30},
	"%": {"%", 1}, "％": {"%", 1}, "percent": {"%", 1}, "prozent": {"%", 1},
}

var quantityForm = compile(`(?i)(\b(?:at least|no fewer than|no less than|more than|over|above|a minimum of|minimum|mindestens|mehr als)\s+|至少\s*|不少于\s*)?` +
	`(\b(?:at most|no more than|less than|fewer than|within|under|below|up to|a maximum of|maximum|in less than|höchstens|innerhalb von|binnen|unter|bis zu)\s+|最多\s*|不超过\s*)?` +
	`(?:^|[^\w.,-]|\b)(\d[\d,.]*)[\s-]?(%|％|毫秒|秒|分钟|小时|天|周|个|次|条|\p{L}[\p{L}-]*)`)

// quantities lists the numbers of a text that count something.
func quantities(text string) []quantity {
	text = idLike.ReplaceAllString(text, "_")
	var out []quantity
	for _, m := range quantityForm.FindAllStringSubmatch(text, 100) {
		v, ok := parseNumber(m[3])
		if !ok {
			continue
		}
		q := quantity{value: v, unit: stem(strings.ToLower(m[4])), text: strings.TrimRight(m[3], ".,") + " " + m[4]}
		if u, ok := unitScale[strings.ToLower(m[4])]; ok {
			q.unit, q.value = u.unit, v*u.scale
		}
		switch {
		case m[1] != "":
			q.bound = "min"
		case m[2] != "":
			q.bound = "max"
		}
		out = append(out, q)
	}
	return out
}

// parseNumber reads 1,000 as a thousand and 0,5 as a half.
func parseNumber(s string) (float64, bool) {
	s = strings.TrimRight(s, ".,")
	if i := strings.LastIndexByte(s, ','); i >= 0 && (len(s)-i-1 != 3 || s[0] == '0') {
		s = s[:i] + "." + s[i+1:]
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64)
	return v, err == nil
}

// conflicts tells whether two bounds on one thing cannot both hold.
func (q quantity) conflicts(o quantity) bool {
	switch {
	case q.unit != o.unit || q.value == o.value:
		return false
	case q.bound == o.bound:
		return true
	case q.bound == "max" && o.bound == "min":
		return q.value < o.value
	case q.bound == "min" && o.bound == "max":
		return o.value < q.value
	case q.bound == "":
		return o.bound == "max" && q.value > o.value || o.bound == "min" && q.value < o.value
	}
	return o.conflicts(q)
}

// sole is the one quantity of each unit of a text; units with several are left out.
func sole(qs []quantity) map[string]quantity {
	out, seen := map[string]quantity{}, map[string]int{}
	for _, q := range qs {
		seen[q.unit]++
		out[q.unit] = q
	}
	for unit, n := range seen {
		if n > 1 {
			delete(out, unit)
		}
	}
	return out
}

var (
	genericSubject = compile(`(?i)\b(?:service|system|application|app|platform|tool|software|product|solution)\b`)
	dutyWord       = compile(`(?i)\b(?:must|shall|should|may|will|can|not|never|cannot|muss|müssen|darf|dürfen|soll|sollen|nicht|niemals|kein(?:e[nrms]?)?)\b|必须|不得|应当|应|不能|禁止|可以`)
	sameVerb       = map[string]string{"retain": "keep", "store": "keep", "hold": "keep", "preserve": "keep", "respond": "answer", "reply": "answer",
		"return": "answer", "show": "display", "render": "display", "present": "display", "delete": "remove", "erase": "remove", "purge": "remove"}
)

// core is what a statement speaks of: its words without numbers, modals and
// names that fit any subject. Two statements with one core are about one thing.
func core(text string) map[string]bool {
	text = quantityForm.ReplaceAllString(idLike.ReplaceAllString(text, "_"), " ")
	text = genericSubject.ReplaceAllString(dutyWord.ReplaceAllString(text, " "), " ")
	out := map[string]bool{}
	for w := range wordSet(text) {
		if same, ok := sameVerb[w]; ok {
			w = same
		}
		out[w] = true
	}
	return out
}

// coreKey is the core as one comparable text; empty where it is too small to
// tell two statements apart.
func coreKey(text string) string {
	words := core(text)
	if len(words) < 2 {
		return ""
	}
	list := make([]string, 0, len(words))
	for w := range words {
		list = append(list, w)
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}
