package pipeline

import (
	"strconv"
	"strings"
	"time"
)

// slugRoom is the longest slug of a session id.
const slugRoom = 20

// Slug is an issue's part of a session id: its title in lower case with every
// run of other characters a hyphen, cut to fit, then the issue's number.
func Slug(title string, issue int) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(title) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			b.WriteRune(r)
			gap = false
			continue
		}
		gap = true
	}
	tail := "-" + strconv.Itoa(issue)
	words := b.String()
	if room := slugRoom - len(tail); len(words) > room {
		words = strings.Trim(words[:max(room, 0)], "-")
	}
	if words == "" {
		return "issue" + tail
	}
	return words + tail
}

// SessionID is the id of an issue's nth session, n counting from 1.
func SessionID(title string, issue int, day time.Time, n int) string {
	id := "TLS-" + Slug(title, issue) + "-" + day.UTC().Format(time.DateOnly)
	if n > 1 {
		id += "-" + strconv.Itoa(n)
	}
	return id
}
