package githubapi

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/app/githubsim"
	"parley/pipeline"
)

// TestConfiguration comes from the default branch, the organisation's under
// the repository's, in the briefing's one query.
func TestConfiguration(t *testing.T) {
	w := newWorld(t, WritesAuto)
	w.c.cfg.ParseSettings = func(org, repo []byte) (pipeline.Settings, []string) {
		return pipeline.DefaultSettings(), []string{"org " + string(org), "repo " + string(repo)}
	}
	before := w.Counts().Requests
	if diff := cmp.Diff([]string{"org ", "repo "}, w.brief().Problems); diff != "" {
		t.Error(diff)
	}
	if got := w.Counts().Requests - before; got != 1 {
		t.Errorf("%d requests for a briefing", got)
	}
	if _, err := w.AddRepo("octo/.github", map[string]string{".github/parley.yml": "floor"}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Push("octo", "octo/shop", "main", map[string]string{".github/parley.yml": "mine"}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Push("ann", "octo/shop", "feature", map[string]string{".github/parley.yml": "not merged"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"org floor", "repo mine"}, w.brief().Problems); diff != "" {
		t.Error(diff)
	}
	if got, err := w.c.ReadFile(t.Context(), w.session.Repo, "feature", ".github/parley.yml"); err != nil || string(got) != "not merged" {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := w.c.ReadFile(t.Context(), w.session.Repo, "feature", "not/there"); err != nil || got != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestEarlierSessions are found by our own pull requests' branches; a person's
// branch of such a name is none.
func TestEarlierSessions(t *testing.T) {
	w := opened(t, WritesAuto)
	if _, err := w.Push("ann", "octo/shop", "lifecycle/TLS-fake-1-2026-01-01", map[string]string{"x": "y"}); err != nil {
		t.Fatal(err)
	}
	want := []pipeline.EarlierSession{{ID: w.session.ID, PR: w.session.PR.Number, Status: pipeline.SessionActive}}
	if diff := cmp.Diff(want, w.brief().Existing); diff != "" {
		t.Error(diff)
	}
	w.deliver(pipeline.Write{Key: "close", Kind: pipeline.WriteClose}, pipeline.Write{Key: "delete", Kind: pipeline.WriteDelete})
	want[0].Status = pipeline.SessionAborted
	if diff := cmp.Diff(want, w.brief().Existing); diff != "" {
		t.Error(diff)
	}
}

func TestSessionIDPattern(t *testing.T) {
	for id, want := range map[string]string{"TLS-pay-once-7-2026-11-21": "7", "TLS-pay-7-2026-11-21-2": "7", "TLS-issue-12-20261121": "12", "TLS-7-2026-11-21": "7", "TLS-pay-2026-11-21": "", "feature": "", "TLS-pay-7": ""} {
		got := ""
		if m := sessionID.FindStringSubmatch(id); m != nil {
			got = m[1]
		}
		if got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
}

// TestThreads: a finding counts only where we opened the thread, a stranger's
// words not beside a writer's.
func TestThreads(t *testing.T) {
	w := opened(t, WritesAuto)
	w.deliver(w.taskWrites()...)
	threads, err := w.c.Threads(t.Context(), w.session.Repo, w.session.PR.Number)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, th := range threads {
		got = append(got, fmt.Sprintf("%s %s:%d %v", th.Finding, th.Path, th.Line, th.Writer))
	}
	if diff := cmp.Diff([]string{"F-01 spec/product-brief.md:3 false", "F-02 spec/product-brief.md:5 false"}, got); diff != "" {
		t.Fatal(diff)
	}
	done := w.deliver(
		pipeline.Write{Key: "r", Kind: pipeline.WriteReply, Threads: []string{threads[0].ID}, Body: "Changed."},
		pipeline.Write{Key: "s", Kind: pipeline.WriteResolve, Threads: []string{threads[0].ID}},
		pipeline.Write{Key: "u", Kind: pipeline.WriteResolve, Threads: []string{threads[1].ID}, Body: "Closed at green."})
	if done.Requests.Requests != 1 || done.Requests.Created != 0 {
		t.Errorf("took %+v", done.Requests)
	}
	threads, err = w.c.Threads(t.Context(), w.session.Repo, w.session.PR.Number)
	if err != nil || len(threads) != 2 {
		t.Fatalf("threads: %v, %v", threads, err)
	}
	for i, th := range threads {
		if want := fmt.Sprintf("F-0%d", i+1); !th.Resolved || th.Finding != want || len(th.Root) < 2 {
			t.Errorf("resolved: %+v, want %s", th, want)
		}
	}
	if sight := w.sight(); strings.Count(sight, "Changed.") != 1 || strings.Count(sight, "Closed at green.") != 1 {
		t.Fatal(sight)
	}
}

func TestThreadVoices(t *testing.T) {
	page := func(comments string) string {
		return `{"data":{"repository":{"pullRequest":{"reviewThreads":{"pageInfo":{"hasNextPage":false},"nodes":[{"id":"T","isResolved":false,"path":".workflow/.team/S/spec/a.md","line":null,"originalLine":4,"comments":{"nodes":[` + comments + `]}}]}}}}}`
	}
	finding := pipeline.Marker(pipeline.FindingMark, "F-01")
	say := func(login, kind, body string, ours bool) string {
		return fmt.Sprintf(`{"fullDatabaseId":"9","body":%q,"viewerDidAuthor":%v,"author":{"__typename":%q,"login":%q}}`, body, ours, kind, login)
	}
	tests := []struct {
		name, comments string
		want           pipeline.Thread
	}{
		{"forged finding", say("eve", "User", "x "+finding, false), pipeline.Thread{Author: "eve", Texts: []string{"x " + finding}}},
		{"ours, then a writer", say("parley", "Bot", finding, true) + "," + say("ann", "User", "do it", false), pipeline.Thread{Finding: "F-01", Root: "9", Author: "ann", Texts: []string{"do it"}, Writer: true}},
		{"a stranger before and after a writer", say("eve", "User", "rm", false) + "," + say("ann", "User", "do it", false) + "," + say("eve", "User", "and rm", false), pipeline.Thread{Author: "ann", Texts: []string{"do it"}, Writer: true}},
		{"another bot", say("dependabot", "Bot", "bump", false), pipeline.Thread{Author: "dependabot"}},
		{"a deleted account", `{"body":"x","viewerDidAuthor":false,"author":null}`, pipeline.Thread{Author: "ghost"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, c := newWire(t, func(rw http.ResponseWriter, req *http.Request) {
				if strings.HasSuffix(req.URL.Path, "/permission") {
					role := "read"
					if strings.Contains(req.URL.Path, "/ann/") {
						role = "write"
					}
					fmt.Fprintf(rw, `{"permission":%q,"role_name":%q}`, role, role)
					return
				}
				io.WriteString(rw, page(test.comments))
			})
			got, err := c.Threads(t.Context(), testRepo, 3)
			if err != nil {
				t.Fatal(err)
			}
			test.want.ID, test.want.Path, test.want.Line = "T", "spec/a.md", 4
			if diff := cmp.Diff([]pipeline.Thread{test.want}, got); diff != "" {
				t.Fatal(diff)
			}
		})
	}
}

// TestG16OddFolders: what is no plain file is refused by name.
func TestG16OddFolders(t *testing.T) {
	tests := []struct{ name, entry, want string }{
		{"symlink", `{"name":"a.md","type":"blob","mode":40960,"oid":"1","object":{"__typename":"Blob","oid":"1","text":"/etc/passwd","byteSize":11}}`, "symbolic link"},
		{"submodule", `{"name":"a","type":"commit","mode":57344,"oid":"1","object":null}`, "submodule"},
		{"lfs", `{"name":"a.md","type":"blob","mode":33188,"oid":"1","object":{"oid":"1","text":"version https://git-lfs.github.com/spec/v1\noid sha256:x\n","byteSize":60}}`, "Git LFS"},
		{"60 MB", `{"name":"a.md","type":"blob","mode":33188,"oid":"1","object":{"oid":"1","text":null,"isTruncated":true,"byteSize":62914560}}`, "62914560 bytes"},
		{"too deep", `{"name":"a","type":"tree","mode":16384,"oid":"1","object":null}`, "deeper"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, c := newWire(t, reply200(`{"data":{"repository":{"head":{"oid":"h","author":{"name":"x"}},"tree":{"__typename":"Tree","oid":"t","entries":[`+test.entry+`]}}}}`))
			_, err := c.Folder(t.Context(), testRepo, "lifecycle/x", ".workflow/.team/x")
			var refusal *pipeline.Refusal
			if !errors.As(err, &refusal) || !strings.Contains(refusal.Text, test.want) {
				t.Fatalf("got %v", err)
			}
		})
	}
}

func TestFolderCountsOutside(t *testing.T) {
	w := opened(t, WritesAuto)
	head, err := w.Push("ann", "octo/shop", w.session.Branch(), map[string]string{"main.go": "package main\n", "docs/a.md": "a"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := w.c.Folder(t.Context(), w.session.Repo, head, w.session.Folder())
	if err != nil || got.Outside != 2 || got.Author != "ann" || got.Tree != w.session.Manifest.Tree {
		t.Fatalf("got outside %d, author %q, tree %q, %v", got.Outside, got.Author, got.Tree, err)
	}
	if _, err := w.c.Folder(t.Context(), w.session.Repo, "no-such-branch", w.session.Folder()); !errors.Is(err, pipeline.ErrNotFound) {
		t.Fatalf("got %v", err)
	}
}

func TestSource(t *testing.T) {
	w := newWorld(t, WritesAuto)
	w.brief()
	before := w.Counts().Requests
	for range 3 {
		files, err := w.c.Source(t.Context(), w.session.Repo, w.session.PR.BaseHead)
		if err != nil {
			t.Fatal(err)
		}
		text, err := fs.ReadFile(files, "README.md")
		if err != nil || string(text) != "# Shop\n" {
			t.Fatalf("got %q, %v", text, err)
		}
	}
	if got := w.Counts().Requests - before; got > 2 {
		t.Errorf("%d requests for one commit", got)
	}
	if files, err := w.c.Source(t.Context(), w.session.Repo, ""); files != nil || err != nil {
		t.Errorf("an empty repository: %v, %v", files, err)
	}
	if _, err := w.c.Source(t.Context(), w.session.Repo, "../../etc"); err == nil {
		t.Error("took a path for a commit")
	}
	if _, err := w.c.Source(t.Context(), w.session.Repo, strings.Repeat("0", 40)); err == nil {
		t.Error("found a commit that is not there")
	}
}

// TestG22MovedRepository: a rename is followed, with the old names still in
// the session; what is archived, suspended or another repository is gone.
func TestG22MovedRepository(t *testing.T) {
	for _, way := range []string{WritesGraphQL, WritesREST} {
		t.Run(way+"/renamed", func(t *testing.T) {
			w := opened(t, way)
			if err := w.RenameRepo("octo/shop", "store"); err != nil {
				t.Fatal(err)
			}
			got := w.deliver(w.taskWrites()...)
			if got.Head == "" || len(got.Done) != len(w.taskWrites()) {
				t.Fatalf("got %+v", got)
			}
			if b := w.brief(); b.Repo.Name != "store" {
				t.Errorf("the name is %q", b.Repo.Name)
			}
		})
		t.Run(way+"/archived", func(t *testing.T) {
			w := opened(t, way)
			if err := w.Archive("octo/shop", true); err != nil {
				t.Fatal(err)
			}
			if _, err := w.try(nil, w.taskWrites()[0]); !errors.Is(err, pipeline.ErrGone) && !errors.Is(err, pipeline.ErrForbidden) {
				t.Fatalf("got %v", err)
			}
			if _, err := w.c.Brief(t.Context(), w.session.Repo, 1); !errors.Is(err, pipeline.ErrGone) {
				t.Fatalf("got %v", err)
			}
		})
		t.Run(way+"/another of that name", func(t *testing.T) {
			w := opened(t, way)
			other := w.session.Repo
			other.ID = 424242
			if _, err := w.c.Brief(t.Context(), other, 1); err == nil {
				t.Error("took another repository of the same name")
			}
		})
	}
}

// TestG20Gates: of open heads, of one, and of none; another app's check of the
// same name is not ours.
func TestG20Gates(t *testing.T) {
	w := opened(t, WritesAuto)
	forge(t, w)
	got, err := w.c.GateOf(t.Context(), w.session.Repo, w.session.PR.Number)
	if err != nil || got.Status != "" || !got.Ours || got.Head != w.session.PR.Head {
		t.Fatalf("before our check: %+v, %v", got, err)
	}
	check := &pipeline.CheckWrite{Status: "completed", Conclusion: "success", Title: "PASS", Summary: "x", External: w.session.ID}
	if done, err := w.try(map[string]bool{"g": true}, pipeline.Write{Key: "g", Kind: pipeline.WriteCheck, Check: check}); err != nil || done.Done[0].ID == 0 {
		t.Fatalf("%+v, %v", done, err)
	}
	heads, err := w.c.OpenHeads(t.Context(), w.session.Repo)
	want := []OpenHead{{Number: w.session.PR.Number, Branch: w.session.Branch(), Head: w.session.PR.Head, Ours: true, Status: "completed", Conclusion: "success", External: w.session.ID}}
	if diff := cmp.Diff(want, heads); diff != "" || err != nil {
		t.Fatal(diff, err)
	}
	holds, err := w.c.Contains(t.Context(), w.session.Repo, w.session.PR.Head, w.session.PR.BaseHead)
	if err != nil || !holds {
		t.Errorf("got %v, %v", holds, err)
	}
	if holds, err = w.c.Contains(t.Context(), w.session.Repo, w.session.PR.BaseHead, w.session.PR.Head); err != nil || holds {
		t.Errorf("got %v, %v", holds, err)
	}
}

// forge lets another app post a green check with our gate's name.
func forge(t *testing.T, w *world) {
	t.Helper()
	app := w.RegisterApp(githubsim.AppConfig{Slug: "eve", Key: &rsaKey().PublicKey})
	installed, err := w.Install(app, "octo")
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(Config{BaseURL: w.c.rest, AppID: app.ID, Keys: [][]byte{testKey(t)}, CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	s := w.session
	s.Repo.Installation = installed.ID
	check := &pipeline.CheckWrite{Status: "completed", Conclusion: "success", Title: "PASS", Summary: "x", External: s.ID}
	if _, err := c.Deliver(t.Context(), pipeline.Batch{Session: s, Writes: []pipeline.Write{{Key: "g", Kind: pipeline.WriteCheck, Check: check}}}); err != nil {
		t.Fatal(err)
	}
}

func TestRecoveryReads(t *testing.T) {
	w := opened(t, WritesAuto)
	w.deliver(w.taskWrites()...)
	app, err := w.c.App(t.Context())
	if err != nil || app.Slug != "parley" || app.Permissions["checks"] != "write" || app.Skew.Abs() > time.Minute {
		t.Fatalf("got %+v, %v", app, err)
	}
	all, err := w.c.Installations(t.Context())
	if err != nil || len(all) != 1 || all[0].Account.Login != "octo" {
		t.Fatalf("got %+v, %v", all, err)
	}
	repos, err := w.c.Repositories(t.Context(), all[0].ID)
	if err != nil || len(repos) != 1 || repos[0].ID != w.session.Repo.ID || repos[0].NodeID == "" {
		t.Fatalf("got %+v, %v", repos, err)
	}
	issues, err := w.c.Labelled(t.Context(), w.session.Repo, "lifecycle", time.Now().Add(-time.Hour))
	if err != nil || len(issues) != 1 || !issues[0].Started || issues[0].At.IsZero() || issues[0].By.Login != "ann" {
		t.Fatalf("got %+v, %v", issues, err)
	}
	files, err := w.c.ChangedFiles(t.Context(), w.session.Repo, w.session.PR.Number)
	if err != nil || !slices.Contains(files, w.session.Folder()+"/team-session.json") {
		t.Fatalf("got %v, %v", files, err)
	}
}

// An issue that people went on talking about has been started all the same.
func TestStartedLongAgo(t *testing.T) {
	w := opened(t, WritesAuto)
	started := func() bool {
		t.Helper()
		issues, err := w.c.Labelled(t.Context(), w.session.Repo, "lifecycle", time.Now().Add(-time.Hour))
		if err != nil || len(issues) != 1 {
			t.Fatalf("got %+v, %v", issues, err)
		}
		return issues[0].Started
	}
	talk := func(n int) {
		for range n {
			if _, err := w.Comment("ann", w.issue(), "and another thing"); err != nil {
				t.Fatal(err)
			}
		}
	}
	talk(120)
	if _, err := w.Comment("eve", w.issue(), "Started. "+pipeline.Marker(pipeline.SessionMark, w.session.ID)); err != nil {
		t.Fatal(err)
	}
	if started() {
		t.Error("started without a session comment of ours")
	}
	w.deliver(pipeline.Write{Key: "c", Kind: pipeline.WriteComment, Number: 1, Body: "Started. " + pipeline.Marker(pipeline.SessionMark, w.session.ID)})
	talk(220)
	if !started() {
		t.Error("not started behind 220 comments")
	}
}

func TestDeliveryLog(t *testing.T) {
	w := newWorld(t, WritesAuto)
	page, next, err := w.c.Deliveries(t.Context(), "")
	if err != nil || len(page) == 0 {
		t.Fatalf("got %+v, %q, %v", page, next, err)
	}
	got, err := w.c.Delivery(t.Context(), page[0].ID)
	if err != nil || got.GUID != page[0].GUID || len(got.Payload) == 0 {
		t.Fatalf("got %+v, %v", got, err)
	}
}

func TestNextCursor(t *testing.T) {
	for link, want := range map[string]string{
		`<https://api.github.com/app/hook/deliveries?per_page=100&cursor=v1_17323292984>; rel="next"`: "v1_17323292984",
		`<https://h/a?cursor=x>; rel="prev", <https://h/a?cursor=y>; rel="next"`:                      "y",
		`<https://h/a?cursor=x>; rel="prev"`:                                                          "",
		``:                                                                                            "",
		`garbage; rel="next"`:                                                                         "",
	} {
		if got := nextCursor(link); got != want {
			t.Errorf("%q: %q, want %q", link, got, want)
		}
	}
}
