package githubsim

import (
	"fmt"
	"regexp"
	"strings"
)

// Thread is everything that was posted for an issue, in order and exactly as
// posted, as one Markdown page: the issue, comments and reviews with their
// line comments on it and on the pull requests that name it, then each pull
// request's checks and body as they stand.
func (w *World) Thread(at Where) (string, error) {
	return read(w, at, func(i *Issue) string {
		pulls := i.mentionedBy()
		var b strings.Builder
		fmt.Fprintf(&b, "# %s (#%d)\n\n%s opened this issue.\n\n%s\n", i.Title, i.Number, i.Author.Login, i.Body)
		for _, m := range w.marks {
			switch v := m.(type) {
			case *Comment:
				if v.issue == i || containsPull(pulls, v.issue.pull) {
					section(&b, fmt.Sprintf("%s commented on #%d", v.Author.Login, v.issue.Number), v.Body)
				}
			case *Review:
				if containsPull(pulls, v.pull) {
					v.write(&b)
				}
			}
		}
		for _, p := range pulls {
			p.write(&b)
		}
		return b.String()
	})
}

// mentionedBy lists the pull requests whose body names the issue, or whose
// branch was made for it.
func (i *Issue) mentionedBy() []*Pull {
	name := regexp.MustCompile(fmt.Sprintf(`#%d\b`, i.Number))
	var out []*Pull
	for _, p := range i.repo.pulls() {
		if p.Issue == i || name.MatchString(p.Body) || i.repo.linked[p.HeadRef] == i.Number {
			out = append(out, p)
		}
	}
	return out
}

func containsPull(list []*Pull, p *Pull) bool {
	for _, have := range list {
		if p != nil && have == p {
			return true
		}
	}
	return false
}

func section(b *strings.Builder, title, body string) {
	fmt.Fprintf(b, "\n---\n\n**%s**\n", title)
	if body != "" {
		fmt.Fprintf(b, "\n%s\n", body)
	}
}

func (v *Review) write(b *strings.Builder) {
	if v.Body != "" || len(v.Comments) == 0 {
		section(b, fmt.Sprintf("%s reviewed #%d (%s)", v.Author.Login, v.pull.Number, lower(v.State)), v.Body)
	}
	for _, k := range v.Comments {
		verb := "commented on"
		if k.replyTo != nil {
			verb = "replied on"
		}
		section(b, fmt.Sprintf("%s %s %s", k.Author.Login, verb, k.thread), k.Body)
	}
}

func (p *Pull) write(b *strings.Builder) {
	for _, s := range p.repo.suites {
		if s.HeadSHA != p.HeadSHA {
			continue
		}
		for _, k := range s.latest() {
			state := k.Status
			if k.Conclusion != "" {
				state = k.Conclusion
			}
			section(b, fmt.Sprintf("Check %s on #%d: %s (%s)", k.Name, p.Number, k.Title, state), strings.TrimSpace(k.Summary+"\n\n"+k.Text))
			for _, a := range k.Actions {
				fmt.Fprintf(b, "\n[%s] %s\n", a.Label, a.Description)
			}
		}
	}
	section(b, fmt.Sprintf("Pull request #%d: %s", p.Number, p.Title), p.Body)
}
