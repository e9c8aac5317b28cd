package pipeline

import (
	"slices"
	"strings"
)

// pushed has a head read that we may not have made. Our own commits and heads
// we know are no news.
func pushed(t *turn) error {
	head := t.ev.Head
	if head == "" || head == t.s.PR.Head || head == t.s.Manifest.Head {
		t.unchanged = true
		return nil
	}
	t.job(JobSpec{ID: "edited/" + head, Kind: JobEdited, Head: head, Deadline: prepareLimit})
	return nil
}

// edited takes in what a foreign head changed. It is never overwritten: the
// manifest follows it, what descends from it is suspect, and a judged text
// that changed is judged no longer.
func edited(t *turn) error {
	e := t.ev.Edited
	if e == nil || e.Head == "" || e.Head == t.s.PR.Head && len(e.Paths) == 0 {
		t.unchanged = true
		return nil
	}
	t.s.PR.Head, t.s.Manifest.Head, t.s.PR.Outside = t.forward(e.Head), e.Head, e.Outside
	paths := slices.DeleteFunc(slices.Clone(e.Paths), func(p string) bool {
		return machine(p) || slices.Contains(t.s.Manifest.Waiting, p)
	})
	if len(paths) == 0 {
		t.takeOver(*e)
		return nil
	}
	t.s.PR.MovedAt = t.now
	t.s.Manifest.Tree = e.Tree
	t.s.Manifest.Files = mergeManifest(t.s.Manifest.Files, *e, paths)
	t.suspect(*e)
	by := "by hand"
	if e.By != "" {
		by = "by `" + login(e.By) + "`"
	}
	what := strings.Join(first(append(slices.Clone(e.Items), paths...), 5), ", ")
	t.decide(e.By, "edited "+oneLine(what), "")
	if t.s.Gate == nil || t.s.Status == SessionActive && !t.judgedNow() {
		t.warn("edited " + by + ": " + what + ". Tasks that come read it; what is done already changes with `/revise` or `/recheck`.")
		t.show()
		return nil
	}
	if t.s.Status == SessionActive {
		t.warn("edited " + by + " after the judgement: " + what + ". `/recheck` judges it.")
		t.show()
		return nil
	}
	t.pause(WaitEdited, t.s.latest("QUALITY-001").ID, "edited "+by+": "+what+"; `/recheck` judges it")
	return nil
}

// forward notes the head a foreign push left behind.
func (t *turn) forward(head string) string {
	if t.s.PR.Head != head {
		t.s.PR.Before = t.s.PR.Head
	}
	return head
}

// judgedNow tells whether the newest quality task has judged the present text.
func (t *turn) judgedNow() bool {
	q := t.s.latest("QUALITY-001")
	return q != nil && settled(*q)
}

// machine are the files of the folder that no one reads as specification.
func machine(path string) bool {
	return path == SessionPath || path == ReportPath || path == "shared-memory.json" || path == ".gitattributes" ||
		strings.HasPrefix(path, ".msg/") || strings.HasPrefix(path, "wisdom/") || strings.HasPrefix(path, "explorations/")
}

// takeOver lets the verdict stand on a head whose session folder is the judged
// one: the branch was updated, or code was pushed beside the specification.
func (t *turn) takeOver(e Edited) {
	if t.s.Manifest.Tree == "" {
		t.s.Manifest.Tree = e.Tree
	}
	t.check = true
}

// mergeManifest takes over what the foreign head has for the changed paths.
func mergeManifest(files map[string]string, e Edited, paths []string) map[string]string {
	if files == nil {
		files = map[string]string{}
	}
	for _, p := range paths {
		if blob, ok := e.Files[p]; ok {
			files[p] = blob
			continue
		}
		delete(files, p)
	}
	return files
}

// suspect marks what descends from changed items; for a change whose items are
// not known, the documents behind the changed one. What was edited itself is
// marked no longer.
func (t *turn) suspect(e Edited) {
	t.s.Suspects = slices.DeleteFunc(t.s.Suspects, func(id string) bool { return slices.Contains(e.Items, id) })
	marks := slices.Clone(e.Suspect)
	if len(marks) == 0 {
		for i, id := range specDrafts {
			touched := slices.ContainsFunc(e.Paths, func(p string) bool { return belongs(p, artifacts[id]) })
			if !touched {
				continue
			}
			for _, later := range specDrafts[i+1:] {
				if task := t.s.latest(later); task != nil && settled(*task) {
					marks = append(marks, string(task.ID))
				}
			}
			break
		}
	}
	for _, m := range marks {
		if !slices.Contains(t.s.Suspects, m) && len(t.s.Suspects) < 50 {
			t.s.Suspects = append(t.s.Suspects, m)
		}
	}
}

// belongs tells whether a path is an artifact or lies in its folder.
func belongs(path, artifact string) bool {
	folder, isIndex := strings.CutSuffix(artifact, "_index.md")
	return path == artifact || isIndex && strings.HasPrefix(path, folder)
}
