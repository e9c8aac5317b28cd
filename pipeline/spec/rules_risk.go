package spec

import (
	"fmt"
	"strings"
)

func riskTable(row string) string {
	return architectureWith("## Risks & Mitigations\n\n| Risk | Impact | Probability | Mitigation | Owner |\n| --- | --- | --- | --- | --- |\n" + row)
}

// riskRules judge what can go wrong.
var riskRules = []Rule{
	{ID: "L43", Grade: Major, Title: "no failure behaviour", Detects: "Something comes in from outside, and no statement says what happens when it fails.",
		Perspectives: []string{risk, coverage}, Move: Move{Weight: 1, Flat: true}, Artifacts: ofRequirements,
		Good:   twoRequirements("The service MUST import a CSV file.", "When a row is invalid, the service MUST reject the file and name the row."),
		Bad:    twoRequirements("The service MUST import a CSV file.", "The service MUST list the imported rows."),
		Remedy: "When <input> is invalid, late or missing, the <system> MUST <response>.", check: failures},
	{ID: "L66", Grade: Major, Title: "risk not whole", Detects: "A risk lacks likelihood, impact, mitigation or owner.",
		Perspectives: []string{risk}, Move: Move{Weight: .75, Share: .3}, Artifacts: ofDiscovery + ofBrief + ofArchitecture + ofEpics,
		Good: riskTable("| table grows | high | medium | delete after 72 h | platform team |\n"), Bad: riskTable("| table grows | high | medium | | |\n"),
		Remedy: "Fill in the four fields; a risk nobody owns is nobody's.", check: riskFields},
	{ID: "L67", Grade: Major, Title: "asset unprotected", Detects: "Passwords, payments (blocker), uploads or personal data, and no statement that protects them.",
		Perspectives: []string{risk, coverage}, Move: Move{Cap: 2, CapGrade: Blocker, Weight: 1, Flat: true}, Artifacts: ofRequirements + ofNFR,
		Good:   twoRequirements("The shop MUST let a customer set a password.", "The shop MUST keep a password only as an argon2 hash."),
		Bad:    twoRequirements("The shop MUST let a customer set a password.", "The shop MUST show the order history."),
		Remedy: "Add the requirement that protects it: who may, how it is kept, what is refused.", check: assetsOpen},
	{ID: "L68", Grade: Major, Title: "irreversible act", Detects: "Something is deleted or overwritten for good, with no confirmation, undo or backup.",
		Perspectives: []string{risk}, Move: Move{Weight: .75, Flat: true}, Artifacts: ofRequirements + ofArchitecture,
		Good:   requirement("When an admin confirms it with the project's name, the service MUST delete the project."),
		Bad:    requirement("The service MUST delete a project with all its files."),
		Remedy: "Ask for confirmation, keep it restorable for a while, or back it up first.", check: irreversible},
}

var (
	outsideInput = compile(`(?i)\b(?:upload|import|ingest|receive|fetch|download|pull|poll|subscribe|consume|webhook|third[- ]party|external (?:service|system|api|provider)|user input|form (?:field|input)|scan|read(?:s)? (?:a|the|its) (?:file|sensor|input|stdin)|config(?:uration)? file|sensor|csv|request bod)\w*\b|\b(?:einlesen|importier\w*|hochlad\w*|empfang\w*|empfäng\w*|externe\w* (?:dienst|system)\w*|schnittstelle zu)\b|上传|导入|接收|接入|第三方|外部(?:系统|接口|服务)|扫码`)
	failure      = compile(`(?i)\b(?:fail\w*|error\w*|invalid\w*|reject\w*|refus\w*|time[sd]? ?out\w*|timeout\w*|unavailable|unreachable|retr(?:y|ies|ied|ying)|corrupt\w*|malformed|missing|duplicate\w*|offline|outage|disconnect\w*|lost|denied|deny|wrong|unknown|exceed\w*|expired?|abort\w*|rolls? back|quarantine\w*|dead[- ]letter|[45]\d\d|fehl\w*|ungültig\w*|ablehn\w*|abgelehnt\w*|abweis\w*|ausfall\w*|fällt aus|nicht erreichbar|verwerf\w*|verwirf\w*|zurückweis\w*)\b|weist .{0,60} (?:ab|zurück)|lehnt .{0,60} ab|失败|错误|无效|拒绝|超时|异常|断开|中断|不可用|重试|不合法|缺失|离线`)
)

