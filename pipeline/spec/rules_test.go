package spec

import (
	"slices"
	"strings"
	"testing"
)

// exampleFiles reads a rule's example: one document, or several behind lines
// "-- path --".
func exampleFiles(text string) []File {
	if !strings.HasPrefix(text, "-- ") {
		return []File{{Path: "example.md", Text: []byte(text)}}
	}
	var out []File
	for _, l := range strings.SplitAfter(text, "\n") {
		if name, ok := strings.CutPrefix(l, "-- "); ok && strings.HasSuffix(strings.TrimSpace(name), " --") {
			out = append(out, File{Path: strings.TrimSuffix(strings.TrimSpace(name), " --")})
			continue
		}
		f := &out[len(out)-1]
		f.Text = append(f.Text, l...)
	}
	return out
}

// exampleOptions takes out what an example tells besides documents: "tree" is
// the repository's paths, what lies under "before/" was accepted.
func exampleOptions(files []File) ([]File, Options) {
	o := Options{Language: "en"}
	var now, before []File
	for _, f := range files {
		switch rest, accepted := strings.CutPrefix(f.Path, "before/"); {
		case f.Path == "tree":
			o.Paths = map[string]bool{}
			for _, p := range strings.Fields(string(f.Text)) {
				o.Paths[p] = true
			}
		case accepted:
			before = append(before, File{Path: rest, Text: f.Text})
		default:
			now = append(now, f)
		}
	}
	if before != nil {
		accepted := map[string]string{}
		for _, it := range Parse(before).Items {
			accepted[it.ID] = it.Fingerprint
		}
		o.Suspects = Parse(now).suspectsSince(accepted)
	}
	return now, o
}

func hits(t *testing.T, id, text string) []Finding {
	t.Helper()
	var out []Finding
	files, o := exampleOptions(exampleFiles(text))
	for _, f := range Check(Parse(files), o) {
		if f.Rule == id {
			out = append(out, f)
		}
	}
	return out
}

// Every rule owns a bad example that it hits and a good one that it does not.
func TestRuleExamples(t *testing.T) {
	for _, r := range Rules {
		t.Run(r.ID, func(t *testing.T) {
			if r.Good == "" || r.Bad == "" || r.Remedy == "" || r.Title == "" || r.Detects == "" || len(r.Perspectives) == 0 || r.check == nil {
				t.Errorf("the entry is not whole")
			}
			if strings.Contains(r.Remedy, "\n") {
				t.Error("the remedy is not one line")
			}
			if got := hits(t, r.ID, r.Bad); len(got) == 0 {
				t.Errorf("does not hit its bad example:\n%s", r.Bad)
			}
			if got := hits(t, r.ID, r.Good); len(got) != 0 {
				t.Errorf("hits its good example: %s line %d: %s", got[0].File, got[0].Line, got[0].Message)
			}
		})
	}
}

func TestRuleIDsAreUnique(t *testing.T) {
	var ids []string
	for _, r := range Rules {
		if slices.Contains(ids, r.ID) {
			t.Errorf("%s is there twice", r.ID)
		}
		ids = append(ids, r.ID)
	}
}
