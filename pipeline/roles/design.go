package roles

import (
	"regexp"
	"slices"
	"strings"

	"parley/pipeline/spec"
)

// technology names what the issue may say it is built with.
var technology = []struct {
	layer string
	re    *regexp.Regexp
}{
	{"Frontend", regexp.MustCompile(`\b(React|Vue(?:\.js)?|Svelte|Angular|Next\.js|Nuxt|Tailwind(?: CSS)?|TypeScript|htmx)\b(?:\s+v?(\d+(?:\.\d+)*))?`)},
	{"Backend", regexp.MustCompile(`\b(Go|Python|Java|Kotlin|Rust|Ruby|PHP|C#|Node(?:\.js)?|Django|Flask|FastAPI|Rails|Laravel|Spring Boot|Gin|Express)\b(?:\s+v?(\d+(?:\.\d+)*))?`)},
	{"Database", regexp.MustCompile(`\b(PostgreSQL|Postgres|MySQL|MariaDB|SQLite|MongoDB|Redis|DynamoDB|ClickHouse|BigQuery|Snowflake|Elasticsearch|S3)\b(?:\s+v?(\d+(?:\.\d+)*))?`)},
	{"Infrastructure", regexp.MustCompile(`\b(Kubernetes|Docker|Terraform|Helm|Kafka|RabbitMQ|Airflow|AWS|GCP|Azure|GitHub Actions|Nginx|Prometheus|Grafana|systemd|Vault)\b(?:\s+v?(\d+(?:\.\d+)*))?`)},
}

// stack is what the repository is built with and what the issue names.
func (u upstream) stack(adrs []spec.ADR) []spec.StackRow {
	var out []spec.StackRow
	add := func(layer, name, version, why string) {
		for i := range out {
			if strings.EqualFold(out[i].Technology, name) {
				out[i].Version = firstOf(out[i].Version, version)
				return
			}
		}
		out = append(out, spec.StackRow{Layer: layer, Technology: name, Version: version, Rationale: why})
	}
	if c := u.d.Codebase; c != nil {
		why := phrase(u.lang, "env", "`"+strings.Join(c.Stack.Manifests, "`, `")+"`")
		for _, group := range []struct {
			layer string
			names []string
		}{{"Backend", c.Stack.Languages}, {"Framework", c.Stack.Frameworks}, {"Database", c.Stack.Databases}, {"Infrastructure", c.Stack.Infrastructure}} {
			for _, n := range group.names {
				layer := group.layer
				if slices.Contains([]string{"React", "Vue", "Svelte", "Angular", "Next.js", "Tailwind CSS", "Vite"}, n) {
					layer = "Frontend"
				}
				add(layer, n, c.Stack.Versions[n], why)
			}
		}
	}
	for _, s := range u.r.Of(SortDecision, SortConstraint, SortAsk, SortQuality, SortDepends) {
		for _, t := range technology {
			for _, m := range t.re.FindAllStringSubmatch(s.Quote, -1) {
				name := m[1]
				if name == "Postgres" {
					name = "PostgreSQL"
				}
				if name == "Go" && !strings.Contains(s.Quote, "Go ") && !strings.HasSuffix(strings.TrimRight(s.Quote, "."), "Go") {
					continue
				}
				add(t.layer, name, m[2], where(s.Line, u.lang)+": “"+clip(s.Quote, 100)+"”")
			}
		}
	}
	return out
}

// style says the shape in one or two sentences: what is there, how it is cut,
// what was decided.
func (u upstream) style(a spec.Architecture) string {
	var out []string
	if u.d.Codebase != nil {
		out = append(out, phrase(u.lang, "style codebase", strings.Join(u.d.Codebase.Stack.Languages, ", ")))
	}
	var names []string
	for _, c := range a.Components {
		names = append(names, c.Name)
	}
	if len(names) > 1 {
		out = append(out, phrase(u.lang, "style parts", strings.Join(names, ", ")))
	} else if len(names) == 1 {
		out = append(out, phrase(u.lang, "style one"))
	}
	stated := 0
	for _, d := range a.ADRs {
		if d.Status == "Accepted" && stated < 2 {
			out = append(out, unlabelled(d.Decision))
			stated++
		}
	}
	if stated == 0 && u.d.Codebase == nil {
		out = append(out, phrase(u.lang, "style open"))
	}
	return join(out, u.lang)
}

