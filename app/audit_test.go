package app

import (
	"encoding/json"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/app/githubsim"
	"parley/pipeline"
)

// decision is what a line of the log and a record of the folder must agree on.
type decision struct {
	Who, Command, Head, Delivery string
	At                           time.Time
}

// One line per decision of a person, in the log and in the folder: who, which
// command, on what head, by which delivery, when. A refusal is in the log only.
func TestDecisionIsInLogAndFolder(t *testing.T) {
	d := deploy(t, nil)
	d.may("rob", "read")
	number := d.issue("lifecycle")
	s := d.session(number, "ends, with its pull request", func(s pipeline.Session) bool { return ended(s) && s.PR.Number != 0 })
	d.settled()
	at := githubsim.At("octo/shop", s.PR.Number)
	for _, who := range []string{"rob", "ann"} {
		if _, err := d.Comment(who, at, "/resume"); err != nil {
			t.Fatal(err)
		}
	}
	d.settled()
	var logged, refused []decision
	for line := range strings.Lines(d.log.String()) {
		var said struct {
			decision
			Message, Decision string
		}
		if json.Unmarshal([]byte(line), &said) != nil || said.Message != "audit" {
			continue
		}
		if said.Decision == "refused" {
			refused = append(refused, said.decision)
			continue
		}
		logged = append(logged, said.decision)
	}
	if len(refused) != 1 || refused[0].Who != "rob" {
		t.Errorf("refused: %+v", refused)
	}
	files, err := d.Files("octo/shop", s.Branch())
	if err != nil {
		t.Fatal(err)
	}
	var kept []decision
	for _, m := range pipeline.ParseMessages([]byte(files[path.Join(s.Folder(), pipeline.MessagesPath)])) {
		var x decision
		if m.Data != nil && json.Unmarshal(m.Data, &x) == nil && x.Who != "" {
			kept = append(kept, x)
		}
	}
	if diff := cmp.Diff(logged, kept, cmp.AllowUnexported(decision{})); diff != "" {
		t.Error("log and folder differ: ", diff)
	}
	if len(kept) != 2 || kept[0].Command != "start" || kept[1].Command != "resume" {
		t.Fatalf("%+v", kept)
	}
	for _, k := range kept {
		if k.Who != "ann" || k.Delivery == "" || k.At.IsZero() {
			t.Errorf("says too little: %+v", k)
		}
	}
	if kept[1].Head == "" {
		t.Errorf("says no head: %+v", kept[1])
	}
}
