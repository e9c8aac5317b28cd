package app_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/app/githubsim"
)

// place is the text at a place, as a reader has it before them.
func (s *stage) place(name string) (string, error) {
	if file, ok := strings.CutPrefix(name, "file:"); ok {
		return s.file(file)
	}
	if strings.HasPrefix(name, "#") {
		at, err := s.where(name)
		return s.said(at), err
	}
	switch name {
	case "issue":
		return s.said(s.at()), nil
	case "thread":
		return s.world.Thread(s.at())
	case "feature":
		return s.checksOn("feature"), nil
	case "log":
		return s.log.String(), nil
	case "requests": // since the mark
		var out []string
		for _, r := range s.world.Requests()[s.asked:] {
			out = append(out, fmt.Sprint(r.Status, " ", r.Method, " ", r.Path, " ", r.Operations, " ", r.Failed))
		}
		return strings.Join(out, "\n"), nil
	}
	p, err := s.pull()
	if err != nil {
		return "", err
	}
	at := githubsim.At(repoName, p.Number)
	switch name {
	case "pr":
		return s.said(at), nil
	case "panel":
		return p.Body, nil
	case "title":
		return p.Title, nil
	case "assignees":
		return strings.Join(p.Assignees, "\n"), nil
	case "check":
		return s.gateText(p.Head), nil
	case "review", "lines":
		return s.reviews(at, name), nil
	case "files":
		files, err := s.world.Files(repoName, p.Branch)
		return strings.Join(slices.Sorted(maps.Keys(files)), "\n"), err
	case "replies":
		var out []string
		for _, t := range s.world.Threads(at) {
			for _, k := range t.Texts {
				out = append(out, fmt.Sprintf("%s:%d resolved=%v %s: %s", k.Path, k.Line, t.Resolved, k.Author, k.Body))
			}
		}
		return strings.Join(out, "\n\n"), nil
	case "commits":
		var out []string
		for _, c := range s.world.Commits(repoName, p.Branch) {
			out = append(out, c.Message)
		}
		return strings.Join(out, "\n\n"), nil
	}
	return "", fmt.Errorf("no place is called %q", name)
}

// said is everything the bot has said in a conversation, oldest first.
func (s *stage) said(at githubsim.Where) string {
	var out []string
	for _, k := range s.world.Comments(at) {
		if k.Author == botName {
			out = append(out, k.Body)
		}
	}
	return strings.Join(out, "\n\n")
}

func (s *stage) reviews(at githubsim.Where, what string) string {
	var out []string
	for _, v := range s.world.Reviews(at) {
		if v.Author != botName {
			continue
		}
		if what == "review" {
			out = append(out, v.Body)
			continue
		}
		for _, k := range v.Comments {
			out = append(out, fmt.Sprintf("%s:%d %s", k.Path, k.Line, k.Body))
		}
	}
	return strings.Join(out, "\n\n")
}

// file reads a file of the session's folder, or with a leading slash of the root.
func (s *stage) file(name string) (string, error) {
	p, err := s.pull()
	if err != nil {
		return "", err
	}
	full, err := s.inFolder(name)
	if err != nil {
		return "", err
	}
	files, err := s.world.Files(repoName, p.Branch)
	if err != nil {
		return "", err
	}
	text, ok := files[full]
	if !ok {
		return "", fmt.Errorf("no file %s", full)
	}
	return text, nil
}

// gate is the newest run of the gate on a head.
func (s *stage) gate(head string) (githubsim.Check, bool) {
	var found githubsim.Check
	ok := false
	for _, k := range s.world.Checks(repoName, head) {
		if k.Name == gateName && k.App() == s.hub.Slug {
			found, ok = k, true
		}
	}
	return found, ok
}

func (s *stage) gateText(head string) string {
	k, _ := s.gate(head)
	var buttons []string
	for _, a := range k.Actions {
		buttons = append(buttons, "["+a.Label+"]")
	}
	return strings.Join([]string{k.Title, k.Summary, k.Text, strings.Join(buttons, " ")}, "\n\n")
}

// checksOn lists the checks on a branch that is no session's, a line for each
// and for each annotation.
func (s *stage) checksOn(branch string) string {
	var out []string
	for _, k := range s.world.Checks(repoName, s.world.Head(repoName, branch)) {
		out = append(out, k.Name+" "+k.Conclusion+" "+k.Title)
		for _, a := range k.Annotations {
			out = append(out, fmt.Sprintf("%s:%d %s: %s", a.Path, a.StartLine, a.Level, a.Message))
		}
	}
	return strings.Join(out, "\n")
}
