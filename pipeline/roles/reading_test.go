package roles

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pipeline/spec"
)

// said are the sentences of an issue's body with what each was taken for.
func said(body, lang string) []string {
	r := Reading{Language: lang}
	r.take(body, 0)
	var out []string
	for _, s := range r.Said {
		out = append(out, fmt.Sprintf("%d %s: %s", s.Line, s.Sort, s.Quote))
	}
	return out
}

// Issues as people write them: what each sentence is for.
func TestReadsSentencesForWhatTheyAre(t *testing.T) {
	tests := []struct {
		name, body string
		want       []string
	}{
		{"a bold line over its text is a heading", "**Is your feature request related to a problem? Please describe.**\nIt takes ages.\n\n**Describe the solution you'd like**\nA button.",
			[]string{"2 problem: It takes ages.", "5 ask: A button."}},
		{"a bare heading over its list", "Open questions\n- who owns it", []string{"2 question: who owns it"}},
		{"a heading in German", "**Was wir brauchen:**\n* ein Knopf\n\nAkzeptanz:\n- [ ] der Knopf ist blau", []string{"2 ask: ein Knopf", "5 criterion: der Knopf ist blau"}},
		{"a label before a paragraph", "## Non-goals\n- a rewrite\n\nRisks: Vault is down. The beta breaks.",
			[]string{"2 non-goal: a rewrite", "4 risk: Vault is down.", "4 risk: The beta breaks."}},
		{"a label before an item", "## Requirements\n- Out of scope: phones\n- Users: can be invited by mail", []string{"2 non-goal: phones", "3 ask: Users: can be invited by mail"}},
		{"a label within a paragraph", "It hurts. Open: who pays? When?\nThe list must be short.",
			[]string{"1 problem: It hurts.", "1 question: who pays?", "1 question: When?", "2 ask: The list must be short."}},
		{"small letters throughout", "it hangs on two of three machines. please show an error. v2.1 and e.g. v2.2",
			[]string{"1 problem: it hangs on two of three machines.", "1 ask: please show an error.", "1 problem: v2.1 and e.g. v2.2"}},
		{"a table of what holds", "## Limits\n| Plan | Requests/min | Response when exceeded |\n|---|---|---|\n| Free | 60 | 429 |\n\n## Additional context\n| action | allowed roles | reversible |\n|---|---|---|\n| Delete | admin | no |",
			[]string{"4 constraint: Free | 60 | 429", "9 ask: Delete | admin | no"}},
		{"an order to somebody", "- rotate all tokens, can you do that?\n- which tokens are meant?", []string{"1 ask: rotate all tokens, can you do that?", "2 question: which tokens are meant?"}},
		{"what must not be added", "I would rather not add another dependency. Performance shouldn't suffer. WDYT?", []string{"1 constraint: I would rather not add another dependency.", "1 ask: Performance shouldn't suffer."}},
		{"how long it may take, expected", "## Expected behavior\nThe page loads within 2 seconds.", []string{"2 quality: The page loads within 2 seconds."}},
		{"an environment in passing", "## Wishes\nShow a message.\n\nOS: iOS 17", []string{"2 ask: Show a message."}},
		{"an aside behind a list", "## Out of scope\n- phones\n\nThe report must be printable. It has been so for years.",
			[]string{"2 non-goal: phones", "4 ask: The report must be printable.", "4 context: It has been so for years."}},
		{"greetings, thanks and ticks", "Hi team!\n\nThe list is empty after login.\n\n- [x] I have searched the existing issues\n- [ ] Yes I am willing to submit a PR!\n\nThanks a lot for this tool!",
			[]string{"3 problem: The list is empty after login."}},
		{"a wish for permission is no tick", "- I want to read the audit log", []string{"1 ask: I want to read the audit log"}},
		{"a question to the reporter", "### Is there an existing issue for this?\n- [x] yes there is\n\n### Are you willing to submit a PR?\n\nSure, next week.", nil},
		{"marks of edits", "It crashes.\nEDIT: same on linux\nEDIT 2: please show a message", []string{"1 problem: It crashes.", "2 problem: same on linux", "3 ask: please show a message"}},
		{"people in a hurry", "clearing it helps, old format?? maybe migrate old settings! Also pls show an error!!! it hurts",
			[]string{"1 question: clearing it helps, old format??", "1 ask: maybe migrate old settings!", "1 ask: Also pls show an error!!!", "1 problem: it hurts"}},
		{"an aside in brackets ends nothing", "- secrets come from the vault (plain text!! really) and rotate", []string{"1 ask: secrets come from the vault (plain text!! really) and rotate"}},
		{"pictures and tags", "- show a hint ![shot](https://x.org/a.png)<br><img src=\"b.png\">", []string{"1 ask: show a hint"}},
		{"a bound with angles is no tag", "- p50 < 15 min, p99 > 3 min", []string{"1 quality: p50 < 15 min, p99 > 3 min"}},
		{"what it is like", "## Proposal\nA toolbar with three buttons. Something like GitHub's list.", []string{"2 ask: A toolbar with three buttons.", "2 context: Something like GitHub's list."}},
		{"a noun that may be a verb", "Export hangs at 68 %. Export the list as CSV.", []string{"1 problem: Export hangs at 68 %.", "1 ask: Export the list as CSV."}},
		{"what is built with, in German", "Stack ist Laravel 10 + MySQL.", []string{"1 decision: Stack ist Laravel 10 + MySQL."}},
		{"a mark alone, then small letters", "! small letters", []string{"1 problem: ! small letters"}},
		{"a wish in the first person", "I want to create a report and share it.\n\n- I have to search three systems\n- [ ] I would like to send existing reports by mail", []string{"1 ask: I want to create a report and share it.", "3 ask: I have to search three systems", "4 ask: I would like to send existing reports by mail"}},
		{"a page that thanks", "Thank you page must show the order number\n\n- LG TVs must be supported\n- Thanks page is printable, please", []string{"1 ask: Thank you page must show the order number", "3 ask: LG TVs must be supported", "4 ask: Thanks page is printable, please"}},
		{"a page that thanks, in German", "- Danke-Seite zeigt die Bestellnummer\n\nVielen Dank im Voraus!", []string{"1 ask: Danke-Seite zeigt die Bestellnummer"}},
		{"a page that thanks, in Chinese", "- 感谢页面显示订单号\n\n谢谢大家！", []string{"1 ask: 感谢页面显示订单号"}},
		{"asks named like a form's fields", "## Requirements\n- Contact: show the address\n- Mode: dark\n- Checks: run on each push\n- Open: show the file", []string{"2 ask: Contact: show the address", "3 ask: Mode: dark", "4 ask: Checks: run on each push", "5 ask: Open: show the file"}},
		{"asks named like a form's fields, in Chinese", "## 需求\n- 优先级：按颜色显示", []string{"2 ask: 优先级：按颜色显示"}},
		{"a form's fields", "It crashes.\n\nThanks, Bob\n\n- OS: iOS 17\n- Version: 4.2\n\n## Priority\nMust have\n\n**Mode**\n- full", []string{"1 problem: It crashes."}},
		{"features named like a form's fields", "## Labels\n- A label must have a colour\n- colours by name\n\n**Mode**\n- full must be the default", []string{"2 ask: A label must have a colour", "3 ask: colours by name", "6 ask: full must be the default"}},
		{"a line that begins like a heading", "Goals must be editable\n\nGoal board\n- a column per goal", []string{"1 ask: Goals must be editable", "3 problem: Goal board", "4 ask: a column per goal"}},
		{"a word that is a heading over lists only", "Notifications can be muted.\n\nPerformance\n\nThe list must be short.", []string{"1 problem: Notifications can be muted.", "3 problem: Performance", "5 ask: The list must be short."}},
		{"what is added with a number or in capitals", "Edit 2: please show a message\n\n- Update: the list after saving", []string{"1 ask: please show a message", "3 ask: Update: the list after saving"}},
		{"a label of two nouns is none", "Important fields: must be marked\n\n- Note types: text, image", []string{"1 ask: Important fields: must be marked", "3 ask: Note types: text, image"}},

		{"what it may cost", "It must not cost more than 50 € a month.", []string{"1 constraint: It must not cost more than 50 € a month."}},
		{"what it may cost, below qualities", "## Non-functional\n- Cost stays below 900 EUR per month\n- p95 below 300 ms", []string{"2 constraint: Cost stays below 900 EUR per month", "3 quality: p95 below 300 ms"}},
		{"what it may cost, in German", "Das Ganze darf nicht mehr als 50 € im Monat kosten.", []string{"1 constraint: Das Ganze darf nicht mehr als 50 € im Monat kosten."}},
		{"what it may cost, in Chinese", "- 每月费用不得超过 300 元", []string{"1 constraint: 每月费用不得超过 300 元"}},
		{"a price is a rule of the product", "An order that costs more than 50 € must ship free.", []string{"1 ask: An order that costs more than 50 € must ship free."}},
		{"a sum above which something is due", "- Costs above $500 must be approved\n- Costs below $20 must be approved at once", []string{"1 ask: Costs above $500 must be approved", "2 ask: Costs below $20 must be approved at once"}},
		{"a price is a rule of the product, in German", "Versandkosten müssen ab 50 € entfallen.\n\nDie Betriebskosten dürfen 50 € im Monat nicht übersteigen.", []string{"1 ask: Versandkosten müssen ab 50 € entfallen.", "3 constraint: Die Betriebskosten dürfen 50 € im Monat nicht übersteigen."}},
		{"a price is a rule of the product, in Chinese", "- 报销费用超过 500 元时，系统必须要求上级审批", []string{"1 ask: 报销费用超过 500 元时，系统必须要求上级审批"}},

		{"how long a thing lasts", "A code must be valid for 30 seconds.", []string{"1 ask: A code must be valid for 30 seconds."}},
		{"how long a thing lasts, below qualities", "## Performance\n- A code is valid for 30 seconds\n- Sign-in takes less than 2 seconds", []string{"2 ask: A code is valid for 30 seconds", "3 quality: Sign-in takes less than 2 seconds"}},
		{"how long a thing lasts, in German", "Ein Code muss 15 Minuten lang gültig bleiben.", []string{"1 ask: Ein Code muss 15 Minuten lang gültig bleiben."}},
		{"when a thing is done again", "A failed run must be retried at intervals of 10 minutes.", []string{"1 ask: A failed run must be retried at intervals of 10 minutes."}},
		{"how fast an answer comes", "Search must return the first page within 300 ms.", []string{"1 quality: Search must return the first page within 300 ms."}},
		{"how long it may take", "It should never take more than 2 minutes for 1 GB.", []string{"1 quality: It should never take more than 2 minutes for 1 GB."}},
		{"how long it may take, in German", "Die Prüfung darf den Checkout um höchstens 200 ms verlangsamen.", []string{"1 quality: Die Prüfung darf den Checkout um höchstens 200 ms verlangsamen."}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			lang := "en"
			if strings.HasSuffix(test.name, "German") {
				lang = "de"
			} else if strings.HasSuffix(test.name, "Chinese") {
				lang = "zh"
			}
			if diff := cmp.Diff(test.want, said(test.body, lang)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A rejected choice belongs to the decision before it.
func TestRejectedChoicesBelongToTheirDecision(t *testing.T) {
	r := Reading{Language: "en"}
	r.take("We decided to use Kafka. Rejected: RabbitMQ (no replay).", 0)
	if len(r.Said) != 1 || len(r.Said[0].Details) != 1 || r.Said[0].Details[0].Label != "alternative" {
		t.Fatalf("read %+v", r.Said)
	}
}

func TestStatesAsksAsRequirements(t *testing.T) {
	tests := []struct{ lang, body, want, title, seen string }{
		{"en", "- also pls show an error instead of a white screen!!!", "The system SHOULD show an error instead of a white screen.", "Show an error instead of a white screen", "The system shows an error instead of a white screen"},
		{"en", "- audit log entry per user, not one per batch!!", "The system MUST provide: audit log entry per user, not one per batch.", "Audit log entry per user", "The system provides: audit log entry per user, not one per batch"},
		{"en", "- undo for 10 s after a delete", "The system MUST provide undo for 10 s after a delete.", "Undo for 10 s after a delete", "After a delete, the system provides undo for 10 s"},
		{"en", "- select all matching rows", "It MUST be possible to select all matching rows.", "Select all matching rows", "It is possible to select all matching rows"},
		{"en", "- confirm dialog shows the number of rows, must be typed in", "The system MUST ensure that confirm dialog shows the number of rows, must be typed in.", "Confirm dialog shows the number of rows", "Confirm dialog shows the number of rows, must be typed in"},
		{"en", "- **Secrets** – must come from the vault", "Secrets MUST come from the vault.", "Secrets come from the vault", "Secrets come from the vault"},
		{"en", "- artifacts retained 30 days", "Artifacts MUST be retained 30 days.", "Artifacts are retained 30 days", "Artifacts are retained 30 days"},
		{"en", "- would be nice if shift+click selects a range", "The system MAY ensure that shift+click selects a range.", "Shift+click selects a range", "Shift+click selects a range"},
		{"en", "- when a switch is used, the page must change", "When a switch is used, the page MUST change.", "Page changes", "When a switch is used, the page changes"},
		{"en", "- a list of changes per file", "The system MUST provide a list of changes per file.", "List of changes per file", "The system provides a list of changes per file"},
		{"en", "| action | allowed roles | reversible |\n|---|---|---|\n| Delete | admin | no |", "The system MUST apply this rule: Delete: allowed roles admin; reversible no.", "Delete: allowed roles admin; reversible no", "The system applies this rule: Delete: allowed roles admin; reversible no"},
		{"en", "- redact whatever looks like a token before it hits the logger (JWT, keys)", "The system MUST redact whatever looks like a token before it hits the logger (JWT, keys).", "Redact whatever looks like a token before it hits the logger", "The system redacts whatever looks like a token before it hits the logger (JWT, keys)"},
		{"zh", "- 另外希望记录前端错误日志", "希望记录前端错误日志。", "记录前端错误日志", "记录前端错误日志"},
		{"zh", "- 如果接口超时，应该提示“网络异常，请重试”", "如果接口超时，应该提示“网络异常，请重试”。", "提示“网络异常，请重试”", "如果接口超时，提示“网络异常，请重试”"},
		{"zh", "- 同时在线用户数应显示在首页", "同时在线用户数应显示在首页。", "同时在线用户数显示在首页", "同时在线用户数显示在首页"},
		{"zh", "- 同时，应该提示错误", "应该提示错误。", "提示错误", "提示错误"},
		{"de", "- Kunde gibt den Code im Checkout ein", "Es muss gelten: Kunde gibt den Code im Checkout ein.", "Kunde gibt den Code im Checkout ein", "Kunde gibt den Code im Checkout ein"},
		{"de", "- Ablaufdatum je Code", "Das System muss bieten: Ablaufdatum je Code.", "Ablaufdatum je Code", "Ablaufdatum je Code"},
		{"de", "- Achtung, DSGVO: Codes dürfen nicht mit dem Namen exportiert werden", "Codes dürfen nicht mit dem Namen exportiert werden.", "Codes dürfen nicht mit dem Namen exportiert werden", "Codes dürfen nicht mit dem Namen exportiert werden"},
	}
	for _, test := range tests {
		t.Run(test.body, func(t *testing.T) {
			r := Reading{Language: test.lang}
			r.take(test.body, 0)
			if len(r.Said) != 1 {
				t.Fatalf("read %+v", r.Said)
			}
			got := statement(r.Said[0], test.lang)
			if diff := cmp.Diff([]string{test.want, test.title, test.seen}, []string{got, titleOf(r.Said[0], test.lang), observed(got, test.lang)}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOptionsWithTheirReasons(t *testing.T) {
	tests := []struct {
		text string
		want []spec.Option
	}{
		{"GitLab CI (would need a second login), Buildkite (price).", []spec.Option{{Name: "GitLab CI", Cons: "would need a second login"}, {Name: "Buildkite", Cons: "price"}}},
		{"RabbitMQ (no replay)", []spec.Option{{Name: "RabbitMQ", Cons: "no replay"}}},
		{"a broker; pro: pushes; con: one more service", []spec.Option{{Name: "a broker", Pros: "pushes", Cons: "one more service"}}},
		{"RabbitMQ, no replay", []spec.Option{{Name: "RabbitMQ", Cons: "no replay"}}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, optionsOf(test.text)); diff != "" {
			t.Errorf("%q: %s", test.text, diff)
		}
	}
}

// A complaint's end is the purpose of an issue that states no goal.
func TestComplaintsTurnIntoPurposes(t *testing.T) {
	tests := []struct{ title, want string }{
		{"CSV import drops the last row", "CSV import no longer drops the last row"},
		{"Export hangs forever when project has > 500 attachments", "Export no longer hangs forever when project has > 500 attachments"},
		{"Search is too slow", "Search is no longer too slow"},
		{"Login does not work", "“Login does not work” is no longer true"},
		{"Drop the old table", "Drop the old table"},
		{"Dark mode", "Dark mode"},
	}
	for _, test := range tests {
		if got := purposeOfTitle(Reading{Title: test.title, Language: "en"}); got != test.want {
			t.Errorf("%q became %q", test.title, got)
		}
	}
}

// "It" is what the sentence before was about, where that says so itself.
func TestItIsWhatTheSentenceBeforeWasAbout(t *testing.T) {
	tests := []struct{ body, want string }{
		{"The export must finish. It must take less than 2 minutes.", "The export MUST take less than 2 minutes."},
		{"People wait. It must take less than 2 minutes.", "It MUST take less than 2 minutes."},
	}
	for _, test := range tests {
		r := Reading{Language: "en"}
		r.take(test.body, 0)
		if got := statement(r.Said[len(r.Said)-1], "en"); got != test.want {
			t.Errorf("%q became %q", test.body, got)
		}
	}
}

func TestNamesPeopleInTheSingular(t *testing.T) {
	for name, want := range map[string]string{"Kunden": "Kunde", "Disponenten": "Disponent", "Redakteure": "Redakteur", "Nutzerinnen": "Nutzerin", "Fahrer": "Fahrer", "operators": "Operator"} {
		if got := personaName(name); got != want {
			t.Errorf("%q is called %q", name, got)
		}
	}
}
