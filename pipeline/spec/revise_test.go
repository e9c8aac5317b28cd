package spec

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNextIDNeverReuses(t *testing.T) {
	for name, tt := range map[string]struct {
		prefix string
		taken  []string
		want   string
	}{
		"first":          {"REQ", nil, "REQ-001"},
		"after a hole":   {"REQ", []string{"REQ-001", "REQ-003"}, "REQ-004"},
		"after retired":  {"NFR-P", []string{"NFR-P-001", "NFR-P-007"}, "NFR-P-008"},
		"other prefixes": {"NFR-S", []string{"NFR-SC-009", "REQ-004"}, "NFR-S-001"},
		"stories":        {"STORY-002", []string{"STORY-001-004", "STORY-002-001"}, "STORY-002-002"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := NextID(tt.prefix, tt.taken...); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestARevisionKeepsIdsFilesAndVersions(t *testing.T) {
	old := sampleRequirements()
	same := sampleRequirements().After(old)
	if same.Version != 1 || same.Reqs[0].Version != 1 && same.Reqs[0].Version != 0 {
		t.Errorf("nothing changed, version %d", same.Version)
	}
	now := sampleRequirements()
	// A new ask comes first, the second requirement goes, the first is renamed.
	now.Reqs = []Requirement{
		{ID: "REQ-001", Title: "Switch retries off", Priority: "Must", Description: "An owner MUST be able to disable the mechanism per endpoint.", Source: Source{18, "Customers must be able to switch retries off"}},
		now.Reqs[0],
	}
	now.Reqs[1].ID, now.Reqs[1].Title = "REQ-002", "Send again"
	got := now.After(old)
	var ids []string
	for _, r := range got.Reqs {
		ids = append(ids, r.ID)
	}
	if diff := cmp.Diff([]string{"REQ-003", "REQ-001"}, ids); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"REQ-002"}, got.Retired); diff != "" {
		t.Error(diff)
	}
	if got.Version != 2 || got.Reqs[1].File != "spec/requirements/REQ-001-retry-a-failed-delivery.md" {
		t.Errorf("version %d, file %s", got.Version, got.Reqs[1].File)
	}
	if id := got.Reqs[1].Criteria[0].ID; id != "AC-001-01" {
		t.Errorf("criterion %s", id)
	}
}

func TestEpicsKeepTheirStories(t *testing.T) {
	old, now := sampleEpics(), sampleEpics()
	slices.Reverse(now.Epics)
	now.Epics[0].ID, now.Epics[1].ID = "EPIC-001", "EPIC-002"
	now.Epics[0].Dependencies[0].Epic = "EPIC-002"
	got := now.After(old)
	if got.Epics[0].ID != "EPIC-002" || got.Epics[0].Stories[0].ID != "STORY-002-001" || got.Epics[0].Dependencies[0].Epic != "EPIC-001" {
		t.Errorf("%+v", got.Epics[0])
	}
	if len(got.Retired) != 0 {
		t.Error(got.Retired)
	}
}

func TestChangedReachesOnlyDescendants(t *testing.T) {
	old := Parse(sampleFiles())
	files := sampleFiles()
	for i := range files {
		if strings.Contains(files[i].Path, "REQ-002") {
			files[i].Text = []byte(strings.Replace(string(files[i].Text), "shows the status 503", "shows the status 429", 1))
		}
	}
	items, suspect := Changed(old, Parse(files))
	if diff := cmp.Diff([]string{"REQ-002"}, items); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"ADR-002", "EPIC-002", "STORY-002-001"}, suspect); diff != "" {
		t.Error(diff)
	}
}

func TestRelinkTouchesOnlyComputedLinks(t *testing.T) {
	files := sampleBrief().Render()
	files = append(files, sampleRequirements().Render(Parse(files))...)
	files = append(files, sampleArchitecture().Render(Parse(files))...)
	files = append(files, sampleEpics().Render(Parse(files))...)
	want := byPath(sampleFiles())
	for i := range files {
		files[i].Text = []byte(strings.Replace(string(files[i].Text), "## User Story", "A remark by hand.\n\n## User Story", 1))
	}
	changed := byPath(Relink(files))
	if len(changed) != 5 {
		t.Errorf("%d files changed", len(changed))
	}
	for path, text := range changed {
		if strings.Replace(text, "A remark by hand.\n\n## User Story", "## User Story", 1) != want[path] {
			t.Errorf("%s: %s", path, cmp.Diff(want[path], text))
		}
	}
}

func TestMerge(t *testing.T) {
	const base = "---\nid: REQ-001\npriority: Must\nversion: 1\n---\n\n# REQ-001: A\n\n## Description\n\nold\n\n## Notes\n\nn\n"
	edit := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(base) }
	tests := []struct {
		name, theirs, ours, want string
		clashes                  int
	}{
		{"only ours", base, edit("old", "new"), edit("old", "new"), 0},
		{"only theirs", edit("old", "by hand"), base, edit("old", "by hand"), 0},
		{"different sections", edit("\nn\n", "\nm\n"), edit("old", "new"), edit("old", "new", "\nn\n", "\nm\n"), 0},
		{"same section", edit("old", "by hand"), edit("old", "new"), edit("old", "by hand"), 1},
		{"same change", edit("old", "new"), edit("old", "new"), edit("old", "new"), 0},
		{"frontmatter by key", edit("Must", "Could"), edit("version: 1", "version: 2"), edit("Must", "Could", "version: 1", "version: 2"), 0},
		{"they add a section", base + "\n## Mine\n\nx\n", edit("old", "new"), edit("old", "new") + "\n## Mine\n\nx\n", 0},
		{"they drop a section", strings.Replace(base, "## Notes\n\nn\n", "", 1), edit("old", "new"), strings.Replace(edit("old", "new"), "## Notes\n\nn\n", "", 1), 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := func(s string) []File { return []File{{"spec/requirements/REQ-001-a.md", []byte(s)}} }
			merged, clashes := Merge(file(base), file(tt.theirs), file(tt.ours))
			if diff := cmp.Diff(tt.want, string(merged[0].Text)); diff != "" {
				t.Error(diff)
			}
			if len(clashes) != tt.clashes {
				t.Errorf("clashes: %+v", clashes)
			}
		})
	}
}
