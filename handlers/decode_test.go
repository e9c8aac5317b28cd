package handlers

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/pipeline"
)

// Whatever decode accepts it reads as encoding/json does.
func TestDecodeAgreesWithJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := issuesPayload{envelope: envelope{Action: rapid.String().Draw(t, "action")}}
		value.Sender.Login = rapid.String().Draw(t, "login")
		value.Issue.Title = rapid.String().Draw(t, "title")
		value.Issue.Number = rapid.Int().Draw(t, "number")
		noise := rapid.MapOf(rapid.StringMatching(`noise[a-z]*`), rapid.SliceOf(rapid.String())).Draw(t, "noise")
		plain, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		extra, err := json.MarshalIndent(noise, " ", "\t")
		if err != nil {
			t.Fatal(err)
		}
		payload := strings.TrimSuffix(string(plain), "}") + `,"noise":` + string(extra) + "} "
		got, err := decode[issuesPayload]([]byte(payload))
		if err != nil {
			t.Fatal(err)
		}
		var want issuesPayload
		if err := json.Unmarshal([]byte(payload), &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, *got, cmp.AllowUnexported(issuesPayload{})); diff != "" {
			t.Fatal(diff)
		}
	})
}

// FuzzHandle sends any bytes to every handler: an error or events, no panic,
// and what is stored is bounded.
func FuzzHandle(f *testing.F) {
	f.Add([]byte(body(act("labeled"), anIssue, `"label":{"name":"lifecycle"}`, inRepo, fromWriter)))
	f.Add([]byte(body(act("created"), anIssue, say("/recheck", ""), inRepo, fromWriter)))
	f.Add([]byte(body(act("synchronize"), ourPull, inRepo, fromWriter)))
	f.Add([]byte(`{"a":"\\\"","b":[{},[]],"action":"x"}`))
	f.Add([]byte(`{"repositories_removed":[{"id":1},null,3]}`))
	f.Fuzz(func(t *testing.T, payload []byte) {
		in := &inbox{}
		for _, h := range All(testConfig(in)) {
			_ = h.Handle(t.Context(), h.event, "d", payload) // any error will do
		}
		for _, ev := range in.events {
			if ev.Repo.Installation == 0 || len(ev.Title) > maxTitle || len(ev.Label) > maxTitle {
				t.Fatalf("stored %+v", ev)
			}
			if ev.Command != nil && len(ev.Command.Text) > maxBody {
				t.Fatalf("%d bytes of text", len(ev.Command.Text))
			}
		}
	})
}

// labeled is an issues.labeled delivery of about 12 KB, as GitHub sends it:
// mostly links.
func labeled() []byte {
	var links []string
	for i := range 46 {
		links = append(links, fmt.Sprintf(`"url_%02d":"https://api.github.com/repos/octo-org/hooks/contents-%02d/{+path}{/sha}{/number}"`, i, i))
	}
	noise := strings.Join(links, ",")
	person := `{"login":"octocat","id":5,"type":"User",` + noise[:1000] + `"}`
	repo := `"repository":{"id":11,"node_id":"R_1","name":"hooks","private":false,"html_url":"https://github.com/o/hooks","default_branch":"main","owner":{"login":"o","type":"Organization"},` + noise + `}`
	issue := `"issue":{"number":142,"title":"Retry failed webhooks","user":` + person + `,"updated_at":"2026-11-21T10:00:00Z",` + noise[:3000] + `","body":"` + strings.Repeat(`Customers must be able to switch retries off.\n`, 40) + `"}`
	return []byte(body(act("labeled"), issue, `"label":{"id":1,"name":"lifecycle"}`, repo, `"installation":{"id":3}`, `"organization":{`+noise[:1500]+`"}`, `"sender":`+person))
}

func BenchmarkLabeled(b *testing.B) {
	payload := labeled()
	if !json.Valid(payload) {
		b.Fatal("fixture is not JSON")
	}
	h := All(testConfig(discard{}))[6]
	b.SetBytes(int64(len(payload)))
	b.ReportAllocs()
	for b.Loop() {
		if err := h.Handle(b.Context(), "issues", "d", payload); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkForeign is the flood an organisation sends: other apps' check runs.
func BenchmarkForeign(b *testing.B) {
	payload := []byte(strings.Replace(string(labeled()), `"action":"labeled"`, `"action":"completed","check_run":{"app":{"id":99}}`, 1))
	h := All(testConfig(discard{}))[0]
	b.SetBytes(int64(len(payload)))
	b.ReportAllocs()
	for b.Loop() {
		if err := h.Handle(b.Context(), "check_run", "d", payload); err != ErrIgnored {
			b.Fatal(err)
		}
	}
}

// BenchmarkWholeDecode is the cost decode saves: the same struct by
// encoding/json alone.
func BenchmarkWholeDecode(b *testing.B) {
	payload := labeled()
	b.SetBytes(int64(len(payload)))
	b.ReportAllocs()
	for b.Loop() {
		var p issuesPayload
		if err := json.Unmarshal(payload, &p); err != nil {
			b.Fatal(err)
		}
	}
}

type discard struct{ pipeline.Inbox }

func (discard) Accept(context.Context, pipeline.Event) error { return nil }
