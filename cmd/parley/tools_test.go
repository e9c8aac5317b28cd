package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"parley/app"
	"parley/app/githubsim"
)

// playTools runs testdata/tools with the built program, beside the server that
// the README's lines started and the session it finished. $ID and $KEY name
// that session; of two later ones the first writes were given up. Besides testscript's own
// commands there are
//
//	redis COMMAND…    what goes wrong in Redis; $SESSION is the session's record
//	heal              GitHub answers again
//	await pulls N     so many pull requests are open
//	posted N          the App comes to so many comments on the session's issue
//
// delivery.json is the delivery of the label, payload.json its bare payload.
func (n *newcomer) playTools(t *testing.T, issue int) {
	n.t = t
	n.settle()
	session := n.onlySession()
	for _, writes := range []githubsim.Fault{{Operation: "createRef"}, {Method: "POST", Path: "/repos/octo-org/shop/git/*"}} {
		writes.Times, writes.Status, writes.Message = -1, 422, "a bad day"
		n.world.AddFault(writes)
	}
	for _, title := range []string{"Pay once", "Pay later"} {
		if _, err := n.world.OpenIssue("ann", "octo-org/shop", title, "Customers must not pay twice.", "lifecycle"); err != nil {
			t.Fatal(err)
		}
	}
	given := func() bool {
		out, _ := n.command("./parley dead list --data ./parley-data").Output()
		return strings.Count(string(out), " deliver ") == 2
	}
	if n.comes(given) != nil {
		t.Fatalf("nothing was given up\n%s", n.up.text())
	}
	vars := map[string]string{"PATH": n.dir + ":" + os.Getenv("PATH"), "PARLEY_DATA": filepath.Join(n.dir, "parley-data"), "DATA": filepath.Join(n.dir, "parley-data"), "PARLEY_GITHUB_URL": n.api,
		"PARLEY_CACHE_DIR": filepath.Join(n.dir, "cache"), "ID": session.ID, "KEY": fmt.Sprintf("%d/%d", session.Repo.ID, issue)}
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "tools"),
		Setup: func(env *testscript.Env) error {
			for name, value := range vars {
				env.Setenv(name, value)
			}
			return n.saveDelivery(env.WorkDir)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"redis": n.redis, "heal": n.heal, "await": n.awaitPulls, "posted": n.posted},
	})
}

// onlySession reads the session as parley sessions list has it.
func (n *newcomer) onlySession() (s struct {
	ID   string `json:"session_id"`
	Repo struct{ ID int64 }
}) {
	out, err := n.command("./parley sessions list --data ./parley-data --format json").Output()
	var all []json.RawMessage
	if err == nil {
		err = json.Unmarshal(out, &all)
	}
	if err != nil || len(all) != 1 {
		n.t.Fatalf("%v: %s", err, out)
	}
	if err := json.Unmarshal(all[0], &s); err != nil {
		n.t.Fatal(err)
	}
	return s
}

// saveDelivery writes the first label's delivery as a person would save it.
func (n *newcomer) saveDelivery(dir string) error {
	for _, d := range n.world.Deliveries() {
		if d.Event != "issues" || d.Action != "labeled" {
			continue
		}
		whole, err := json.Marshal(app.SavedDelivery{Event: d.Event, GUID: d.GUID, Payload: d.Payload})
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "delivery.json"), whole, 0o600)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "payload.json"), d.Payload, 0o600)
		}
		return err
	}
	return fmt.Errorf("no label was delivered")
}

func (n *newcomer) redis(ts *testscript.TestScript, _ bool, args []string) {
	conn, err := net.Dial("unix", filepath.Join(n.dir, "parley-data", "redis.sock"))
	ts.Check(err)
	defer conn.Close()
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(args))
	for _, a := range args {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(a), a)
	}
	_, err = conn.Write([]byte(b.String()))
	ts.Check(err)
	answer := make([]byte, 256)
	size, err := conn.Read(answer)
	ts.Check(err)
	if strings.HasPrefix(string(answer), "-") {
		ts.Fatalf("redis: %s", answer[:size])
	}
}

func (n *newcomer) heal(*testscript.TestScript, bool, []string) { n.world.ClearFaults() }

func (n *newcomer) awaitPulls(ts *testscript.TestScript, _ bool, args []string) {
	if n.comes(func() bool { return fmt.Sprint(len(n.world.Pulls("octo-org/shop"))) == args[1] }) != nil {
		ts.Fatalf("never\n%s", n.up.text())
	}
}

// posted waits for what the App says on the session's issue.
func (n *newcomer) posted(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	count := func() (own int) {
		for _, c := range n.world.Comments(githubsim.At("octo-org/shop", 1)) {
			if c.Author == "parley[bot]" {
				own++
			}
		}
		return own
	}
	if err := n.comes(func() bool { return count() >= want }); err != nil || count() != want {
		ts.Fatalf("%d comments, want %d\n%s", count(), want, n.up.text())
	}
}
