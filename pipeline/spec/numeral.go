package spec

import (
	"fmt"
	"strings"
)

// Count is a number with its noun: "1 story", "2 stories".
func Count(n int, noun string) string {
	if n != 1 {
		noun = plural(noun)
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// outOf says how many of a number do something: "1 of 4 goals reaches a story".
func outOf(n, all int, noun, one, many string) string {
	if n == 1 {
		many = one
	}
	return strings.TrimSpace(fmt.Sprintf("%d of %s %s", n, Count(all, noun), many))
}

func plural(noun string) string {
	switch {
	case noun == "criterion":
		return "criteria"
	case strings.HasSuffix(noun, "y") && !strings.ContainsAny(noun[max(0, len(noun)-2):len(noun)-1], "aeou"):
		return strings.TrimSuffix(noun, "y") + "ies"
	}
	return noun + "s"
}