var decisionLabel = regexp.MustCompile(`(?i)^(?:decision|entscheidung|决定|决策)\s*[:：]\s*`)

// unlabelled is a decision without the word that calls it one.
func unlabelled(text string) string { return upperFirst(decisionLabel.ReplaceAllString(text, "")) }

// technologyFor is the technology a component's own sentences name, else that
// of the code base.
func technologyFor(c spec.Component, a spec.Architecture) string {
	text := c.Name + " " + c.Responsibility
	for _, row := range a.Stack {
		if speaksOf(text, row.Technology) {
			return strings.TrimSpace(row.Technology + " " + row.Version)
		}
	}
	var out []string
	for _, layer := range []string{"Backend", "Frontend", "Framework"} {
		for _, row := range a.Stack {
			if row.Layer == layer && len(out) < 1 {
				out = append(out, strings.TrimSpace(row.Technology+" "+row.Version))
			}
		}
	}
	for _, d := range a.ADRs {
		if len(out) == 0 && d.Status == "Accepted" && len(a.Stack) > 0 {
			out = append(out, strings.TrimSpace(a.Stack[0].Technology+" "+a.Stack[0].Version))
		}
	}
	return strings.Join(out, ", ")
}

var (
	deployWords  = regexp.MustCompile(`(?i)\b(?:deploy\w*|replicas?|cluster|kubernetes|docker|container|region|production|staging|server|systemd|lambda|installier\w*)\b|部署|集群|生产环境`)
	migrateWords = regexp.MustCompile(`(?i)\b(?:migrat\w*|backfill\w*|existing (?:data|rows|users|entries|records)|roll ?out|feature flag|cut[- ]?over|bestandsdaten)\b|迁移|历史数据|灰度`)
	storeWords   = regexp.MustCompile(`(?i)\b(?:stor\w*|kept|keep|retain\w*|retention|saved?|persist\w*|archiv\w*|backup|speicher\w*|aufbewahr\w*)\b|保存|存储|保留|归档`)
	keptFor      = regexp.MustCompile(`(?i)\d+\s*(?:minutes?|hours?|days?|weeks?|months?|years?|stunden|tage|monate|jahre)|\d+\s*(?:小时|天|个月|年)`)
	storeNames   = regexp.MustCompile(`\b(PostgreSQL|Postgres|MySQL|MariaDB|SQLite|MongoDB|Redis|DynamoDB|ClickHouse|BigQuery|Snowflake|S3|disk|localStorage)\b`)
)

// matching are demands, decisions and constraints that hold a word of the kind.
func matching(r Reading, re *regexp.Regexp) []Said {
	var out []Said
	for _, s := range r.Of(SortDecision, SortConstraint, SortDepends, SortAsk, SortQuality) {
		if re.MatchString(s.Quote) {
			out = append(out, s)
		}
	}
	return out
}

func storageOf(r Reading, entities []spec.Entity) []spec.StorageRow {
	var out []spec.StorageRow
	for _, s := range matching(r, storeWords) {
		row := spec.StorageRow{Storage: storeNames.FindString(s.Quote), Retention: keptFor.FindString(s.Quote)}
		if row.Storage == "" && row.Retention == "" {
			continue
		}
		row.Type = clip(s.Quote, 60)
		for _, e := range entities {
			if speaksOf(s.Quote, e.Name) {
				row.Type = e.Name
			}
		}
		if strings.Contains(strings.ToLower(s.Quote), "backup") {
			row.Backup = clip(s.Quote, 60)
		}
		out = append(out, row)
	}
	return few(out, 6)
}

