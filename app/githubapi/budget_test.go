package githubapi

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"parley/app/githubsim"
	"parley/pipeline"
)

// TestRequestBudget plays a whole spec-only session's writes, six tasks with a
// round each: design section 6 allows 24 requests and 10 created objects.
func TestRequestBudget(t *testing.T) {
	w := newWorld(t, WritesAuto)
	ctx, meter := pipeline.Metered(t.Context())
	if _, err := w.c.Permission(ctx, w.session.Repo, "ann"); err != nil {
		t.Fatal(err)
	}
	b, err := w.c.Brief(ctx, w.session.Repo, 1)
	if err != nil {
		t.Fatal(err)
	}
	w.session.Repo, w.session.Issue, w.session.PR.BaseHead = b.Repo, b.Issue, b.BaseHead
	total := meter.Requests()
	send := func(ws ...pipeline.Write) { total = total.Plus(w.deliver(ws...).Requests) }
	react := func(key, content string) pipeline.Write {
		return pipeline.Write{Key: key, Kind: pipeline.WriteReact, Ornament: true, Subject: w.session.Issue.NodeID, Content: content}
	}
	send(react("eyes", "EYES"))
	send(w.openWrite())
	first := w.taskWrites()
	send(first[2], first[3], first[4], first[6]) // check, panel, comment, assign
	for n := range 6 {
		ws := w.taskWrites()[:4]
		for i := range ws {
			ws[i].Key = fmt.Sprintf("%s:%d", ws[i].Key, n)
		}
		ws[0].Files[0] = pipeline.FileChange{Path: fmt.Sprintf("spec/%d.md", n), Text: "1\n2\n3\n4\n5\n"}
		ws[0].Append[0].Key = fmt.Sprint("a", n)
		for i := range ws[1].Review.Comments {
			ws[1].Review.Comments[i].Path = fmt.Sprintf("spec/%d.md", n)
			ws[1].Review.Comments[i].Finding = fmt.Sprintf("F-%d%d", n, i)
		}
		ws[3].Body = pipeline.PanelStart + fmt.Sprintf("\ntask %d\n", n) + pipeline.PanelEnd
		send(ws...)
	}
	done := &pipeline.CheckWrite{Status: "completed", Conclusion: "success", Title: "PASS", Summary: "x", External: w.session.ID}
	send(pipeline.Write{Key: "ready", Kind: pipeline.WriteReady}, pipeline.Write{Key: "green", Kind: pipeline.WriteCheck, Check: done}, react("rocket", "ROCKET"))
	if total.Requests > 24 || total.Created > 10 {
		t.Fatalf("%+v", total)
	}
	if seen := w.Counts(); seen.Requests != total.Requests || seen.GraphQL != total.GraphQL {
		t.Fatalf("GitHub saw %+v, we counted %+v", seen, total)
	}
	t.Logf("%+v", total)
}

// TestSecondTryLooksOnce: what an earlier try may have left is read once, however
// many commits and groups of writes there are to look for.
func TestSecondTryLooksOnce(t *testing.T) {
	for _, sent := range []bool{false, true} {
		t.Run(fmt.Sprint("sent ", sent), func(t *testing.T) {
			w := opened(t, WritesGraphQL)
			var ws []pipeline.Write
			for n := range 3 {
				one := w.taskWrites()[:3]
				one[0].Files = []pipeline.FileChange{{Path: fmt.Sprintf("spec/%d.md", n), Text: "1\n2\n3\n4\n5\n"}}
				one[0].Append[0].Key = fmt.Sprint("a", n)
				one[1].Body, one[1].Review.Comments = fmt.Sprint("Round ", n), nil
				one[2].Check.Title = fmt.Sprint("task ", n)
				for i := range one {
					one[i].Key = fmt.Sprintf("%s:%d", one[i].Key, n)
				}
				ws = append(ws, one...)
			}
			before := w.session
			if sent { // and whoever sent it did not live to say so
				w.deliver(ws...)
				w.session = before
			}
			again, reads := map[string]bool{}, map[string]int{}
			for _, x := range ws {
				again[x.Key] = true
			}
			w.c.cfg.Observe = func(c Call) {
				kind, _, _ := strings.Cut(c.Op, " ")
				reads[kind]++
			}
			if got, err := w.try(again, ws...); err != nil || len(got.Done) != len(ws) {
				t.Fatalf("%v, %d of %d done", err, len(got.Done), len(ws))
			}
			if reads["read"] != 1 || reads["look"] != 1 {
				t.Errorf("requests %v", reads)
			}
			sight := w.sight()
			for n := range 3 {
				if strings.Count(sight, fmt.Sprintf("Round %d", n)) != 1 || strings.Count(sight, fmt.Sprintf("file .workflow/.team/%s/spec/%d.md", w.session.ID, n)) != 1 {
					t.Errorf("task %d is not there once:\n%s", n, sight)
				}
			}
			if strings.Count(sight, "commit \"") != 4 || !strings.Contains(sight, `"task 2"`) {
				t.Error(sight)
			}
		})
	}
}

