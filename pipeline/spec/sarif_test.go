package spec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// What code scanning asks of an upload, by its documentation: known rules, the
// four levels, a message, a place relative to the checkout, a fingerprint of
// its own for each result, and no more of anything than it takes. make
// test-peers holds the same output against the validator of SARIF's makers.
func TestSARIFIsWhatCodeScanningTakes(t *testing.T) {
	twice := "## REQ-001: A [Must]\n\nThe service MUST answer quickly.\n\nThe service MUST answer quickly.\n\nThe service MUST retry after TBD seconds <!-- parley:allow L15 the customer's word -->\n"
	files := append(sampleFiles(), File{"docs/a b:c.md", []byte(twice)}, File{"a:b.md", []byte(twice)})
	r := Lint(files, Options{})
	if len(r.Findings) < 5 {
		t.Fatalf("%d findings prove little", len(r.Findings))
	}
	log := readSARIF(t, r)
	if log.Version != "2.1.0" || !strings.HasPrefix(log.Schema, "https://") || len(log.Runs) != 1 || len(log.Runs[0].Results) != len(r.Findings) {
		t.Fatalf("%s %s %d runs", log.Version, log.Schema, len(log.Runs))
	}
	run := log.Runs[0]
	for _, rule := range run.Tool.Driver.Rules {
		if rule.ID == "" || len(rule.Name) > 255 || rule.Short.Text == "" || len(rule.Short.Text) > 1024 || rule.Full.Text == "" || len(rule.Full.Text) > 1024 ||
			rule.Help.Text == "" || len(rule.Properties.Tags) > 10 {
			t.Errorf("rule %+v", rule)
		}
	}
	levels := map[string]bool{"error": true, "warning": true, "note": true, "none": true}
	prints := map[string]bool{}
	for i, res := range run.Results {
		print := res.Fingerprints["primaryLocationLineHash"]
		if res.RuleIndex >= len(run.Tool.Driver.Rules) || run.Tool.Driver.Rules[res.RuleIndex].ID != res.RuleID || !levels[res.Level] || res.Message.Text == "" ||
			print == "" || prints[print] || len(res.Locations) != 1 {
			t.Errorf("result %d: %+v", i, res)
			continue
		}
		prints[print] = true
		at := res.Locations[0].Physical
		uri, err := url.Parse(at.Artifact.URI)
		if err != nil || uri.IsAbs() || strings.HasPrefix(uri.Path, "/") || at.Region.Start < 1 || at.Region.End < at.Region.Start {
			t.Errorf("result %d lies at %+v: %v", i, at, err)
			continue
		}
		if path := strings.TrimPrefix(uri.Path, "./"); path != r.Findings[i].File {
			t.Errorf("result %d lies in %q, want %q", i, path, r.Findings[i].File)
		}
	}
}

func TestSARIFLeavesTheGravestWhereTheyAreTooMany(t *testing.T) {
	var r Report
	for i := range uploadLimit + 10 {
		r.Findings = append(r.Findings, Finding{Rule: "L01", Grade: Minor, File: "a.md", Line: 1, End: 1, Message: "m", Unit: fmt.Sprint(i)})
	}
	r.Findings[uploadLimit+9].Grade = Blocker
	got := readSARIF(t, r).Runs[0].Results
	if len(got) != uploadLimit || got[0].Level != "error" {
		t.Errorf("%d results, the first is %s", len(got), got[0].Level)
	}
}

// readSARIF reads the output and takes no property but those of the form.
func readSARIF(t *testing.T, r Report) sarifLog {
	t.Helper()
	var b bytes.Buffer
	if err := r.sarif(&b); err != nil {
		t.Fatal(err)
	}
	var log sarifLog
	d := json.NewDecoder(&b)
	d.DisallowUnknownFields()
	if err := d.Decode(&log); err != nil {
		t.Fatal(err)
	}
	return log
}
