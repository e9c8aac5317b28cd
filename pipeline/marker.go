package pipeline

import (
	"regexp"
	"strings"
)

// Markers are HTML comments in texts of ours, by which a later read finds
// them. They count only on objects that are ours by author.
const (
	PanelStart = "<!-- parley:panel -->"
	PanelEnd   = "<!-- /parley:panel -->"

	// SessionMark, with the session's id, stands in the session comment.
	SessionMark = "session"
	// WriteMark, with the write's key, stands in whatever the write made; the
	// GitHub adapter adds it.
	WriteMark = "write"
	// FindingMark, with the finding's id, stands in the line comment of that
	// finding; the GitHub adapter adds it.
	FindingMark = "finding"
)

var markerPattern = regexp.MustCompile(`<!-- parley:([a-z]+) ([A-Za-z0-9._:/@+=#-]+) -->`)

// Marker is the hidden comment that says value under name.
func Marker(name, value string) string { return "<!-- parley:" + name + " " + value + " -->" }

// Marked returns the values that text carries under name.
func Marked(text, name string) []string {
	var values []string
	for _, m := range markerPattern.FindAllStringSubmatch(text, -1) {
		if m[1] == name {
			values = append(values, m[2])
		}
	}
	return values
}

// ReplacePanel puts panel, which carries both markers, where the old one
// stands in body. What people wrote around it stays; where the markers are
// gone or broken it is appended once.
func ReplacePanel(body, panel string) string {
	start := strings.Index(body, PanelStart)
	if start >= 0 {
		if n := strings.Index(body[start:], PanelEnd); n >= 0 {
			return body[:start] + panel + body[start+n+len(PanelEnd):]
		}
	}
	body = strings.NewReplacer(PanelStart, "", PanelEnd, "").Replace(body)
	if strings.TrimSpace(body) == "" {
		return panel
	}
	return strings.TrimRight(body, " \t\r\n") + "\n\n" + panel
}
