package spec

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// knownAcronyms need no definition for anybody who reads specifications.
var knownAcronyms = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`ACL AI AM AMQP API APIS APK APP ARM ASCII ASN AWS AZ BIC BLE BOM CA CDN CEO CI CD CIDR CLI CORS CPU CRC CRM CRUD CSP CSRF CSS CSV CTO CVE
		DB DDL DDOS DE DHCP DLL DNS DOM DOS DTLS DVD EAN EC ECB EDI EMAIL EN EOF ERP ES ETA ETL EU EUR FAQ FIFO FK FPS FR FTP FTPS GB GCM GDPR GET GIF GIT GMT GPG GPS GPU GRPC GSM GUI GUID
		HMAC HTML HTTP HTTPS IANA IBAN ID IDE IDS IEC IETF IMAP IO IOT IP IPC IPS ISO IT JDBC JPEG JPG JS JSON JVM JWT KB KPI LAN LDAP LED LIFO LLM LRU LTE LTS MAC MB MD MFA MIME MIT ML MQTT MVP
		NAT NFC NFR NFS NTP ODBC OK ORM OS OSS OTA OTP OWASP PC PCI PDF PEM PGP PHP PID PII PIN PK PNG POST PPM PR PUT QA QR RAM RBAC RDBMS REQ REST RFC RFID RGB ROI RPC RSA RSS SAAS SAML SCIM SDK SEO SFTP SHA SIEM SIM SKU SLA SLI SLO SMS SMTP
		SOAP SPA SPF SQL SSD SSE SSH SSL SSO STDIN STDOUT STDERR SVG TB TCP TLS TOML TOTP TTL TV UDP UI UID UK UNIX URI URL URLS US USA USB USD UTC UTF UUID UX VAT VIP VM VPN WAF WAN WASM WCAG WIFI WWW XML XSD XSS YAML ZIP
		MUST SHALL SHOULD MAY NOT REQUIRED RECOMMENDED OPTIONAL WILL CAN AND OR IF THEN ELSE WHEN GIVEN TRUE FALSE NULL TODO TBD TBC FIXME XXX NONE NO YES NEVER ALWAYS
		PATCH DELETE HEAD OPTIONS INSERT UPDATE SELECT WHERE FROM EPIC STORY ADR AC RISK README LICENSE PASS FAIL REVIEW IOS WONT MOSCOW ERD CPP NPM DSL LOC AES AEAD GCP BSD GPL MPL APACHE CC CEST CET PM RDS S3 SQS SNS EKS K8S`) {
		m[w] = true
	}
	return m
}()

var (
	acronym    = compile(`(^|[\s("'/])([A-Z]{2,6})s?([\s).,;:!?"'/]|$)`)
	allCapsRun = compile(`\b[A-Z]{2,}\b[ _][A-Z]{2,}\b`)
	phrasal    = compile(`^(?:in|out|up|down|off|on|over|back|away|through|by|to)$`)
)

func terms(in *inspection) {
	in.acronyms()
	in.spellings()
}

// termText goes over the running text of the specification: what readers meet
// as words, without code, links and quotations.
func (in *inspection) termText(visit func(d *Document, b Block, text string)) {
	if in.terms == nil {
		in.terms = in.readTerms()
	}
	for _, t := range in.terms {
		visit(t.in, t.block, t.text)
	}
}

// termPart is a block as several rules about terms read it.
type termPart struct {
	in    *Document
	block Block
	text  string
}

func (in *inspection) readTerms() []termPart {
	out := []termPart{}
	for _, d := range in.Documents {
		if d.Kind == DocReadiness || d.Kind == DocSummary || d.Kind == DocDiscovery || d.Kind == DocConfig {
			continue
		}
		for _, b := range d.Blocks {
			if b.Kind == CodeBlock || b.Kind == HTMLBlock || b.Kind == QuoteBlock || b.Kind == TableHead {
				continue
			}
			if d.Kind == DocOther && in.itemAt(d.Path, b.Line) == "" {
				continue
			}
			if name, _, ok := splitLabel(b.Text); ok && name == "source" {
				continue // somebody else's words
			}
			out = append(out, termPart{d, b, Plain(unquoted(codeSpan.ReplaceAllString(b.Text, "_")))})
		}
	}
	return out
}

func (in *inspection) acronyms() {
	defined := map[string]bool{}
	for _, d := range in.Documents {
		for _, l := range d.Lines {
			if !capitals(l) {
				continue
			}
			for _, m := range definedHere.FindAllStringSubmatch(l, -1) {
				defined[strings.TrimSuffix(m[1]+m[2], "s")] = true
			}
		}
	}
	in.termText(func(d *Document, b Block, text string) {
		if !capitals(text) {
			return
		}
		text = allCapsRun.ReplaceAllString(idAnywhere.ReplaceAllString(text, "_"), "_")
		for _, m := range acronym.FindAllStringSubmatch(text, -1) {
			word := m[2]
			if knownAcronyms[word] || defined[word] {
				continue
			}
			defined[word] = true // said once
			in.hit(Finding{File: d.Path, Line: b.Line, Item: in.itemAt(d.Path, b.Line), Unit: word, Message: word + " is defined nowhere"})
		}
	})
}

