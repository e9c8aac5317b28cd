package githubapi

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"parley/pipeline"
)

// What one repository's archive may weigh.
const (
	maxArchiveBytes = 128 << 20 // as downloaded
	maxSourceBytes  = 512 << 20 // unpacked, counted as it is read
	maxSourceFiles  = 50000
	maxSourceFile   = 1 << 20 // a longer file is left out
	maxSourcePath   = 512
	sourceKept      = 24 * time.Hour // since it was last read
)

var errTooLarge = errors.New("the repository's archive is too large to explore")

// archives keeps repository contents on disk by commit. What is kept is not
// the archive as it came but a zip of its plain files, written by us: nothing
// is ever unpacked to a path that an archive chose, and links are left out.
type archives struct {
	dir   string
	bound int64
	once  singleflight.Group
	mu    sync.Mutex // one eviction at a time
}

func newArchives(dir string, bound int64) (*archives, error) {
	if dir == "" {
		return &archives{bound: bound}, nil // made when first needed
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the archive cache: %w", err)
	}
	return &archives{dir: dir, bound: bound}, nil
}

// place is the cache's directory; without one configured it is private to
// this process, so that nobody else can put files there.
func (a *archives) place() (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.dir != "" {
		return a.dir, nil
	}
	dir, err := os.MkdirTemp("", "parley-source-")
	if err == nil {
		a.dir = dir
	}
	return dir, err
}

var commitID = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)

// Source implements pipeline.GitHub: one download per commit, whoever asks.
func (c *Client) Source(ctx context.Context, repo pipeline.Repo, commit string) (fs.FS, error) {
	if commit == "" {
		return nil, nil
	}
	if !commitID.MatchString(commit) {
		return nil, fmt.Errorf("read source: %q is no commit id", commit)
	}
	dir, err := c.archives.place()
	if err != nil {
		return nil, fmt.Errorf("keep source: %w", err)
	}
	path := filepath.Join(dir, fmt.Sprintf("%d-%s.zip", repo.ID, commit))
	if files, err := openZip(path); err == nil {
		c.spared(repo, "download the archive")
		return files, nil
	}
	_, err, _ = c.archives.once.Do(path, func() (any, error) { return nil, c.fetch(ctx, repo, commit, path) })
	if err != nil {
		return nil, fmt.Errorf("read source of %s/%s at %.12s: %w", repo.Owner, repo.Name, commit, err)
	}
	c.archives.evict(path, time.Now(), c.cfg.Log.Warn)
	return openZip(path)
}

// openZip opens a kept archive. The file closes with the last reference to
// it: an fs.FS has no Close, and evicting a file that is open does no harm.
func openZip(path string) (fs.FS, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	z, err := zip.NewReader(f, info.Size())
	if err != nil {
		f.Close()
		os.Remove(path) // half written by a process that died
		return nil, err
	}
	now := time.Now() // mtime is the order of eviction
	if err := os.Chtimes(path, now, now); err != nil {
		f.Close()
		return nil, err
	}
	return z, nil
}

// fetch downloads the tarball and repacks it.
func (c *Client) fetch(ctx context.Context, repo pipeline.Repo, commit, path string) error {
	k := call{op: "download the archive", method: http.MethodGet, read: true, token: writeKey(repo), path: repoPath(repo, "tarball", commit)}
	body, err := c.stream(ctx, k)
	if err != nil {
		if is(err, KindNotFound) {
			return fmt.Errorf("%w: %w", pipeline.ErrGone, err)
		}
		return err
	}
	defer body.Close()
	tmp, err := os.CreateTemp(filepath.Dir(path), ".download-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	err = repack(&capped{r: body, left: maxArchiveBytes}, tmp, maxSourceBytes)
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// capped fails instead of ending early, so that a cut archive is not taken
// for a whole one.
type capped struct {
	r    io.Reader
	left int64
}

func (c *capped) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, errTooLarge
	}
	n, err := c.r.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	return n, err
}

