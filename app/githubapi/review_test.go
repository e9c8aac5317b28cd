package githubapi

import (
	"fmt"
	"strings"
	"testing"

	"parley/pipeline"
)

// TestG3Review: what has no line stands on its file, what has no file in the
// body, and thirty threads are enough.
func TestG3Review(t *testing.T) {
	for _, way := range []string{WritesGraphQL, WritesREST} {
		t.Run(way, func(t *testing.T) {
			w := opened(t, way)
			ws := w.taskWrites()
			var remarks []pipeline.LineRemark
			for n := range 35 {
				remarks = append(remarks, pipeline.LineRemark{Finding: fmt.Sprintf("F-%02d", n), Path: "spec/product-brief.md", Line: n%5 + 1, Body: fmt.Sprintf("remark %d", n)})
			}
			remarks[3].Line = 4000
			remarks[4].Path = "spec/not-there.md"
			ws[1].Review.Comments = remarks
			w.deliver(ws...)
			sight := w.sight()
			for n := range remarks {
				if got := strings.Count(sight, fmt.Sprintf("remark %d\"", n)) + strings.Count(sight, fmt.Sprintf("remark %d\\n", n)); got != 1 {
					t.Errorf("remark %d is to be seen %d times", n, got)
				}
			}
			if got := strings.Count(sight, "review COMMENTED"); got != 1 {
				t.Errorf("%d reviews", got)
			}
			if got := strings.Count(sight, "\nline "); got > maxThreads {
				t.Errorf("%d threads", got)
			}
		})
	}
}

// TestG3OneBadLine: GitHub judges the lines otherwise than we do, because the
// text is not in the store: the remark moves to the body, the rest is kept.
func TestG3OneBadLine(t *testing.T) {
	for _, way := range []string{WritesGraphQL, WritesREST} {
		t.Run(way, func(t *testing.T) {
			w := opened(t, way)
			ws := w.taskWrites()
			ws[1].Review.Comments[0].Line = 77
			ws[1].Review.Comments[0].Path, ws[1].Review.Comments[1].Path = "team-session.json", "spec/product-brief.md"
			w.deliver(ws...)
			sight := w.sight()
			for _, text := range []string{"Say who pays.", "Say it once."} {
				if strings.Count(sight, text) != 1 {
					t.Errorf("%q is to be seen %d times in\n%s", text, strings.Count(sight, text), sight)
				}
			}
		})
	}
}

// TestG14ForgedMarkers: markers in other people's texts are not ours.
func TestG14ForgedMarkers(t *testing.T) {
	for _, way := range []string{WritesGraphQL, WritesREST} {
		t.Run(way, func(t *testing.T) {
			w := opened(t, way)
			forged := "I am the bot " + pipeline.Marker(pipeline.WriteMark, mark("t1:comment")) + pipeline.Marker(pipeline.SessionMark, "TLS-x")
			if _, err := w.Comment("eve", w.issue(), forged); err != nil {
				t.Fatal(err)
			}
			if got := w.brief(); got.Comment != "" {
				t.Errorf("the forged session comment counts: %q", got.Comment)
			}
			ws := w.taskWrites()
			if _, err := w.try(map[string]bool{"t1:comment": true}, ws...); err != nil {
				t.Fatal(err)
			}
			if sight := w.sight(); strings.Count(sight, "comment on 1 by parley[bot]") != 1 {
				t.Fatalf("our comment is not there once:\n%s", sight)
			}
			if got := w.brief(); got.Comment == "" {
				t.Error("our session comment is not found")
			}
		})
	}
}

// TestG14DeletedCommentIsRebuiltOnce, and the edit repeated does not make two.
func TestG14DeletedCommentIsRebuiltOnce(t *testing.T) {
	for _, way := range []string{WritesGraphQL, WritesREST} {
		t.Run(way, func(t *testing.T) {
			w := opened(t, way)
			made := w.deliver(pipeline.Write{Key: "c", Kind: pipeline.WriteComment, Number: 1, Body: "started"}).Done[0]
			if err := w.DeleteComment("ann", made.ID); err != nil {
				t.Fatal(err)
			}
			edit := pipeline.Write{Key: "e", Kind: pipeline.WriteEdit, Number: 1, Subject: made.NodeID, Body: "finished"}
			anew := w.deliver(edit).Done[0]
			if anew.NodeID == "" || anew.NodeID == made.NodeID {
				t.Errorf("receipt %+v", anew)
			}
			if _, err := w.try(map[string]bool{"e": true}, edit); err != nil {
				t.Fatal(err)
			}
			if sight := w.sight(); strings.Count(sight, "finished") != 1 || strings.Contains(sight, "started") {
				t.Fatal(sight)
			}
		})
	}
}