// TestG4LongTexts: what is too long is cut where nothing is half said, and
// the panel gives way before people's words do.
func TestG4LongTexts(t *testing.T) {
	for _, way := range []string{WritesGraphQL, WritesREST} {
		t.Run(way, func(t *testing.T) {
			w := opened(t, way)
			long := "<details>\n\n```go\n" + strings.Repeat("ünï ", 30000) + "\n```\n</details>\n"
			w.deliver(pipeline.Write{Key: "c", Kind: pipeline.WriteComment, Number: 1, Body: long})
			words := strings.Repeat("Ann's words. ", 4000)
			if err := w.EditBody("ann", w.pull(), words); err != nil {
				t.Fatal(err)
			}
			w.deliver(pipeline.Write{Key: "p", Kind: pipeline.WritePanel, Body: pipeline.PanelStart + "\n" + long + "\n" + pipeline.PanelEnd})
			check := &pipeline.CheckWrite{Status: "in_progress", Title: strings.Repeat("ü", 300), Summary: long, Text: long, External: w.session.ID}
			w.deliver(pipeline.Write{Key: "k", Kind: pipeline.WriteCheck, Check: check})
			pull, _, err := w.eyes.PullRequests.Get(t.Context(), "octo", "shop", w.session.PR.Number)
			if err != nil {
				t.Fatal(err)
			}
			body := pull.GetBody()
			if !strings.HasPrefix(body, strings.TrimSpace(words)) || strings.Count(body, pipeline.PanelEnd) != 1 || len(body) > 65536 || !utf8.ValidString(body) {
				t.Fatalf("the body has %d bytes, %d panels", len(body), strings.Count(body, pipeline.PanelEnd))
			}
			if strings.Count(body, "<details>") != strings.Count(body, "</details>") || strings.Count(body, "```")%2 != 0 {
				t.Error("something is left open")
			}
		})
	}
}

// TestG11NotThereYet: a pull request just opened may not be found; that is
// tried again, never the end.
func TestG11NotThereYet(t *testing.T) {
	w := opened(t, WritesAuto)
	w.AddFault(githubsim.Fault{Operation: "addPullRequestReview", Type: "NOT_FOUND", Message: "Could not resolve to a node"})
	_, err := w.try(nil, w.taskWrites()...)
	if err == nil || errors.Is(err, pipeline.ErrGone) || errors.Is(err, pipeline.ErrForbidden) {
		t.Fatalf("got %v", err)
	}
	if _, err := w.try(map[string]bool{"t1:review": true}, w.taskWrites()[1]); err != nil {
		t.Fatal(err)
	}
	if sight := w.sight(); strings.Count(sight, "review COMMENTED") != 1 {
		t.Fatal(sight)
	}
}

// TestG13LongConversation: our comment is found however many follow it.
func TestG13LongConversation(t *testing.T) {
	for _, way := range []string{WritesGraphQL, WritesREST} {
		t.Run(way, func(t *testing.T) {
			w := opened(t, way)
			for n := range 130 {
				if _, err := w.Comment("ann", w.issue(), fmt.Sprint("before ", n)); err != nil {
					t.Fatal(err)
				}
			}
			made := w.deliver(pipeline.Write{Key: "c", Kind: pipeline.WriteComment, Number: 1, Body: "started"}).Done[0]
			for n := range 20 {
				if _, err := w.Comment("ann", w.issue(), fmt.Sprint("after ", n)); err != nil {
					t.Fatal(err)
				}
			}
			got := w.deliver(pipeline.Write{Key: "e", Kind: pipeline.WriteEdit, Number: 1, Subject: made.NodeID, Body: "finished"}).Done[0]
			if got.NodeID != made.NodeID || got.ID != made.ID {
				t.Fatalf("edited %+v, not %+v", got, made)
			}
		})
	}
}
