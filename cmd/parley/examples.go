package main

import (
	"strings"

	"github.com/alecthomas/kong"
)

// examples stand under the help of each command, as they would be typed.
var examples = map[string][]string{
	"": {
		"parley try issue.md                 # the whole path, here, with nothing set up",
		"parley lint docs                    # the rules alone",
		"parley setup --org octo-org         # register the App, then: parley serve --data ./parley-data",
	},
	"try": {
		"parley try issue.md",
		"parley try issue.md --mode full-lifecycle --say /resume --say /finish",
		`gh issue view 42 --json title,body --template '# {{.title}}{{"\n\n"}}{{.body}}' | parley try - --format json`,
		"parley try issue.md --models auto --repo .",
	},
	"discuss": {
		"parley discuss spec/product-brief.md",
		"parley discuss notes.md --perspectives product,risk --models off",
		"parley discuss --results answers.json --format json",
	},
	"lint": {
		"parley lint docs",
		"parley lint .workflow/.team/TLS-retry-142-2026-11-21 --fail-on major",
		"parley lint docs --format sarif > parley.sarif",
		"parley lint --explain L15",
	},
	"setup": {
		"parley setup --org octo-org --url https://parley.example.com",
		"parley setup --org octo-org         # no public address: parley serve --pull 10s",
		"parley setup --print > form.html    # open it in any browser, confirm, copy the code",
		"parley setup --code 0a1b2c",
	},
	"serve": {
		"parley serve --data ./parley-data                # one box, with a redis-server of its own",
		"parley serve --data ./parley-data --pull 10s     # the same behind a firewall",
		"PARLEY_REDIS_URL=redis://redis:6379 parley serve # one of several replicas",
	},
	"role": {
		"parley role analyst --session ./session --issue issue.md",
		"parley role writer --session ./session             # its next document",
		"parley role reviewer --session ./session --models auto",
	},
	"messages":        {"parley messages list --session ./session"},
	"messages log":    {`parley messages log --session ./session --from writer --to coordinator --summary "brief drafted"`},
	"messages list":   {"parley messages list --session ./session --from reviewer --last 5"},
	"messages read":   {"parley messages read MSG-003 --session ./session"},
	"messages status": {"parley messages status --session ./session --json"},
	"doctor": {
		"parley doctor",
		"parley doctor --data ./parley-data --format json",
		"parley doctor --models",
	},
	"replay": {
		"parley replay delivery.json",
		"parley replay payload.json --event issues",
	},
	"sessions":        {"parley sessions", "parley sessions stats --since 30d"},
	"sessions list":   {"parley sessions list --status paused", "parley sessions list --data ./parley-data --format json"},
	"sessions show":   {"parley sessions show TLS-retry-142-2026-11-21", "parley sessions show 1296269/142"},
	"sessions stats":  {"parley sessions stats --since 30d --format md", "parley sessions stats --since 12h --format json"},
	"dead":            {"parley dead", "parley dead retry p3-17"},
	"dead list":       {"parley dead list", "parley dead list --format json"},
	"dead show":       {"parley dead show p3-17"},
	"dead retry":      {"parley dead retry p3-17"},
	"dead drop":       {"parley dead drop p3-17"},
	"queue":           {"parley queue", "parley queue check --fix", "parley queue redeliver --since 2h"},
	"queue status":    {"parley queue status", "parley queue status --data ./parley-data --format json"},
	"queue check":     {"parley queue check", "parley queue check --fix"},
	"queue redeliver": {"parley queue redeliver --since 2h"},
	"queue hold":      {"parley queue hold TLS-retry-142-2026-11-21", "parley queue hold --all"},
	"queue release":   {"parley queue release TLS-retry-142-2026-11-21", "parley queue release --all"},
	"manifest":        {"parley manifest --url https://parley.example.com > app.yml", "parley manifest --issue-form > .github/ISSUE_TEMPLATE/lifecycle.yml"},
	"completion":      {"source <(parley completion bash)", `parley completion zsh > "${fpath[1]}/_parley"`, "parley completion fish > ~/.config/fish/completions/parley.fish"},
	"version":         {"parley version"},
}

// exemplify puts the examples under the help of a command and of those below it.
func exemplify(n *kong.Node) {
	if lines := examples[place(n)]; len(lines) > 0 {
		n.Detail = strings.TrimSpace(n.Detail + "\n\nExamples:\n\n  " + strings.Join(lines, "\n  "))
	}
	for _, child := range n.Children {
		exemplify(child)
	}
}

// place is a command as it is typed, without the program's name.
func place(n *kong.Node) string {
	return strings.TrimSpace(strings.TrimPrefix(n.Path(), "parley"))
}
