package spec

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
)

// The SARIF 2.1.0 properties that GitHub code scanning reads.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		URI     string      `json:"informationUri,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string    `json:"id"`
		Name    string    `json:"name"`
		Short   sarifText `json:"shortDescription"`
		Full    sarifText `json:"fullDescription"`
		Help    sarifText `json:"help"`
		Default struct {
			Level string `json:"level"`
		} `json:"defaultConfiguration"`
		Properties struct {
			Tags []string `json:"tags"`
		} `json:"properties"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		Suppressions []sarifSuppressed `json:"suppressions,omitempty"`
	}
	sarifSuppressed struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification"`
	}
	sarifLocation struct {
		Physical struct {
			Artifact struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
			Region struct {
				Start int `json:"startLine"`
				End   int `json:"endLine"`
			} `json:"region"`
		} `json:"physicalLocation"`
	}
)

var sarifLevels = map[string]string{Blocker: "error", Major: "warning", Minor: "note", Info: "none"}

// uploadLimit is how many results GitHub takes in one run.
const uploadLimit = 25_000

// uploaded are the findings, the gravest where they are too many.
func (r Report) uploaded() []Finding {
	if len(r.Findings) <= uploadLimit {
		return r.Findings
	}
	out := slices.Clone(r.Findings)
	slices.SortStableFunc(out, func(a, b Finding) int { return gradeRank[a.Grade] - gradeRank[b.Grade] })
	return out[:uploadLimit]
}

// fileURI is relative to the checkout, or says that it is not.
func fileURI(path string) string {
	if strings.HasPrefix(path, "/") {
		return (&url.URL{Scheme: "file", Path: path}).String()
	}
	return (&url.URL{Path: path}).String()
}

func (r Report) sarif(w io.Writer) error {
	driver := sarifDriver{Name: "parley", Version: RulesVersion, Rules: []sarifRule{}}
	index := map[string]int{}
	for i, rule := range Rules {
		index[rule.ID] = i
		s := sarifRule{ID: rule.ID, Name: strings.ReplaceAll(rule.Title, " ", "-"), Short: sarifText{rule.Title}, Full: sarifText{rule.Detects}, Help: sarifText{orElse(rule.Remedy, rule.Detects)}}
		s.Default.Level, s.Properties.Tags = sarifLevels[rule.Grade], rule.Perspectives
		driver.Rules = append(driver.Rules, s)
	}
	results := []sarifResult{}
	seen := map[string]int{}
	for _, f := range r.uploaded() {
		seen[f.Key()]++
		res := sarifResult{RuleID: f.Rule, RuleIndex: index[f.Rule], Level: sarifLevels[f.Grade], Message: sarifText{f.Message},
			Fingerprints: map[string]string{"primaryLocationLineHash": fmt.Sprintf("%s:%d", f.Key(), seen[f.Key()])}}
		if f.Reason != "" {
			res.Suppressions = []sarifSuppressed{{"inSource", f.Reason}}
		}
		var at sarifLocation
		at.Physical.Artifact.URI = fileURI(f.File)
		at.Physical.Region.Start, at.Physical.Region.End = f.Line, f.End
		res.Locations = []sarifLocation{at}
		results = append(results, res)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0",
		Runs: []sarifRun{{Tool: sarifTool{driver}, Results: results}}})
}
