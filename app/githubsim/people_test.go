package githubsim

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWhatPeopleDo: the deliveries of each act, in order.
func TestWhatPeopleDo(t *testing.T) {
	tests := []struct {
		name string
		act  func(*bench) error
		want []string
	}{
		{"push to the branch", func(b *bench) error {
			_, err := b.Push("wes", testRepo, "lifecycle/one", map[string]string{"spec/a.md": "zero\none\n"})
			return err
		}, []string{"push", "pull_request.synchronize", "check_suite.requested"}},
		{"line comment", func(b *bench) error {
			_, err := b.ReviewComment("wes", At(testRepo, 2), "spec/a.md", 1, "hm")
			return err
		}, []string{"pull_request_review.submitted", "pull_request_review_comment.created"}},
		{"merge closes what the body names", func(b *bench) error {
			if err := b.EditBody("wes", At(testRepo, 2), "Closes #1"); err != nil {
				return err
			}
			return b.MergePull("wes", At(testRepo, 2), false)
		}, []string{"pull_request.edited", "pull_request.ready_for_review", "pull_request.closed", "push", "check_suite.requested", "issues.closed"}},
		{"branch deleted", func(b *bench) error { return b.DeleteBranch("wes", testRepo, "lifecycle/one") },
			[]string{"push", "pull_request.closed"}},
		{"retarget", func(b *bench) error {
			if err := b.CreateBranch("wes", testRepo, "next", "main"); err != nil {
				return err
			}
			return b.Retarget("wes", At(testRepo, 2), "next")
		}, []string{"push", "check_suite.requested", "pull_request.edited"}},
		{"merge group", func(b *bench) error {
			head, err := b.MergeGroup(testRepo, 2)
			if err != nil {
				return err
			}
			return b.DestroyMergeGroup(testRepo, head, "merged")
		}, []string{"merge_group.checks_requested", "merge_group.destroyed"}},
		{"rename", func(b *bench) error { return b.RenameRepo(testRepo, "store") }, []string{"repository.renamed"}},
		{"archive", func(b *bench) error { return b.Archive(testRepo, true) }, []string{"repository.archived"}},
		{"suspend and back", func(b *bench) error { b.Suspend(b.inst, true); b.Suspend(b.inst, false); return nil },
			[]string{"installation.suspend", "installation.unsuspend"}},
		{"uninstall", func(b *bench) error { b.Uninstall(b.inst); return nil }, []string{"installation.deleted"}},
		{"nothing while suspended", func(b *bench) error {
			b.Suspend(b.inst, true)
			return b.Label("ann", At(testRepo, 1), "lifecycle")
		}, []string{"installation.suspend"}},
		{"transfer of an issue", func(b *bench) error {
			if _, err := b.AddRepo("acme/other", map[string]string{"a": "b"}); err != nil {
				return err
			}
			_, err := b.TransferIssue("ann", At(testRepo, 1), "acme/other")
			return err
		}, []string{"issues.transferred", "issues.opened"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			b := newBench(t)
			_, err := b.OpenIssue("ann", testRepo, "A cart", "body")
			must(t, err)
			b.pull(b.token(nil), map[string]string{"spec/a.md": "one\n"})
			b.forget()
			must(t, tc.act(b))
			if diff := cmp.Diff(tc.want, b.heard()); diff != "" {
				t.Errorf("deliveries (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWhoMay: what people of each role are let do.
func TestWhoMay(t *testing.T) {
	acts := map[string]func(*bench, string) error{
		"comment": func(b *bench, who string) error { _, err := b.Comment(who, At(testRepo, 1), "hello"); return err },
		"label":   func(b *bench, who string) error { return b.Label(who, At(testRepo, 1), "lifecycle") },
		"push": func(b *bench, who string) error {
			_, err := b.Push(who, testRepo, "x", map[string]string{"a": "b"})
			return err
		},
	}
	may := map[string][]string{"stranger": {"comment"}, "tess": {"comment", "label"}, "wes": {"comment", "label", "push"}, "ann": {"comment", "label", "push"}}
	for who, allowed := range may {
		for name, act := range acts {
			t.Run(who+" "+name, func(t *testing.T) {
				b := newBench(t)
				_, err := b.OpenIssue("ann", testRepo, "A cart", "body")
				must(t, err)
				want := false
				for _, a := range allowed {
					want = want || a == name
				}
				if err := act(b, who); (err == nil) != want {
					t.Errorf("allowed %v, want %v: %v", err == nil, want, err)
				}
			})
		}
	}
}

// TestThreadFollows: a thread moves with its line and is outdated when the line changes.
func TestThreadFollows(t *testing.T) {
	b := newBench(t)
	_, err := b.OpenIssue("ann", testRepo, "A cart", "body")
	must(t, err)
	b.pull(b.token(nil), map[string]string{"spec/a.md": "one\ntwo\nthree\n"})
	_, err = b.ReviewComment("wes", At(testRepo, 2), "spec/a.md", 2, "hm")
	must(t, err)
	push := func(text string) ThreadView {
		t.Helper()
		_, err := b.Push("wes", testRepo, "lifecycle/one", map[string]string{"spec/a.md": text})
		must(t, err)
		return b.Threads(At(testRepo, 2))[0]
	}
	if v := push("zero\none\ntwo\nthree\n"); v.Line != 3 || v.Outdated {
		t.Errorf("after a line above: %+v", v)
	}
	if v := push("zero\none\n2\nthree\n"); v.Line != 0 || !v.Outdated {
		t.Errorf("after the line changed: %+v", v)
	}
}