// capitals tells whether two stand side by side, as in each acronym.
func capitals(s string) bool {
	for i := 1; i < len(s); i++ {
		if 'A' <= s[i] && s[i] <= 'Z' && 'A' <= s[i-1] && s[i-1] <= 'Z' {
			return true
		}
	}
	return false
}

// definedHere is "service level (SL)", "SL (service level)", "SL: service level"
// or "**SL**" at the head of an entry.
var definedHere = compile(`[(（]([A-Z]{2,6})s?[)）]|\b([A-Z]{2,6})s?\s*(?:[(（]|[:=–—]\s*\pL|[*_]{2}\s*[:–—-]|\s*\|\s*\pL+ \pL)`)

// spelling is one way a term is written, with where it was first met.
type spelling struct {
	text    string
	count   int
	at      Place
	running bool // there it stands in running text
}

// spellings finds words that differ only by hyphen, gap or inner capitals:
// "webhook" and "web-hook", "PostgreSQL" and "Postgresql".
func (in *inspection) spellings() {
	terms := map[string][]spelling{}
	pairs := map[string]spelling{}
	note := func(key string, met spelling) {
		list := terms[key]
		i := slices.IndexFunc(list, func(s spelling) bool { return s.text == met.text })
		if i < 0 {
			terms[key] = append(list, met)
			return
		}
		list[i].count++
	}
	in.termText(func(d *Document, b Block, text string) {
		for i, l := range strings.Split(text, "\n") {
			words := termWords(pathLike.ReplaceAllString(l, " "))
			for j, w := range words {
				met := spelling{"", 1, Place{d.Path, b.Line + i}, b.Kind == Paragraph || b.Kind == ListItem}
				if len(w) > 4 {
					met.text = casing(w)
					note(strings.ToLower(strings.ReplaceAll(w, "-", "")), met)
				}
				if j > 0 && len(w)+len(words[j-1]) > 5 && !phrasal.MatchString(strings.ToLower(w)) && strings.Contains(l, words[j-1]+" "+w) {
					two := strings.ToLower(words[j-1] + " " + w)
					if _, seen := pairs[two]; !seen {
						met.text = two
						pairs[two] = met
					}
				}
			}
		}
	})
	for two, s := range pairs {
		key := strings.ReplaceAll(two, " ", "")
		if list := terms[key]; len(list) > 0 && list[0].count >= 1 && !strings.Contains(list[0].text, "-") {
			terms[key] = append(list, s)
		}
	}
	in.hitSpellings(terms)
}

// termWords lists the words of ASCII letters, with the hyphens inside them.
func termWords(s string) []string {
	var out []string
	for i := 0; i < len(s); {
		if !letter(s, i) {
			i++
			continue
		}
		from := i
		for letter(s, i) || i < len(s) && s[i] == '-' && letter(s, i+1) {
			i++
		}
		out = append(out, s[from:i])
	}
	return out
}

func letter(s string, i int) bool {
	return i < len(s) && 'a' <= s[i]|0x20 && s[i]|0x20 <= 'z'
}

// casing folds the capital a word has at the head of a sentence or title; inner
// capitals are part of a name.
func casing(w string) string {
	inner := strings.IndexFunc(w[1:], unicode.IsUpper) >= 0
	if !inner || w == strings.ToUpper(w) || strings.Contains(w, "-") {
		return strings.ToLower(w)
	}
	return w
}

func (in *inspection) hitSpellings(terms map[string][]spelling) {
	var keys []string
	for k, list := range terms {
		if len(list) > 1 {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	for _, k := range keys {
		list := terms[k]
		best := slices.MaxFunc(list, func(a, b spelling) int { return a.count*1000 - b.count*1000 + strings.Compare(b.text, a.text) })
		for _, s := range list {
			if s.text == best.text || namedAs(best.text, s.text) {
				continue
			}
			f := Finding{File: s.at.File, Line: s.at.Line, Item: in.itemAt(s.at.File, s.at.Line), Unit: k, Message: fmt.Sprintf("“%s” here, “%s” elsewhere", s.text, best.text)}
			if s.running { // a cell may repeat a title, which stays
				f.Replacement = replaced(in.Quote(f.File, f.Line, f.Line), s.text, best.text)
			}
			in.hit(f)
		}
	}
}

// namedAs: a name with inner capitals beside the plain lower-case word may be
// a type in code beside the thing it stands for.
func namedAs(a, b string) bool {
	return strings.EqualFold(a, b) && strings.IndexFunc(a+b, unicode.IsUpper) >= 0 && (a == strings.ToLower(a) && lowerLead(b) || b == strings.ToLower(b) && lowerLead(a))
}

func lowerLead(s string) bool { return s != "" && unicode.IsLower([]rune(s)[0]) }
