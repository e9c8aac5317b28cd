package app

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"parley/pipeline"
)

// SessionStats adds up sessions over a time.
type SessionStats struct {
	Since    time.Time                 `json:"since"`
	Sessions int                       `json:"sessions"`
	Outcomes map[string]int            `json:"outcomes"`     // status and gate: "completed PASS"
	Waiting  float64                   `json:"waiting_days"` // for people, over the sessions' whole life
	Accepted map[string]int            `json:"accepted"`     // gates and findings people accepted, by whom
	Repos    map[string]RepoStats      `json:"repositories"`
	Rules    map[string]pipeline.Tally `json:"findings"` // fixed and accepted per rule
}

// RepoStats is one repository's share.
type RepoStats struct {
	Sessions int   `json:"sessions"`
	Micros   int64 `json:"usd_micros"`
	Unpriced int   `json:"unpriced_calls"`
	Calls    int   `json:"calls"`
	Tokens   int   `json:"tokens"`
	Requests int   `json:"github_requests"`
}

// Summarise adds up the sessions that were touched since; what waits waits till now.
func Summarise(all []pipeline.Session, since, now time.Time) SessionStats {
	st := SessionStats{Since: since.UTC(), Outcomes: map[string]int{}, Accepted: map[string]int{}, Repos: map[string]RepoStats{}, Rules: map[string]pipeline.Tally{}}
	for _, s := range all {
		if s.UpdatedAt.Before(since) || s.ID == "" {
			continue
		}
		st.Sessions++
		outcome := string(s.Status)
		if s.Gate != nil {
			outcome += " " + string(s.Gate.Result)
		}
		st.Outcomes[outcome]++
		st.Waiting += float64(s.WaitedMS) / (24 * time.Hour).Seconds() / 1000
		if s.Wait != nil {
			st.Waiting += now.Sub(s.Wait.Since).Hours() / 24
		}
		for _, a := range s.Accepted {
			st.Accepted[a.Who]++
		}
		name := s.Repo.Owner + "/" + s.Repo.Name
		r := st.Repos[name]
		r.Sessions++
		r.Micros += s.Usage.Micros
		r.Unpriced += s.Usage.Unpriced
		r.Calls += s.Usage.Calls
		r.Tokens += s.Usage.InputTokens + s.Usage.OutputTokens
		r.Requests += s.Requests.Requests
		st.Repos[name] = r
		for rule, n := range s.Rules {
			sum := st.Rules[rule]
			sum.Found, sum.Fixed, sum.Accepted = sum.Found+n.Found, sum.Fixed+n.Fixed, sum.Accepted+n.Accepted
			st.Rules[rule] = sum
		}
	}
	return st
}

// Markdown is the summary for a report.
func (st SessionStats) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Sessions since %s\n\n%d sessions, waiting for people %.1f days over their whole life.\n\n", st.Since.Format("2006-01-02"), st.Sessions, st.Waiting)
	table(&b, []string{"Outcome", "Sessions"}, st.Outcomes, func(n int) []string { return []string{fmt.Sprint(n)} })
	table(&b, []string{"Repository", "Sessions", "Cost", "Model calls", "Tokens", "Requests to GitHub"}, st.Repos, func(r RepoStats) []string {
		cost := fmt.Sprintf("$%.2f", float64(r.Micros)/1e6)
		if r.Unpriced > 0 {
			cost += fmt.Sprintf(" and %d calls of unknown price", r.Unpriced)
		}
		return []string{fmt.Sprint(r.Sessions), cost, fmt.Sprint(r.Calls), fmt.Sprint(r.Tokens), fmt.Sprint(r.Requests)}
	})
	table(&b, []string{"Rule", "Found", "Fixed", "Accepted"}, st.Rules, func(n pipeline.Tally) []string {
		return []string{fmt.Sprint(n.Found), fmt.Sprint(n.Fixed), fmt.Sprint(n.Accepted)}
	})
	table(&b, []string{"Risk accepted by", "Times"}, st.Accepted, func(n int) []string { return []string{fmt.Sprint(n)} })
	return b.String()
}

func table[V any](b *strings.Builder, head []string, rows map[string]V, cells func(V) []string) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, "| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat(" --- |", len(head)))
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		fmt.Fprintf(b, "| %s | %s |\n", name, strings.Join(cells(rows[name]), " | "))
	}
	b.WriteString("\n")
}