// repack copies the plain files of a tar.gz into a zip. Everything hostile an
// archive can hold is left out: links, devices, paths that leave or repeat.
// One that unpacks to more than room ends in an error.
func repack(from io.Reader, to io.Writer, room int64) error {
	gz, err := gzip.NewReader(from)
	if err != nil {
		return fmt.Errorf("unpack: %w", err)
	}
	defer gz.Close()
	plain := &capped{r: gz, left: room}
	in, out := tar.NewReader(plain), zip.NewWriter(to)
	seen := map[string]bool{}
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("unpack: %w", err)
		}
		path, ok := sourcePath(h)
		if !ok || seen[path] {
			continue
		}
		if len(seen) >= maxSourceFiles {
			return errTooLarge
		}
		seen[path] = true
		w, err := out.CreateHeader(&zip.FileHeader{Name: path, Method: zip.Deflate})
		if err != nil {
			return fmt.Errorf("keep: %w", err)
		}
		if _, err := io.CopyN(w, in, h.Size); err != nil {
			return fmt.Errorf("unpack %q: %w", path, err)
		}
	}
	return out.Close()
}

// sourcePath is an entry's path below the archive's own top folder.
func sourcePath(h *tar.Header) (string, bool) {
	if h.Typeflag != tar.TypeReg || h.Size < 0 || h.Size > maxSourceFile {
		return "", false
	}
	top, path, ok := strings.Cut(h.Name, "/")
	if !ok || !insideFolder(top) || len(path) > maxSourcePath || !insideFolder(path) {
		return "", false
	}
	return path, true
}

// stream is send for an answer that is not held in memory.
func (c *Client) stream(ctx context.Context, k call) (io.ReadCloser, error) {
	a := ask{installation: k.token.installation, resource: resourceCore}
	if err := c.limits.admit(ctx, a); err != nil {
		return nil, fmt.Errorf("%s: %w", k.op, err)
	}
	for try := range 2 {
		req, err := c.request(ctx, k)
		if err != nil {
			return nil, err
		}
		token, err := c.tokens.get(ctx, k.token)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.op, err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := (&http.Client{Transport: c.cfg.HTTP, CheckRedirect: readsOnly, Timeout: 5 * time.Minute}).Do(req)
		c.count(ctx, k, a)
		if err != nil {
			return nil, &Error{Kind: KindDown, Op: k.op, Message: err.Error()}
		}
		if resp.StatusCode < 300 {
			return resp.Body, nil
		}
		got, err := c.receive(k, resp)
		resp.Body.Close()
		if err == nil {
			err = c.judge(ctx, k, a, got)
		}
		if !is(err, KindAuth) || try > 0 {
			return nil, err
		}
		c.tokens.drop(k.token)
	}
	return nil, &Error{Kind: KindAuth, Op: k.op}
}

// Tidy removes what nobody has read for a day, so that nothing stays of a
// repository that is no longer ours.
func (c *Client) Tidy() { c.archives.evict("", time.Now(), c.cfg.Log.Warn) }

// evict removes archives unused for a day, and the longest unused until the
// cache is within its bound; the newest stays whatever it weighs.
func (a *archives) evict(newest string, now time.Time, warn func(string, ...any)) {
	dir, err := a.place()
	if err != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	entries, err := os.ReadDir(dir)
	if err != nil {
		warn("archive cache not read", "err", err)
		return
	}
	var kept []fs.FileInfo
	var sum int64
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !strings.HasSuffix(e.Name(), ".zip") {
			continue
		}
		kept = append(kept, info)
		sum += info.Size()
	}
	slices.SortFunc(kept, func(x, y fs.FileInfo) int { return x.ModTime().Compare(y.ModTime()) })
	for _, info := range kept {
		if sum <= a.bound && now.Sub(info.ModTime()) < sourceKept {
			return
		}
		path := filepath.Join(dir, info.Name())
		if path == newest {
			continue
		}
		if err := os.Remove(path); err != nil {
			warn("archive not evicted", "err", err)
			continue
		}
		sum -= info.Size()
	}
}