// failures asks for one statement that says what happens when what comes in
// from outside fails: of the same item, or about the same things. That of some
// other failure is none.
func failures(in *inspection) {
	var input *Statement
	var fails []Statement
	about, items := map[string]bool{}, map[string]bool{}
	for i, st := range in.Statements {
		if st.Kind == KindADR || st.Kind == KindStory {
			continue
		}
		switch does := predicate(st.Said); {
		case failure.MatchString(st.Said):
			if st.Kind != KindNFR || handled.MatchString(st.Said) {
				fails = append(fails, st)
			}
		case st.Kind == KindReq && outsideInput.MatchString(does):
			if input == nil {
				input = &in.Statements[i]
			}
			items[st.Item] = true
			for w := range core(does) {
				about[w] = true
			}
		}
	}
	if input == nil {
		return
	}
	for _, st := range fails {
		it, _ := in.Item(st.Item)
		does := predicate(st.Said)
		if items[st.Item] || items[it.Fields["parent"]] || outsideInput.MatchString(does) || comesIn.MatchString(does) || overlap(contentWords(does), about) > 0 {
			return
		}
	}
	in.hitSentence(*input, "", "“%s” brings something in from outside; no statement says what happens when it fails",
		strings.TrimSpace(outsideInput.FindString(predicate(input.Said))))
}

var (
	// comesIn are names for what is brought in, whatever it is.
	comesIn = compile(`(?i)\b(?:inputs?|files?|rows?|records?|lines?|messages?|payloads?|requests?|responses?|documents?|fields?|bytes|data|format|zeilen?|datei(?:en)?|nachricht(?:en)?|anfragen?|eingaben?|daten)\b|文件|数据|消息|请求|记录|格式`)
	// handled are the forms of a sentence that says what is done about a failure;
	// a bound on failures says only how many there may be.
	handled = compile(`(?i)\b(?:when|whenever|if|after|reject\w*|refus\w*|den(?:y|ies)|skips?|retr(?:y|ies)|quarantines?|aborts?|rolls? back|wenn|falls|sobald|lehnt|weist|verwirft)\b|当|如果|若|拒绝|重试|丢弃`)
)

// actor is who a sentence says must act: a few words with an article, and no
// figure, in front of the modal.
var actor = compile(`(?i)(?:^|[,;:]\s+)(?:then )?(?:the|an?|each|every|its|our|der|die|das|jede[rs]?)(?: [\p{L}-]+){1,4}? (?:must|shall|should|may|will|can|muss|müssen|soll|sollen|darf|dürfen|kann|können)\b`)

// predicate is a sentence without who acts: what a system is called says
// nothing about what it does.
func predicate(s string) string { return actor.ReplaceAllString(s, " ") }

// riskColumns are the four fields and the names they go by.
var riskColumns = []struct {
	name    string
	headers []string
}{{"likelihood", []string{"likelihood", "probability"}}, {"impact", []string{"impact", "severity"}}, {"mitigation", []string{"mitigation"}}, {"owner", []string{"owner"}}}

func riskFields(in *inspection) {
	for _, it := range in.Of(KindRisk) {
		if len(it.Fields) == 0 {
			continue // a decision's risks are remarks
		}
		var lacks []string
		for _, c := range riskColumns {
			value := ""
			for _, h := range c.headers {
				value += it.Fields[h]
			}
			if strings.Trim(value, " ?–-") == "" {
				lacks = append(lacks, c.name)
			}
		}
		if len(lacks) > 0 {
			in.hit(Finding{File: it.File, Line: it.Line, Item: it.ID, Unit: it.ID, Message: fmt.Sprintf("“%s” has no %s", clip(Plain(it.Statement), 60), strings.Join(lacks, ", no "))})
		}
	}
}

