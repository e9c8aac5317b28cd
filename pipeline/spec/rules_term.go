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

func terms(in *inspection) {
	in.acronyms()
	in.spellings()
}

func (in *inspection) acronyms() {
	defined := map[string]bool{}
	for _, d := range in.Documents {
		for _, word := range d.words().defined {
			defined[word] = true
		}
	}
	in.runningText(func(d *Document, p passageRead) {
		for _, word := range p.acronyms {
			if defined[word] {
				continue
			}
			defined[word] = true // said once
			in.hit(Finding{File: d.Path, Line: p.Line, Item: in.itemAt(d.Path, p.Line), Unit: word, Message: word + " is defined nowhere"})
		}
	})
}

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
	in.runningText(func(d *Document, p passageRead) {
		for _, w := range p.words {
			met := spelling{w.text, 1, Place{d.Path, w.line}, p.Kind == Paragraph || p.Kind == ListItem}
			if !w.pair {
				note(w.key, met)
			} else if _, seen := pairs[w.text]; !seen {
				pairs[w.text] = met
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
