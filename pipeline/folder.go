package pipeline

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
)

// inputs is what every slow job reads.
type inputs struct {
	issue  IssueText
	folder Folder
	source fs.FS
}

func (e *Engine) inputs(ctx context.Context, j Job) (in inputs, err error) {
	s := j.Session
	if in.folder, err = e.folder(ctx, j); err != nil {
		return in, err
	}
	if in.issue, err = e.issueText(ctx, j); err != nil {
		return in, err
	}
	if s.PR.BaseHead == "" {
		return in, nil
	}
	if in.source, err = e.GitHub.Source(ctx, s.Repo, s.PR.BaseHead); err != nil {
		return in, fmt.Errorf("read the repository at %s: %w", s.PR.BaseHead, err)
	}
	return in, nil
}

// issueText is the text the session works from; when its blob is gone, the
// issue as it reads now.
func (e *Engine) issueText(ctx context.Context, j Job) (IssueText, error) {
	s := j.Session
	blobs, err := e.Store.GetBlobs(ctx, j.Lease.Key, []string{s.Issue.Text})
	if err != nil {
		return IssueText{}, fmt.Errorf("read the issue's text: %w", err)
	}
	if text, ok := blobs[s.Issue.Text]; ok {
		var t IssueText
		err := json.Unmarshal(text, &t)
		return t, err
	}
	b, err := e.GitHub.Brief(ctx, s.Repo, s.Issue.Number)
	if err != nil {
		return IssueText{}, fmt.Errorf("read the issue: %w", err)
	}
	return b.Body, nil
}

// folder is the session folder as the session knows it: stored files, or the
// branch's where the store has forgotten them, with pending appends laid over.
func (e *Engine) folder(ctx context.Context, j Job) (Folder, error) {
	s := j.Session
	have, missing, err := e.stored(ctx, j.Lease.Key, s.Manifest.Files)
	if err != nil {
		return nil, err
	}
	if len(missing) > 0 {
		if err := e.fetch(ctx, j, have, missing); err != nil {
			return nil, err
		}
	}
	lay(have, nil, s.Pending)
	return have, nil
}

// stored reads a manifest's files from the store and names those it lacks.
func (e *Engine) stored(ctx context.Context, key Key, files map[string]string) (Folder, []string, error) {
	ids := slices.Compact(slices.Sorted(maps.Values(files)))
	blobs, err := e.Store.GetBlobs(ctx, key, ids)
	if err != nil {
		return nil, nil, fmt.Errorf("read stored files: %w", err)
	}
	have, missing := Folder{}, []string(nil)
	for path, id := range files {
		if text, ok := blobs[id]; ok {
			have[path] = text
		} else {
			missing = append(missing, path)
		}
	}
	return have, missing, nil
}

// fetch fills in missing paths from the branch and stores them for the next job.
func (e *Engine) fetch(ctx context.Context, j Job, have Folder, missing []string) error {
	s := j.Session
	snap, err := e.GitHub.Folder(ctx, s.Repo, s.Branch(), s.Folder())
	if err != nil {
		return fmt.Errorf("read the session folder: %w", err)
	}
	var texts [][]byte
	for _, path := range missing {
		text, ok := snap.Text[path]
		if !ok {
			return fmt.Errorf("file %s is neither stored nor on branch %s", path, s.Branch())
		}
		have[path] = text
		texts = append(texts, text)
	}
	if err := e.Store.PutBlobs(ctx, j.Lease.Key, texts); err != nil {
		return fmt.Errorf("keep the session folder: %w", err)
	}
	return nil
}

// keep stores files as blobs and returns their references in path order.
func (e *Engine) keep(ctx context.Context, key Key, texts map[string][]byte) ([]FileRef, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	if err := e.Store.PutBlobs(ctx, key, slices.Collect(maps.Values(texts))); err != nil {
		return nil, fmt.Errorf("keep the files: %w", err)
	}
	refs := make([]FileRef, 0, len(texts))
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		refs = append(refs, FileRef{Path: path, Blob: BlobID(texts[path])})
	}
	return refs, nil
}

// lay puts changed files and appends over a folder. The folder's own slices
// are never written to.
func lay(f Folder, changed map[string][]byte, appends []FileAppend) {
	maps.Copy(f, changed)
	for _, a := range appends {
		f[a.Path] = slices.Concat(f[a.Path], []byte(a.Text))
	}
}
