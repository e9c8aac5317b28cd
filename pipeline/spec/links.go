package spec

import (
	"net/url"
	"path"
	"strings"
)

// Link is one inline link of a document.
type Link struct {
	Text, Target string
	Line         int
}

var (
	linkText   = compile(`!?\[([^\[\]]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+"[^"]*")?\)`)
	linkParts  = compile(`!?\[([^\[\]]*)\]\(\s*<?([^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)*)>?(?:\s+"[^"]*")?\s*\)`)
	linkRef    = compile(`^ {0,3}\[([^\[\]]+)\]:\s*<?(\S+?)>?(?:\s+"[^"]*")?\s*$`)
	codeSpan   = compile("`+[^`]*`+")
	emphasis   = strings.NewReplacer("***", "", "**", "", "__", "")
	emphasised = compile(`(^|[\s(])[*_]([^*_\s](?:[^*_]*[^*_\s])?)[*_]($|[\s).,;:!?])`)
	comment    = compile(`(?s)<!--.*?(?:-->|$)`)
)

// Plain is a line's text as a reader sees it: link texts, no emphasis.
func Plain(s string) string {
	if !strings.ContainsAny(s, "[*_<\\`") {
		return strings.TrimSpace(s)
	}
	s = strings.ReplaceAll(s, "\\<", "\x00") // an escaped one opens no comment
	s = comment.ReplaceAllString(s, "")
	s = linkText.ReplaceAllString(s, "$1")
	s = emphasis.Replace(s)
	s = emphasised.ReplaceAllString(s, "$1$2$3")
	s = strings.ReplaceAll(s, "\x00", "<")
	return strings.TrimSpace(strings.ReplaceAll(s, "`", ""))
}

func (d *Document) readLinks() {
	for i, l := range d.Lines {
		if i < d.Front.End || d.inCode[i+1] || !strings.Contains(l, "](") && !strings.Contains(l, "]:") {
			continue
		}
		l = codeSpan.ReplaceAllString(l, "")
		for _, m := range linkParts.FindAllStringSubmatch(l, -1) {
			d.Links = append(d.Links, Link{Text: m[1], Target: m[2], Line: i + 1})
		}
		if m := linkRef.FindStringSubmatch(l); m != nil {
			d.Links = append(d.Links, Link{Text: m[1], Target: m[2], Line: i + 1})
		}
	}
}

// Resolve is the path and anchor a link of the document points to inside the
// set; ok is false for links that leave it.
func (d *Document) Resolve(l Link) (file, anchor string, ok bool) {
	target := l.Target
	if target == "" || strings.HasPrefix(target, "/") || strings.HasPrefix(target, "//") || strings.Contains(target, ":") {
		return "", "", false
	}
	file, anchor, _ = strings.Cut(target, "#")
	if plain, err := url.PathUnescape(file); err == nil {
		file = plain
	}
	if plain, err := url.PathUnescape(anchor); err == nil {
		anchor = plain
	}
	file, _, _ = strings.Cut(file, "?")
	if file == "" {
		return d.Path, anchor, true
	}
	return path.Join(path.Dir(d.Path), file), anchor, true
}

// relative is the way from one file to another.
func relative(from, to string) string {
	a, b := strings.Split(path.Dir(from), "/"), strings.Split(path.Dir(to), "/")
	if a[0] == "." {
		a = a[1:]
	}
	if b[0] == "." {
		b = b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	parts := make([]string, 0, len(a)+len(b)+1)
	for range a {
		parts = append(parts, "..")
	}
	return strings.Join(append(append(parts, b...), path.Base(to)), "/")
}