// assets are what an attacker wants, and the words of a statement that
// protects each.
var assets = []struct {
	name, grade   string
	named, shield pattern
	kept          bool // at rest, too: safe on the way is not enough
}{
	{"a password or sign-in", Blocker, compile(`(?i)\bpass(?:word|phrase|code)s?\b|\bcredentials?\b|\bPIN codes?\b|\b(?:log|sign)s?[- ]?in with\b|\b(?:API|private|secret) keys?\b|\bpasswor(?:t|te|ts|tes|tern?)\b|\bkennwor\w+|\bzugangsdaten\b|密码|口令|登录凭证|私钥`),
		compile(`(?i)\bhash\w*|\bargon2\w*|\bbcrypt\b|\bencrypt\w*|\brate[- ]limit\w*|\block(?:s|ed)? (?:out|the|an|account)|\b(?:second|two|multi)[- ]factor\b|\bbrute\b|\bfailed (?:attempts|sign|log)|\bTLS\b|\bvault\b|\bsecret store\b|\bMUST NOT (?:log|store|show|send|keep|write|print)\b|verschlüssel\w*|gehasht|sperr\w*|streuwert|加密|哈希|锁定|限流|脱敏`), true},
	{"a payment", Blocker, compile(`(?i)\bpay(?:s|ing|ment|ments)?\b (?:by|with|for|from|card|method|details|data)|\bpayments?\b|\b(?:credit|debit) cards?\b|\bcard (?:numbers?|data|details)\b|\bdirect debits?\b|\bbank (?:account|card|detail|transfer)s?\b|\bIBANs?\b|\bcharg(?:e|es|ing) (?:the |a |an |his |her |their )?(?:customer|card|account|buyer|guest|user|member|subscriber)s?\b|\bbankverbindung\w*|\bkontonummer\w*|\bbezahl(?:en|ung\w*|t per)\b|\bzahl(?:ung|ungen|t per)\b|\bkreditkarte\w*|\blastschrift\w*|支付|付款|信用卡|银行卡|银行账户|扣款`),
		compile(`(?i)\bPCI\b|\btoken\w*|\bencrypt\w*|\bTLS\b|\b3-?D[- ]?Secure\b|\bsign(?:ed|ature)\b|\bidempoten\w*|\bnever (?:store|see|log)\w*\b|\bMUST NOT (?:store|log|keep|charge|book|write)\b|\bfraud\b|\bonly the last four\b|verschlüssel\w*|\bnicht speichern\b|signatur\w*|signiert|加密|签名|不得(?:存储|保存|记录)|幂等`), false},
	{"an upload", "", compile(`(?i)\bupload\w*|\battachments?\b|\battach\w* (?:a |an |the |one )?(?:file|photo|picture|image|document|scan|receipt)s?\b|\bhochlad\w*|\bhochgeladen\w*|\banhäng\w*|\banhang\b|上传|附件`),
		compile(`(?i)\bvirus\w*|\bmalware\b|\bscan(?:s|ned)? (?:it|them|each|every|all|any|for|the (?:file|upload|attachment)|uploads|attachments|before|by)\b|\bvirus[- ]?scan\w*|\b(?:size|larger|bigger|up to|at most|exceed\w*|over)\b.{0,30}\b(?:KB|MB|GB|MiB)\b|\b(?:reject|refuse|accept)\w* .{0,40}\b(?:type|format|file|signature)s?\b|\bchecksum\b|\bsign(?:ed|ature)\b|größer als|\bvirenprüf\w*|prüfsumme|杀毒|扫描|大小|校验|格式`), false},
	{"personal data", "", compile(`(?i)\bpersonal (?:data|information|details)\b|\b(?:patient|health|medical) (?:data|records?|files?)\b|\bdates? of birth\b|\bbirth ?dates?\b|\b(?:home|postal|private) address\w*|\b(?:phone|telephone|mobile) numbers?\b|\bsocial security\b|\b(?:passport|identity card|ID card|tax) (?:numbers?|data)\b|\b(?:salary|salaries|diagnos[ei]s|biometric\w*)\b|\bpersonenbezogen\w*|\bpatienten(?:daten|akten?)\b|\bgesundheitsdaten\b|\bgeburtsdat\w+|\bgeburtstag\w*|\btelefonnummer\w*|\b(?:privat|wohn|heim)(?:adresse|anschrift)\w*|个人(?:信息|资料|数据)|手机号|身份信息|家庭住址|健康数据|患者(?:信息|资料|数据)|病历|身份证`),
		compile(`(?i)\bencrypt\w*|\bconsent\w*|\bonly (?:an? |the )?[\w ]{3,40} (?:may|can|with)\b|\bpermission\w*|\broles?\b|\baccess (?:log|control|right)\w*|\banonymi\w*|\bpseudonym\w*|\bGDPR\b|\bMUST NOT (?:show|log|send|share|store|leave|expose)\b|\bretention\b|\baudit\w*|\bmask\w*|\bdelete\w* .{0,60}\b(?:days|months|years|request)\b|verschlüssel\w*|berechtig\w*|einwillig\w*|\blösch\w*|protokollier\w*|加密|权限|脱敏|授权|审计|匿名`), true},
}

// mentioned are the same words where nothing worth stealing is handled.
var mentioned = compile(`(?i)\bpayment (?:status|states?|dates?|history|terms|overview|reports?|lists?|reminders?)\b|\b(?:late|missing|overdue|open) payments?\b|支付状态|支付时间|支付记录|\bupload(?:ed)? (?:time|date|speed|status|progress)\b|\bpassword (?:manager|policy)\b`)

// anyData is how a quality requirement speaks of everything at once.
var anyData = compile(`(?i)\b(?:all|every|any|each) (?:\w+ )?(?:data|fields?|requests?|records?|connections?|traffic|secrets?|files?)\b|\b(?:customer|user|stored|sensitive) data\b|\bat rest\b|\bin transit\b|\balle daten\b|所有(?:数据|字段|请求)`)

