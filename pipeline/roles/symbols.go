package roles

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"parley/pipeline/spec"
)

// angles say which words a look from that angle is after, besides the issue's.
var angles = map[string][]string{
	"general":            nil,
	"architecture":       {"layer", "service", "adapter", "interface", "module", "adr"},
	"dependencies":       {"import", "require", "vendor", "util"},
	"modularity":         {"interface", "package", "export", "internal", "plugin"},
	"integration-points": {"endpoint", "route", "handler", "event", "client", "webhook", "api"},
	"security":           {"auth", "token", "secret", "validate", "sanitize", "permission"},
	"auth-patterns":      {"login", "session", "token", "permission", "role"},
	"dataflow":           {"transform", "state", "validate", "parse", "convert", "map"},
	"validation":         {"validate", "schema", "check", "parse", "sanitize"},
	"performance":        {"cache", "query", "batch", "index", "lock", "loop"},
	"bottlenecks":        {"query", "lock", "sleep", "sync", "loop", "blocking"},
	"caching":            {"cache", "ttl", "expire", "invalidate", "memo"},
	"data-access":        {"query", "select", "repository", "store", "transaction", "orm"},
	"error-handling":     {"error", "catch", "recover", "retry", "panic", "exception"},
	"patterns":           {"factory", "builder", "middleware", "handler", "service"},
	"testing":            {"test", "mock", "fixture", "assert", "spec"},
	"state-management":   {"store", "reducer", "selector", "state", "context"},
	"edge-cases":         {"nil", "null", "empty", "limit", "overflow", "race"},
}

var languageByExt = map[string]string{
	".go": "Go", ".js": "JavaScript", ".jsx": "JavaScript", ".mjs": "JavaScript", ".cjs": "JavaScript", ".ts": "TypeScript", ".tsx": "TypeScript",
	".vue": "JavaScript", ".svelte": "JavaScript", ".py": "Python", ".java": "Java", ".kt": "Java", ".rs": "Rust", ".rb": "Ruby", ".php": "PHP", ".cs": "C#",
}

func languageOf(p string) string { return languageByExt[path.Ext(p)] }

func configFile(p string) bool {
	switch path.Ext(p) {
	case ".yml", ".yaml", ".toml", ".sql", ".proto", ".graphql", ".tf":
		return true
	}
	return path.Base(p) == "Dockerfile" || path.Base(p) == "Makefile"
}

// source is a file's outline.
type source struct {
	symbols, imports []string
	words            map[string]int
}

// Where no parser is at hand, declarations and imports are found by line.
var declarations = map[string]*regexp.Regexp{
	"JavaScript": regexp.MustCompile(`(?m)^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:function\*?|class|const|let)\s+([A-Za-z_$][\w$]*)`),
	"TypeScript": regexp.MustCompile(`(?m)^\s*(?:export\s+)?(?:default\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\*?|class|interface|type|enum|const)\s+([A-Za-z_$][\w$]*)`),
	"Python":     regexp.MustCompile(`(?m)^(?:    )?(?:async\s+)?(?:def|class)\s+(\w+)`),
	"Java":       regexp.MustCompile(`(?m)^\s*(?:(?:public|protected|private|static|final|abstract|data|open|override|suspend)\s+)*(?:class|interface|enum|record|fun|object)\s+(\w+)`),
	"Rust":       regexp.MustCompile(`(?m)^\s*(?:pub(?:\([^)]*\))?\s+)?(?:async\s+)?(?:fn|struct|enum|trait|mod)\s+(\w+)`),
	"Ruby":       regexp.MustCompile(`(?m)^\s*(?:def|class|module)\s+(?:self\.)?([\w:]+[?!]?)`),
	"PHP":        regexp.MustCompile(`(?m)^\s*(?:(?:public|protected|private|static|final|abstract)\s+)*(?:function|class|interface|trait|enum)\s+(\w+)`),
	"C#":         regexp.MustCompile(`(?m)^\s*(?:(?:public|protected|private|internal|static|sealed|abstract|partial)\s+)+(?:class|interface|record|enum|struct)\s+(\w+)`),
}

var importLines = map[string]*regexp.Regexp{
	"JavaScript": regexp.MustCompile(`(?m)(?:from|require\(|import)\s*['"]([^'"]+)['"]`),
	"TypeScript": regexp.MustCompile(`(?m)(?:from|require\(|import)\s*['"]([^'"]+)['"]`),
	"Python":     regexp.MustCompile(`(?m)^\s*(?:from\s+([\w.]+)\s+import|import\s+([\w.]+))`),
	"Java":       regexp.MustCompile(`(?m)^import\s+(?:static\s+)?([\w.]+)`),
	"Rust":       regexp.MustCompile(`(?m)^\s*use\s+([\w:]+)`),
	"Ruby":       regexp.MustCompile(`(?m)^\s*require(?:_relative)?\s+['"]([^'"]+)`),
	"PHP":        regexp.MustCompile(`(?m)^\s*use\s+([\w\\]+)`),
	"C#":         regexp.MustCompile(`(?m)^\s*using\s+([\w.]+)\s*;`),
}