func environments(d Discovery) []string {
	var out []string
	if d.Codebase == nil {
		return nil
	}
	for _, i := range d.Codebase.Stack.Infrastructure {
		out = append(out, phrase(d.Language, "env", i))
	}
	return out
}

// relationsOf finds entities that one sentence names together.
func relationsOf(r Reading, entities []spec.Entity) []spec.Relation {
	var out []spec.Relation
	for i, a := range entities {
		for _, b := range entities[i+1:] {
			if speaksOf(a.Description+" "+a.Fields, b.Name) || speaksOf(b.Description+" "+b.Fields, a.Name) {
				from, to := a.Name, b.Name
				if speaksOf(a.Fields, b.Name) {
					from, to = to, from
				}
				out = append(out, spec.Relation{From: from, To: to, Kind: "has"})
			}
		}
	}
	return out
}

func endpointsOf(r Reading) []spec.Endpoint {
	var out []spec.Endpoint
	for _, s := range r.Said {
		if s.Sort == SortNonGoal || s.Sort == SortProblem {
			continue
		}
		texts := []string{s.Quote}
		for _, d := range s.Details {
			texts = append(texts, d.Quote)
		}
		for _, t := range texts {
			for _, m := range endpointWords.FindAllStringSubmatch(t, -1) {
				path := strings.TrimRight(m[2], ".,:")
				if slices.ContainsFunc(out, func(e spec.Endpoint) bool { return e.Endpoint == path && e.Method == m[1] }) {
					continue
				}
				auth := strings.Join(distinctWords(authWords.FindAllString(t, -1)), ", ")
				out = append(out, spec.Endpoint{Endpoint: path, Method: m[1], Purpose: purposeOf(t), Auth: auth})
			}
		}
	}
	return few(out, 20)
}

// purposeOf is what an endpoint is for: the sentence without the endpoint
// itself where it opens with it.
func purposeOf(text string) string {
	if at := spanOnly.FindStringIndex(text); at != nil && at[0] == 0 {
		text = strings.TrimLeft(text[at[1]:], " :–—-")
	}
	return phraseCut(upperFirst(text), 90)
}

func distinctWords(words []string) []string {
	var out []string
	for _, w := range words {
		out = once(out, w)
	}
	return out
}

var authWords = regexp.MustCompile(`(?i)\b(?:api key|bearer token|operator token|session cookie|oauth\w*|jwt|signed in|write access|admin(?: role| rights| only)?|hmac(?:-sha256)? signature|token)\b`)

// controls are the requirements that protect something.
func (u upstream) controls(reqs spec.Requirements) []spec.Control {
	kinds := []struct {
		name string
		re   *regexp.Regexp
	}{
		{"Authentication", regexp.MustCompile(`(?i)\b(?:authenticat\w*|log ?in|sign(?:s|ed)?[- ]in|password\w*|mfa|2fa|token\w*|signature\w*|hmac\w*)\b|认证|登录|密码`)},
		{"Authorization", regexp.MustCompile(`(?i)\b(?:authori[sz]\w*|permission\w*|only (?:the|an?|their|own|admins?|owners?|operators?|members?)|role[- ]based|access|berechtig\w*)\b|权限|授权`)},
		{"Data Protection", regexp.MustCompile(`(?i)\b(?:encrypt\w*|redact\w*|mask\w*|tls|at rest|pii|personal data|gdpr|secrets?|never logged|verschlüssel\w*)\b|加密|脱敏`)},
	}
	var out []spec.Control
	add := func(text, id string) {
		for _, k := range kinds {
			if k.re.MatchString(text) {
				out = append(out, spec.Control{Control: k.name, Implementation: strings.TrimRight(text, "."), Requirement: id})
				return
			}
		}
	}
	for _, q := range reqs.Reqs {
		add(q.Description, q.ID)
	}
	for _, n := range reqs.NFRs {
		add(n.Statement, n.ID)
	}
	return few(out, 10)
}

