package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/discuss"
)

// call runs parley as a shell would, with no environment.
func call(args ...string) (code int, out, errs string) {
	var stdout, stderr bytes.Buffer
	code = run(args, &terminal{in: strings.NewReader(""), out: &stdout, err: &stderr, env: func(string) (string, bool) { return "", false }})
	return code, stdout.String(), stderr.String()
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestDiscussResults(t *testing.T) {
	for _, test := range []struct {
		name, results string
		code          int
		want          string // in the output, or in the complaint
	}{
		{"reached", `{"round":"DISCUSS-004","artifact":"a.md","perspectives":[{"name":"technical","rating":4},{"name":"risk","rating":3,"risk_level":"low"}]}`, 0, `"consensus": "consensus_reached"`},
		{"exactly three passes", `{"perspectives":[{"name":"technical","rating":1},{"name":"risk","rating":5}]}`, 0, `"average": 3,`},
		{"a gap blocks full marks", `{"perspectives":[{"name":"product","rating":5},{"name":"coverage","rating":5,"missing_requirements":["retries off"]}]}`, 3, `"severity": "HIGH"`},
		{"high risk is MEDIUM", `{"perspectives":[{"name":"technical","rating":4},{"name":"risk","rating":4,"risk_level":"high"}]}`, 3, `"severity": "MEDIUM"`},
		{"escalates at the sign-off", `{"round":"DISCUSS-006","perspectives":[{"name":"technical","rating":1},{"name":"risk","rating":1}]}`, 3, `"recommendation": "escalate"`},
		{"null is a voice without a rating", `{"perspectives":[{"name":"technical","rating":null},{"name":"risk","rating":4}]}`, 0, `"rating": null`},
		{"rating outside", `{"perspectives":[{"name":"technical","rating":6}]}`, 2, "rating 6 is outside 1 to 5"},
		{"rating zero", `{"perspectives":[{"name":"technical","rating":0}]}`, 2, "rating 0 is outside 1 to 5"},
		{"rating not whole", `{"perspectives":[{"name":"technical","rating":3.5}]}`, 2, "results:"},
		{"unknown name", `{"perspectives":[{"name":"legal","rating":3}]}`, 2, `unknown perspective "legal": one of product, technical, quality, risk, coverage`},
		{"named twice", `{"perspectives":[{"name":"risk","rating":3},{"name":"risk","rating":4}]}`, 2, `"risk" is named twice`},
		{"unknown round", `{"round":"DISCUSS-009","perspectives":[{"name":"risk","rating":3}]}`, 2, "one of DISCUSS-001"},
		{"unknown risk level", `{"perspectives":[{"name":"risk","rating":3,"risk_level":"severe"}]}`, 2, "risk_level"},
		{"rating below", `{"perspectives":[{"name":"technical","rating":-1}]}`, 2, "rating -1 is outside 1 to 5"},
		{"rating that is no number", `{"perspectives":[{"name":"technical","rating":NaN}]}`, 2, "results: invalid character 'N'"},
		{"rating beyond numbers", `{"perspectives":[{"name":"technical","rating":1e400}]}`, 2, "rating is of another kind (number 1e400): it must be a whole number"},
		{"rating as text", `{"perspectives":[{"name":"technical","rating":"4"}]}`, 2, "rating is of another kind (string): it must be a whole number"},
		{"nulls everywhere", `{"round":null,"artifact":null,"perspectives":[{"name":"risk","rating":4,"strengths":null,"weaknesses":null,"suggestions":null,"risk_level":null,"missing_requirements":null}]}`, 0, `"risk_level": null`},
		{"spaces around a name", `{"perspectives":[{"name":" risk ","rating":4}]}`, 0, `"name": "risk"`},
		{"a null among them", `{"perspectives":[null]}`, 2, `unknown perspective ""`},
		{"nested deep", `{"perspectives":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`, 2, "max depth"},
		{"huge", `{"artifact":"` + strings.Repeat("a", discuss.MaxResults) + `"}`, 2, "more than 1048576 bytes"},
		{"a list", `[]`, 2, "the whole is of another kind (array): it must be an object"},
		{"two objects", `{"perspectives":[{"name":"risk","rating":3}]} {}`, 2, "behind the JSON object"},
		{"a field nobody knows", `{"perspectives":[{"name":"risk","rating":3}],"verdict":"go"}`, 2, `unknown field "verdict"`},
		{"empty", ``, 2, "there is nothing in the file"},
		{"nobody", `{"perspectives":[]}`, 2, "no perspectives"},
		{"not JSON", `rating: 5`, 2, "results:"},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, out, errs := call("discuss", "--format", "json", "--results", write(t, "results.json", test.results))
			if code != test.code || !strings.Contains(out+errs, test.want) {
				t.Errorf("exit %d, want %d; %s%s", code, test.code, out, errs)
			}
			if code == 2 && out != "" {
				t.Error("bad input printed a verdict")
			}
		})
	}
}

