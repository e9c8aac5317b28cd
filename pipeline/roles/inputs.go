package roles

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"parley/pipeline/spec"
)

// read are the kinds of items each task works from, by its prefix.
var read = map[string][]spec.Kind{
	"DRAFT-002": {spec.KindGoal},
	"DRAFT-003": {spec.KindReq, spec.KindNFR},
	"DRAFT-004": {spec.KindReq, spec.KindNFR, spec.KindADR},
	"IMPROVE-":  {spec.KindGoal, spec.KindReq, spec.KindNFR, spec.KindADR, spec.KindEpic, spec.KindStory, spec.KindAC},
	"QUALITY-":  {spec.KindGoal, spec.KindReq, spec.KindNFR, spec.KindADR, spec.KindEpic, spec.KindStory, spec.KindAC},
	"PLAN-":     {spec.KindGoal, spec.KindReq, spec.KindNFR, spec.KindADR, spec.KindEpic, spec.KindStory, spec.KindAC},
}

// inputs is a digest of all a task works from but the time: what the issue
// says, what was answered, what a revision asks, and the items upstream by
// their own text. Equal digests make equal drafts, by rules at least.
func (j *job) inputs() string {
	h := sha256.New()
	put := func(name string, v any) {
		text, err := json.Marshal(v)
		if err != nil {
			text = fmt.Append(nil, v)
		}
		_, _ = io.WriteString(h, name+"\x00"+string(text)+"\x00") // a hash takes everything
	}
	put("task", j.kind.prefix)
	put("session", []string{string(j.Session.Track), j.Session.Depth})
	for _, q := range j.Session.Questions {
		put("question", []string{q.ID, q.Text, q.Answer})
	}
	issue := j.issue()
	if j.kind.prefix == "RESEARCH-" || j.kind.prefix == "PLAN-" {
		put("issue", issue)
		put("commit", j.Session.PR.BaseHead)
	} else if d, err := readDiscovery(j.Folder); err == nil {
		put("read", d.Reading())
		put("stack", d.Codebase)
		put("asked", d.Questions)
	}
	if c := j.Task.Revision; c != nil {
		put("change", []string{c.Text, c.Dimension, strings.Join(c.Actions, "\n"), strings.Join(c.Divergent, "\n")})
	}
	if kinds := read[j.kind.prefix]; kinds != nil {
		items := parse(j.Folder, nil).Of(kinds...)
		slices.SortFunc(items, func(a, b spec.Item) int { return strings.Compare(a.ID, b.ID) })
		for _, it := range items {
			put(it.ID, []string{it.Fingerprint, strings.Join(it.TracesTo, ",")})
		}
	}
	return hex.EncodeToString(h.Sum(nil))[:32]
}