func readSource(p string, content []byte) source {
	s := source{words: map[string]int{}}
	lang := languageOf(p)
	if lang == "Go" {
		s.golang(p, content)
	} else if re := declarations[lang]; re != nil {
		for _, m := range re.FindAllSubmatch(content, 200) {
			s.symbols = once(s.symbols, string(m[1]))
		}
		for _, m := range importLines[lang].FindAllSubmatch(content, 200) {
			target := string(m[1])
			if target == "" && len(m) > 2 {
				target = string(m[2])
			}
			s.imports = once(s.imports, strings.NewReplacer(".", "/", "::", "/", `\`, "/").Replace(strings.TrimPrefix(target, "./")))
		}
	}
	for _, w := range wordRE.FindAllString(string(content), 40000) {
		for _, piece := range pieces(w) {
			s.words[stem(piece)]++
		}
	}
	return s
}

var wordRE = regexp.MustCompile(`[\p{L}_][\p{L}\p{N}_]{2,40}`)

var humps = regexp.MustCompile(`[A-Z]+[a-z0-9]*|[a-z0-9]+|\p{Lo}+`)

// pieces are the words of an identifier.
func pieces(w string) []string {
	var out []string
	for _, p := range humps.FindAllString(w, 12) {
		if len(p) > 2 {
			out = append(out, strings.ToLower(p))
		}
	}
	return out
}

// golang reads Go with its own parser; a file that does not parse still gives
// what was read up to the fault.
func (s *source) golang(p string, content []byte) {
	f, _ := parser.ParseFile(token.NewFileSet(), p, content, parser.SkipObjectResolution)
	if f == nil {
		return
	}
	for _, im := range f.Imports {
		if target, err := strconv.Unquote(im.Path.Value); err == nil {
			s.imports = append(s.imports, target)
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			s.symbols = once(s.symbols, d.Name.Name)
		case *ast.GenDecl:
			for _, sp := range d.Specs {
				if t, ok := sp.(*ast.TypeSpec); ok {
					s.symbols = once(s.symbols, t.Name.Name)
				}
			}
		}
	}
}

// sought is what a look is after: the query's words, as stems and as people
// write them, and the angle's own.
type sought struct {
	words, focus []string
	spelt        map[string]string
}

func seek(angle, query string) sought {
	q := sought{words: keywords(query), focus: angles[angle], spelt: map[string]string{}}
	for _, w := range strings.FieldsFunc(strings.ToLower(query), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }) {
		for _, k := range keywords(w) {
			if k != w && isHan([]rune(k)[0]) {
				q.spelt[k] = k // a pair of characters is a word as it stands
			} else if q.spelt[k] == "" {
				q.spelt[k] = w
			}
		}
	}
	return q
}

// relevance scores a file by the words it shares with the issue, in its path
// above all; the angle's own words count a little.
func relevance(p string, s source, q sought) (RelevantFile, bool) {
	inPath := map[string]bool{}
	for _, w := range wordRE.FindAllString(p, -1) {
		for _, piece := range pieces(w) {
			inPath[stem(piece)] = true
		}
	}
	var shared, named []string
	score := 0.0
	for _, w := range q.words {
		n := s.words[w]
		if inPath[w] {
			named = append(named, q.spelt[w])
			score += 3
		}
		if n > 0 {
			shared = append(shared, q.spelt[w])
			score += 0.4 + math.Log2(1+float64(n))/4
		}
	}
	if score == 0 || len(shared)+len(named)*2 < 2 {
		return RelevantFile{}, false
	}
	for _, w := range q.focus {
		if inPath[stem(w)] {
			score++
		} else if s.words[stem(w)] > 0 {
			score += 0.2
		}
	}
	f := RelevantFile{Path: p, Relevance: math.Round(score/(score+6)*100) / 100, Role: fileRole(p, len(named) > 0), Source: "bash-scan", Symbols: []string{}}
	var why []string
	if len(named) > 0 {
		why = append(why, "is named after "+strings.Join(named, ", "))
	}
	if len(shared) > 0 {
		why = append(why, "speaks of "+strings.Join(shared[:min(len(shared), 5)], ", "))
	}
	f.Rationale = strings.Join(why, "; ")
	for _, sym := range s.symbols {
		if slices.ContainsFunc(pieces(sym), func(piece string) bool { return slices.Contains(q.words, stem(piece)) }) && len(f.Symbols) < 8 {
			f.Symbols = append(f.Symbols, sym)
		}
	}
	return f, true
}

var testFile = regexp.MustCompile(`(?i)(?:_test\.|\.test\.|\.spec\.|(?:^|/)tests?/|(?:^|/)test_)`)

func fileRole(p string, named bool) string {
	switch {
	case testFile.MatchString(p):
		return "test_target"
	case languageOf(p) == "":
		return "config"
	case strings.Contains(p, "types") || strings.HasSuffix(p, ".d.ts"):
		return "type_definition"
	case strings.Contains(p, "handler") || strings.Contains(p, "route") || strings.Contains(p, "api"):
		return "integration_point"
	case named:
		return "modify_target"
	}
	return "context_only"
}

// habits are conventions the tree itself shows.
func habits(files []string) []Pattern {
	tests := map[string][]string{}
	dirs := map[string]int{}
	for _, f := range files {
		if testFile.MatchString(f) && languageOf(f) != "" {
			tests[languageOf(f)] = append(tests[languageOf(f)], f)
		}
		if top, _, ok := strings.Cut(f, "/"); ok && languageOf(f) != "" {
			dirs[top]++
		}
	}
	out := []Pattern{}
	for _, lang := range sortedKeys(tests) {
		out = append(out, Pattern{Name: lang + " tests", Description: spec.Count(len(tests[lang]), "test file") + ", for example " + tests[lang][0],
			Files: tests[lang][:min(3, len(tests[lang]))]})
	}
	for _, d := range sortedKeys(dirs) {
		if dirs[d] >= 2 && len(out) < 8 {
			out = append(out, Pattern{Name: "folder " + d, Description: spec.Count(dirs[d], "source file") + " under " + d + "/", Files: []string{}})
		}
	}
	return out
}