var (
	transit = compile(`(?i)\bTLS\b|\bHTTPS\b|\bin transit\b|\bover the (?:network|wire)\b|传输`)
	atRest  = compile(`(?i)\bat rest\b|\bstor(?:e|es|ed|age)\b|\bhash\w*|\bargon2\w*|\bbcrypt\b|\brows?\b|\bcolumns?\b|\btables?\b|\bbackups?\b|\bdisks?\b|\broles?\b|\bonly\b|存储|哈希|落盘`)
)

// onTheWay tells whether a statement protects what is sent and says nothing of
// what is kept.
func onTheWay(text string) bool { return transit.MatchString(text) && !atRest.MatchString(text) }

func assetsOpen(in *inspection) {
	for _, a := range assets {
		var first *Statement
		protected := false
		for i, st := range in.Statements {
			if st.Kind == KindADR || st.Kind == KindStory {
				continue
			}
			text := mentioned.ReplaceAllString(st.Said, "_")
			if a.shield.MatchString(text) && !(a.kept && onTheWay(text)) && (a.named.MatchString(text) || st.Kind == KindNFR && anyData.MatchString(text) || in.sameSubject(st, a.named)) {
				protected = true
				break
			}
			if first == nil && st.Kind == KindReq && a.named.MatchString(text) && !forbids(text) {
				first = &in.Statements[i]
			}
		}
		if first != nil && !protected {
			in.hitSentence(*first, a.grade, "%s, and no statement protects it", a.name)
		}
	}
}

// sameSubject tells whether a statement's item speaks of the asset elsewhere:
// in its title, or in the requirement a criterion belongs to.
func (in *inspection) sameSubject(st Statement, named pattern) bool {
	it, _ := in.Item(st.Item)
	if parent, ok := in.Item(it.Fields["parent"]); ok {
		it.Title += " " + parent.Title + " " + parent.Statement
	}
	return named.MatchString(it.Title + " " + it.Statement)
}

var (
	destroys  = compile(`(?i)\b(?:must|shall|should|may|can|will)\s+(?:\w+ly\s+|then\s+)?(?:delete|erase|purge|wipe|overwrite|destroy|truncate|drop)s?\b|\bpermanently (?:delete|remove|erase)\w*|\blet (?:an? |the )?[\w ]{3,30} (?:delete|erase|purge|wipe|overwrite)\b|\b(?:muss|soll|darf|kann)\b[^.]{0,80}\b(?:löschen|überschreiben|vernichten)\b|(?:必须|应|可以|允许)[^。]{0,20}(?:删除|清空|覆盖|销毁)`)
	retention = compile(`(?i)\b(?:delete|erase|purge|remove|drop|overwrite)s?\b.{0,60}\b(?:after|older than|expired|once)\b.{0,30}\b(?:\d+|retention|ttl|expir)|\b(?:cache|temporary|temp|draft|expired|duplicate|stale|cookie|session|token|lock|index|queue entry)\b|\bolder than\b|\bälter als\b|\bnach (?:\d+|ablauf)\b|\d+\s*(?:天|个月|年|小时)后|过期|缓存`)
	reversal  = compile(`(?i)\bconfirm\w*|\bundo\w*|\brestor\w*|\brecover\w*|\bback(?:ed|s)?[- ]?ups?\b|\btrash\b|\brecycle bin\b|\barchiv\w*|\bsoft[- ]delet\w*|\bgrace period\b|\brevert\w*|\bsnapshot\w*|\bprevious version\b|\bkeep\w* (?:a copy|the old|the previous)\b|\bexport\w* (?:first|before)|\bbestätig\w*|\bwiederherstell\w*|\bpapierkorb\b|\bsicher(?:ung|t)\w*|\brückgängig\b|确认|撤销|恢复|备份|回收站|归档`)
)

func irreversible(in *inspection) {
	for _, it := range in.Of(KindReq) {
		text := Plain(it.Statement)
		m := destroys.FindString(unquoted(text))
		if m == "" || forbids(text) || retention.MatchString(text) || it.Priority == "Won't" {
			continue
		}
		_, object, _ := strings.Cut(text, m)
		object = clip(orElse(object, it.Title), 60)
		near := text + " " + it.Title
		for _, id := range in.Down(it.ID, KindAC) {
			ac, _ := in.Item(id)
			near += " " + ac.Statement
		}
		if reversal.MatchString(near) || in.reversedElsewhere(it, object) {
			continue
		}
		in.hitItem(it, "", it.ID+" cannot be undone: “"+oneLine(m)+"”")
	}
}

// reversedElsewhere: another statement speaks of bringing back the same thing.
func (in *inspection) reversedElsewhere(it Item, object string) bool {
	words := core(object)
	for _, st := range in.Statements {
		if st.Item == it.ID || st.Kind == KindADR || !reversal.MatchString(st.Said) {
			continue
		}
		for w := range core(st.Text) {
			if words[w] && w != "remove" {
				return true
			}
		}
	}
	return false
}