// integration maps components to the files exploration found for them.
func (u upstream) integration(a spec.Architecture) []spec.IntegrationRow {
	if u.d.Codebase == nil {
		return nil
	}
	var out []spec.IntegrationRow
	for _, c := range a.Components {
		words := keywords(c.Name + " " + c.Responsibility)
		for _, f := range u.d.Codebase.Files {
			if f.Relevance == "low" || f.Role == "test_target" || len(out) > 12 {
				continue
			}
			in := keywords(strings.NewReplacer("/", " ", ".", " ", "_", " ", "-", " ").Replace(f.Path) + " " + strings.Join(f.KeySymbols, " "))
			if overlap(words, in) > 0 {
				out = append(out, spec.IntegrationRow{Component: c.Name, Module: "`" + f.Path + "`", Change: "Extend", Notes: f.Rationale})
				break
			}
		}
	}
	return out
}

func attributes(reqs spec.Requirements, adrs []spec.ADR) []spec.Attribute {
	names := map[string]string{"P": "Performance", "SC": "Scalability", "S": "Security", "U": "Usability"}
	var out []spec.Attribute
	for _, n := range reqs.NFRs {
		row := spec.Attribute{Name: names[n.Category] + ": " + firstOf(n.Metric, n.Title), Target: n.Target, Measurement: n.Method}
		for _, d := range adrs {
			if slices.Contains(d.TracesTo, n.ID) {
				row.ADR = d.ID
				break
			}
		}
		out = append(out, row)
	}
	return out
}

var (
	likelihoodIn = regexp.MustCompile(`(?i)\b(?:likelihood|probability)\s*[:：]?\s*(\w+)|\b(unlikely|likely|rare(?:ly)?|low likelihood|high likelihood)\b`)
	impactIn     = regexp.MustCompile(`(?i)\bimpact\s*[:：]?\s*(\w+)|\b(low|medium|high|severe) impact\b`)
	mitigationIn = regexp.MustCompile(`(?i)\bmitigation\s*[:：]\s*([^;.]+)|\bmitigated by\s+([^;.]+)|缓解[:：]\s*([^；。]+)`)
	ownerIn      = regexp.MustCompile(`(?i)\bowner\s*[:：]\s*([^;.,]+)|\bowned by\s+([^;.,]+)|负责人[:：]\s*([^；。]+)`)
)

// risksOf reads stated risks with what the issue says about each.
func risksOf(r Reading) []spec.RiskRow {
	var out []spec.RiskRow
	for _, s := range r.Of(SortRisk) {
		row := spec.RiskRow{Risk: s.Quote, Likelihood: submatch(likelihoodIn, s.Quote), Impact: submatch(impactIn, s.Quote),
			Mitigation: submatch(mitigationIn, s.Quote), Owner: submatch(ownerIn, s.Quote)}
		for _, d := range s.Details {
			switch d.Label {
			case "likelihood", "probability":
				row.Likelihood = d.Quote
			case "impact":
				row.Impact = d.Quote
			case "mitigation":
				row.Mitigation = d.Quote
			case "owner":
				row.Owner = d.Quote
			}
		}
		for _, re := range []*regexp.Regexp{likelihoodIn, impactIn, mitigationIn, ownerIn} {
			if at := re.FindStringIndex(row.Risk); at != nil && at[0] > 10 {
				row.Risk = strings.TrimRight(strings.TrimSpace(row.Risk[:at[0]]), " ;,(.:–—")
			}
		}
		row.Risk = regexp.MustCompile(`(?i)^(?:risk|risiko|风险)\s*[:：]\s*`).ReplaceAllString(row.Risk, "")
		out = append(out, row)
	}
	return out
}