func TestDiscussPrintsTheWholeForm(t *testing.T) {
	results := write(t, "results.json", `{"round":"DISCUSS-003","artifact":"spec/requirements/_index.md","perspectives":[
		{"name":"coverage","rating":2,"strengths":[],"weaknesses":["no way to switch retries off"],"suggestions":["add a requirement for switching retries off"],"missing_requirements":["switch retries off"]},
		{"name":"product","rating":4,"strengths":["clear goals"],"weaknesses":[],"suggestions":["add a requirement for switching retries off"]}]}`)
	code, out, errs := call("discuss", "--format=json", "--results", results)
	if code != 3 || errs != "" {
		t.Fatalf("exit %d: %s", code, errs)
	}
	var got map[string]json.RawMessage
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"round": `"DISCUSS-003"`, "average": `3`, "consensus": `"consensus_blocked"`, "severity": `"HIGH"`, "recommendation": `"revise"`,
		"action_items": `["add a requirement for switching retries off"]`, "convergent_themes": `["add a requirement for switching retries off"]`,
		"sentiment": `"neutral"`, "record": `null`, "artifact": `"spec/requirements/_index.md"`,
	} {
		var compact bytes.Buffer
		if err := json.Compact(&compact, got[key]); err != nil || compact.String() != want {
			t.Errorf("%s is %s, want %s", key, compact.String(), want)
		}
	}
	// The order of the keys is part of the form.
	var keys []string
	for _, m := range regexp.MustCompile(`"([a-z_]+)":`).FindAllStringSubmatch(out, -1) {
		if !slices.Contains(keys, m[1]) {
			keys = append(keys, m[1])
		}
	}
	order := strings.Fields(`round artifact perspectives name rating source strengths weaknesses suggestions missing_requirements risk_level findings
		average consensus severity divergences kind perspective text recommendation action_items convergent_themes sentiment record`)
	if diff := cmp.Diff(order, keys); diff != "" {
		t.Error(diff)
	}
	var v discuss.Verdict
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		t.Fatal(err)
	}
	want := []discuss.DivergenceOut{
		{Kind: "coverage-gap", Severity: "HIGH", Perspective: "coverage", Text: "switch retries off"},
		{Kind: "low-rating", Severity: "MEDIUM", Perspective: "coverage", Text: "2 of 5: no way to switch retries off"},
	}
	if diff := cmp.Diff(want, v.Divergences); diff != "" {
		t.Error(diff)
	}
}

// Results say what they are of; the command line may say it where they do not.
func TestDiscussResultsTakeWhatTheyLack(t *testing.T) {
	bare := write(t, "bare.json", `{"perspectives":[{"name":"technical","rating":1},{"name":"risk","rating":1}]}`)
	named := write(t, "named.json", `{"round":"DISCUSS-003","artifact":"b.md","perspectives":[{"name":"risk","rating":4}]}`)
	for _, test := range []struct {
		name string
		args []string
		code int
		want []string
	}{
		{"round and file of the command line", []string{"a.md", "--round", "DISCUSS-006", "--results", bare}, 3,
			[]string{`"round": "DISCUSS-006"`, `"artifact": "a.md"`, `"recommendation": "escalate"`}},
		{"round and file of the results", []string{"a.md", "--results", named}, 0, []string{`"round": "DISCUSS-003"`, `"artifact": "b.md"`}},
		{"both the same", []string{"--round", "DISCUSS-003", "--results", named}, 0, []string{`"round": "DISCUSS-003"`}},
		{"both, and not the same", []string{"--round", "DISCUSS-004", "--results", named}, 2, []string{"--round is DISCUSS-004, the results are of DISCUSS-003"}},
		{"unknown round", []string{"--round", "DISCUSS-009", "--results", bare}, 2, []string{"one of DISCUSS-001"}},
		{"another panel", []string{"--perspectives", "product", "--results", bare}, 2, []string{"leave --perspectives out"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, out, errs := call(append([]string{"discuss", "--format", "json"}, test.args...)...)
			for _, want := range test.want {
				if code != test.code || !strings.Contains(out+errs, want) {
					t.Errorf("exit %d, want %d and %q; %s%s", code, test.code, want, out, errs)
				}
			}
		})
	}
}

