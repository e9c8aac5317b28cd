package githubapi

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
)

type tarEntry struct {
	name, text, link string
	kind             byte
}

func tarball(t *testing.T, entries ...tarEntry) []byte {
	t.Helper()
	var out bytes.Buffer
	gz := gzip.NewWriter(&out)
	w := tar.NewWriter(gz)
	for _, e := range entries {
		if e.kind == 0 {
			e.kind = tar.TypeReg
		}
		h := &tar.Header{Name: e.name, Typeflag: e.kind, Linkname: e.link, Mode: 0o644, Size: int64(len(e.text))}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, e.text); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := gz.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestHostileArchive: links, devices, paths that leave, repeat or hide are left
// out; what stays can be walked like any other tree.
func TestHostileArchive(t *testing.T) {
	raw := tarball(t,
		tarEntry{name: "o-r-abc/", kind: tar.TypeDir},
		tarEntry{name: "o-r-abc/main.go", text: "package main\n"},
		tarEntry{name: "o-r-abc/main.go", text: "second"},
		tarEntry{name: "o-r-abc/../../etc/cron.d/x", text: "evil"},
		tarEntry{name: "/etc/passwd", text: "evil"},
		tarEntry{name: "o-r-abc/link", link: "/etc/passwd", kind: tar.TypeSymlink},
		tarEntry{name: "o-r-abc/hard", link: "o-r-abc/main.go", kind: tar.TypeLink},
		tarEntry{name: "o-r-abc/fifo", kind: tar.TypeFifo},
		tarEntry{name: "o-r-abc/.git/config", text: "evil"},
		tarEntry{name: "o-r-abc/a\\..\\b", text: "evil"},
		tarEntry{name: "o-r-abc/" + strings.Repeat("d/", 300) + "x", text: "deep"},
		tarEntry{name: "o-r-abc/big.bin", text: strings.Repeat("x", maxSourceFile+1)},
		tarEntry{name: "o-r-abc/docs/ä.md", text: "ok"},
		tarEntry{name: "top-level-file", text: "no folder"},
	)
	var out bytes.Buffer
	if err := repack(bytes.NewReader(raw), &out, maxSourceBytes); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	if err := fs.WalkDir(z, ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			paths = append(paths, path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(paths)
	if diff := cmp.Diff([]string{"docs/ä.md", "main.go"}, paths); diff != "" {
		t.Fatal(diff)
	}
	if err := fstest.TestFS(z, "main.go", "docs/ä.md"); err != nil {
		t.Fatal(err)
	}
}

func TestBrokenArchives(t *testing.T) {
	whole := tarball(t, tarEntry{name: "r/a", text: strings.Repeat("a", 4096)})
	tests := []struct {
		name string
		raw  []byte
	}{
		{"not gzip", []byte("hello")},
		{"cut", whole[:len(whole)/2]},
		{"empty", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if err := repack(bytes.NewReader(test.raw), io.Discard, maxSourceBytes); err == nil {
				t.Fatal("taken for a whole archive")
			}
		})
	}
}

// TestBomb: a small archive that unpacks to more than the cap ends with an
// error, and nothing of that size is ever held.
func TestBomb(t *testing.T) {
	var bomb bytes.Buffer
	gz := gzip.NewWriter(&bomb)
	w := tar.NewWriter(gz)
	block := make([]byte, maxSourceFile)
	const room = 4 * maxSourceFile // of hundreds, which only take longer
	for n := range room/maxSourceFile + 1 {
		if err := w.WriteHeader(&tar.Header{Name: "r/" + strings.Repeat("x", n%200+1), Typeflag: tar.TypeReg, Size: int64(len(block))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(block); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := gz.Close(); err != nil {
		t.Fatal(err)
	}
	if err := repack(bytes.NewReader(bomb.Bytes()), io.Discard, room); !errors.Is(err, errTooLarge) {
		t.Fatalf("a bomb of %d bytes went off: %v", bomb.Len(), err)
	}
	if err := repack(bytes.NewReader(bomb.Bytes()), io.Discard, maxSourceBytes); err != nil {
		t.Fatalf("where there is room: %v", err)
	}
}

func FuzzRepack(f *testing.F) {
	f.Add([]byte("\x1f\x8b"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var tarred bytes.Buffer
		gz := gzip.NewWriter(&tarred)
		if _, err := gz.Write(raw); err != nil {
			t.Fatal(err)
		}
		if err := gz.Close(); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if repack(&tarred, &out, maxSourceBytes) != nil {
			return
		}
		if _, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len())); err != nil {
			t.Fatalf("kept what cannot be read: %v", err)
		}
	})
}

// The cache keeps what was read last, within its bound and for a day.
func TestCacheIsBounded(t *testing.T) {
	for _, test := range []struct {
		name  string
		bound int64
		later time.Duration
		want  []string
	}{
		{"room for two", 25, 3 * time.Hour, []string{"2-b.zip", "3-c.zip"}},
		{"room for all", 100, 3 * time.Hour, []string{"1-a.zip", "2-b.zip", "3-c.zip"}},
		{"a day later", 100, 25*time.Hour + time.Minute, []string{"3-c.zip"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			a, err := newArchives(dir, test.bound)
			if err != nil {
				t.Fatal(err)
			}
			begin := time.Unix(1_700_000_000, 0)
			for n, name := range []string{"1-a.zip", "2-b.zip", "3-c.zip"} {
				path := filepath.Join(dir, name)
				if err := os.WriteFile(path, make([]byte, 10), 0o600); err != nil {
					t.Fatal(err)
				}
				at := begin.Add(time.Duration(n) * time.Hour)
				if err := os.Chtimes(path, at, at); err != nil {
					t.Fatal(err)
				}
			}
			a.evict(filepath.Join(dir, "3-c.zip"), begin.Add(test.later), t.Logf)
			left, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, e := range left {
				names = append(names, e.Name())
			}
			if diff := cmp.Diff(test.want, names); diff != "" {
				t.Fatal(diff)
			}
		})
	}
}
