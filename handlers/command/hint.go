package command

import (
	"slices"
	"sort"
)

// foreign are well-known commands of other bots that lie near ours. They are
// never answered.
var foreign = []string{
	"active", "approve", "assign", "cc", "close", "frozen", "hold", "label", "lgtm", "merge", "milestone",
	"ok-to-test", "override", "priority", "rebase", "release", "remove", "remove-lifecycle", "reopen",
	"rerun", "restart", "retest", "retitle", "review", "rotten", "run", "skip", "stale", "test", "unassign",
	"unhold", "update", "verify",
}

// nearest names the verb a misspelt word means: at most two slips away, one in
// a short word. A word behind /lifecycle is ours, so it is always answered,
// save for the words another bot hears there.
func nearest(word string, prefixed bool) string {
	if slices.Contains(foreign, word) {
		return ""
	}
	limit := 2
	if len(word) <= 5 {
		limit = 1
	}
	best, least := "", limit+1
	for _, name := range names {
		if verbs[name] == "start" && !prefixed {
			continue
		}
		if d := distance(word, name); d < least {
			best, least = name, d
		}
	}
	if best == "" && prefixed {
		return "help"
	}
	return best
}

// names are all verbs and aliases, sorted, so that ties have one answer.
var names = func() []string {
	out := make([]string, 0, len(verbs))
	for name := range verbs {
		out = append(out, name)
	}
	sort.Strings(out)
	return out
}()

// distance counts the slips between two words: a letter too many, too few,
// wrong, or two swapped.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