func TestDiscussFile(t *testing.T) {
	sample := filepath.Join("..", "..", "discuss", "testdata", "session", "spec")
	for _, test := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"missing file", []string{"nowhere/brief.md"}, 2, "parley: Artifact not found: nowhere/brief.md\n"},
		{"no file", nil, 2, "name a file"},
		{"a directory", []string{sample}, 2, "Artifact not found"},
		{"unknown round", []string{filepath.Join(sample, "product-brief.md"), "--round", "DISCUSS-008"}, 2, "one of DISCUSS-001"},
		{"unknown perspective", []string{filepath.Join(sample, "product-brief.md"), "--perspectives", "product,legal"}, 2, `unknown perspective "legal"`},
		{"round and perspectives", []string{filepath.Join(sample, "product-brief.md"), "--round", "DISCUSS-002", "--perspectives", "product"}, 2, "exclude each other"},
		{"missing context", []string{filepath.Join(sample, "product-brief.md"), "--context", "nowhere.json"}, 2, "Context not found: nowhere.json"},
		{"model that is not configured", []string{filepath.Join(sample, "product-brief.md"), "--models", "gemini"}, 2, `--models: gemini needs GEMINI_API_KEY, which is not set; set it, or say off`},
		{"missing results", []string{"--results", "nowhere.json"}, 2, "Results not found: nowhere.json"},
		{"reached", []string{filepath.Join(sample, "product-brief.md")}, 0, "Discuss Verdict: DISCUSS-002"},
		{"blocked", []string{filepath.Join(sample, "requirements", "_index.md"), "--models", "off"}, 3, "switch retries off"},
		{"another panel", []string{filepath.Join(sample, "product-brief.md"), "--perspectives", "risk,product"}, 0, "| risk |"},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, out, errs := call(append([]string{"discuss"}, test.args...)...)
			if code != test.code || !strings.Contains(out+errs, test.want) {
				t.Errorf("exit %d, want %d; %s%s", code, test.code, out, errs)
			}
		})
	}
}

// Nothing is written unless --out says where; a round that runs again keeps
// its records.
func TestDiscussWritesBelowOut(t *testing.T) {
	index := filepath.Join("..", "..", "discuss", "testdata", "session", "spec", "requirements", "_index.md")
	out := t.TempDir()
	for _, want := range []string{"DISCUSS-003-discussion.md", "DISCUSS-003-discussion-r2.md"} {
		code, text, errs := call("discuss", index, "--format", "json", "--out", out)
		var v discuss.Verdict
		if err := json.Unmarshal([]byte(text), &v); err != nil || code != 3 {
			t.Fatal(code, err, errs)
		}
		path := filepath.Join(out, "discussions", want)
		if v.Record == nil || *v.Record != path {
			t.Errorf("record %v, want %s", v.Record, path)
		}
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(out, "discussions", "ledger.json")); err != nil {
		t.Error(err)
	}
}

// A record that cannot be written costs its path, not the verdict.
func TestDiscussSurvivesAFailedWrite(t *testing.T) {
	results := write(t, "results.json", `{"round":"DISCUSS-004","perspectives":[{"name":"technical","rating":4},{"name":"risk","rating":4}]}`)
	blocked := write(t, "file", "in the way")
	code, out, errs := call("discuss", "--results", results, "--format", "json", "--out", blocked)
	if code != 0 || !strings.Contains(out, `"record": null`) || !strings.Contains(errs, "the record was not written") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
}

// A single file outside any specification is judged too, with its context.
func TestDiscussLooseFile(t *testing.T) {
	brief, err := os.ReadFile(filepath.Join("..", "..", "discuss", "testdata", "session", "spec", "product-brief.md"))
	if err != nil {
		t.Fatal(err)
	}
	file := write(t, "notes.md", string(brief))
	context := filepath.Join("..", "..", "discuss", "testdata", "session", "spec", "discovery-context.json")
	code, out, errs := call("discuss", file, "--context", context, "--format", "json")
	var v discuss.Verdict
	if err := json.Unmarshal([]byte(out), &v); err != nil || code == 2 {
		t.Fatal(code, err, errs)
	}
	if v.Artifact != file || v.Round != "DISCUSS-002" || len(v.Perspectives) != 4 {
		t.Errorf("%s %s, %d voices", v.Artifact, v.Round, len(v.Perspectives))
	}
	for _, p := range v.Perspectives {
		for _, f := range p.Findings {
			if !strings.HasSuffix(f.File, "notes.md") && f.File != context {
				t.Errorf("a finding lies on %s", f.File)
			}
		}
	}
}
