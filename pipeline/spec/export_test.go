package spec

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

var corpusDir = flag.String("corpus-dir", "", "write the sentence mutants below this folder, for other linters")

// TestCorpusExport writes, for each seeded sentence of each English domain, the
// one document it changed, beside the clean one. deploy/linters.sh runs other
// linters over them.
func TestCorpusExport(t *testing.T) {
	if *corpusDir == "" {
		t.Skip("-corpus-dir is not given")
	}
	domains, texts := cleanDomains(t)
	for i, d := range domains {
		if !d.english() {
			continue
		}
		known := Parse(d.files(nil))
		clean := byPath(d.files(known))
		for n, m := range sentenceMutations {
			mutant := readDomain(t, d.name, texts[i])
			if !m.apply(mutant) {
				continue
			}
			for path, text := range byPath(mutant.files(known)) {
				if text == clean[path] {
					continue
				}
				at := filepath.Join(*corpusDir, fmt.Sprintf("%s-%s-%02d", m.rule, d.name, n))
				if err := os.MkdirAll(at, 0o755); err != nil {
					t.Fatal(err)
				}
				for name, body := range map[string]string{"clean.md": clean[path], "mutant.md": text} {
					if err := os.WriteFile(filepath.Join(at, name), []byte(body), 0o644); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
}
