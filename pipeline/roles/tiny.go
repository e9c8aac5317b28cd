package roles

import (
	"fmt"
	"regexp"
	"strings"

	"parley/pipeline/spec"
)

// draftTiny is DRAFT-002 of the tiny track: the whole spec as one document,
// put together from the parts the standard documents are written with.
func draftTiny(j *job, u upstream) error {
	b := u.brief(j)
	r := u.requirements(j, b.Goals)
	version := 1
	if old := u.set.First(spec.DocTiny); old != nil {
		kept, err := spec.ParseRequirements(spec.Parse([]spec.File{{Path: spec.RequirementsPath, Text: j.Folder[spec.TinyPath]}}))
		if err == nil {
			r = keepRequirements(kept, r)
		}
		fmt.Sscanf(old.Front.Get("version"), "%d", &version)
		version++
	}
	r.Goals = b.Goals
	head := fmt.Sprintf("---\nsession_id: %s\nphase: 3\ndocument_type: spec\nstatus: complete\ngenerated_at: %s\nstepsCompleted: [load-context, generation]\nversion: %d\n",
		j.Session.ID, j.stamp(), version)
	if u.lang != "en" {
		head += "language: " + u.lang + "\n"
	}
	parts := []string{head + "---\n", "# " + strings.TrimPrefix(firstLineWith(b.Render()[0].Text, "# "), "# Product Brief: ") + "\n",
		phrase(u.lang, "summary tiny", len(r.Reqs)+len(r.NFRs), len(u.r.Asks())) + "\n"}
	brief := b.Render()[0].Text
	for _, title := range []string{"Vision", "Problem Statement", "Target Users", "Goals & Success Metrics"} {
		parts = append(parts, sectionOf(brief, title))
	}
	var items []string
	for _, f := range r.Render()[1:] {
		items = append(items, asItem(f.Text))
	}
	parts = append(parts, "## Requirements\n", strings.Join(items, "\n"))
	parts = append(parts, strings.Replace(sectionOf(brief, "Out of Scope"), "### Out of Scope", "## Out of Scope", 1))
	parts = append(parts, strings.Replace(sectionOf(brief, "Assumptions"), "### Assumptions", "## Assumptions", 1))
	parts = append(parts, sectionOf(r.Render()[0].Text, "Open Questions"))
	j.draft.Text[spec.TinyPath] = []byte(strings.Join(parts, "\n"))
	j.draft.Artifact = spec.TinyPath
	j.draft.Summary = fmt.Sprintf("one document, %s", count(len(r.Reqs)+len(r.NFRs), "requirement"))
	j.draft.Covered = []string{j.draft.Summary}
	return nil
}

func firstLineWith(text []byte, prefix string) string {
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, prefix) {
			return strings.TrimRight(line, "\n")
		}
	}
	return ""
}

var anyHeading = regexp.MustCompile(`^(#{1,6}) (.+)$`)

// sectionOf is a section of a rendered document with its heading.
func sectionOf(text []byte, title string) string {
	level := 0
	var out strings.Builder
	for line := range strings.Lines(string(text)) {
		m := anyHeading.FindStringSubmatch(strings.TrimRight(line, "\n"))
		switch {
		case m != nil && level == 0 && m[2] == title:
			level = len(m[1])
		case m != nil && level > 0 && len(m[1]) <= level:
			return strings.TrimRight(out.String(), "\n") + "\n"
		}
		if level > 0 {
			out.WriteString(line)
		}
	}
	return strings.TrimRight(out.String(), "\n") + "\n"
}

var (
	sectionHead = regexp.MustCompile(`(?m)^## (.+)$`)
	linkedGoal  = regexp.MustCompile(`\[(G-\d{3})\]\([^)]*\)`)
)

// asItem turns a requirement's file into a section: the H1 becomes an H3, its
// sections become labels.
func asItem(text []byte) string {
	s := string(text)
	if i := strings.Index(s, "\n---\n"); i > 0 {
		s = s[i+5:]
	}
	s = strings.TrimSpace(s)
	s = strings.Replace(s, "# ", "### ", 1)
	s = sectionHead.ReplaceAllStringFunc(s, func(h string) string {
		title := strings.TrimPrefix(h, "## ")
		switch title {
		case "Description", "Requirement":
			return ""
		}
		return "**" + title + ":**"
	})
	s = linkedGoal.ReplaceAllString(s, "$1")
	s = regexp.MustCompile(`\n{3,}`).ReplaceAllString(s, "\n\n")
	return s + "\n"
}
