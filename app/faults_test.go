package app

import (
	"slices"
	"strings"
	"testing"

	"parley/app/githubsim"
)

// C14: a comment that was deleted before its command ran does nothing, whoever
// comes first, and the log has it.
func TestC14DeletedCommentNeverRuns(t *testing.T) {
	d := deploy(t, nil)
	number := d.issue("lifecycle")
	s := d.session(number, "waits", ended)
	d.settled()
	at := githubsim.At("octo/shop", s.PR.Number)
	said := len(d.Comments(at))
	d.HoldHooks()
	id, err := d.Comment("ann", at, "/cancel")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.DeleteComment("ann", id); err != nil {
		t.Fatal(err)
	}
	d.ReleaseHooks(func(list []*githubsim.Delivery) []*githubsim.Delivery { slices.Reverse(list); return list })
	eventually(t, "it is noted", func() bool { return strings.Contains(d.log.String(), "the comment was deleted before it ran") })
	d.settled()
	if after := d.session(number, "is there", ended); after.Status != s.Status || len(d.Comments(at)) != said {
		t.Errorf("it ran: %s, was %s", after.Status, s.Status)
	}
}
