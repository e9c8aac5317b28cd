package redisstore

import (
	"context"
	"fmt"

	"parley/pipeline"
)

// blobChunk bounds one script call.
const blobChunk = 512 << 10

// PutBlobs keeps contents by their git ids.
func (s *Store) PutBlobs(ctx context.Context, key pipeline.Key, contents [][]byte) error {
	p := s.partitionOf(key.Repo)
	head := []any{sid(key), s.cfg.KeepBlobs.Milliseconds()}
	args, size := head[:2:2], 0
	for i, c := range contents {
		packed := pack(c)
		args = append(args, pipeline.BlobID(c), packed)
		if size += len(packed); size < blobChunk && i < len(contents)-1 {
			continue
		}
		if _, err := s.safely(ctx, s.script.blob, p, args...); err != nil {
			return fmt.Errorf("store %d files: %w", len(contents), err)
		}
		args, size = head[:2:2], 0
	}
	return nil
}

// GetBlobs returns what is there.
func (s *Store) GetBlobs(ctx context.Context, key pipeline.Key, ids []string) (map[string][]byte, error) {
	found := map[string][]byte{}
	if len(ids) == 0 {
		return found, nil
	}
	p, keys := s.partitionOf(key.Repo), make([]string, len(ids))
	for i, id := range ids {
		keys[i] = blobKey(p, sid(key), id)
	}
	out, err := s.db.MGet(ctx, keys...).Result()
	if err != nil {
		return nil, fmt.Errorf("read %d files: %w", len(ids), err)
	}
	for i, v := range out {
		packed, ok := v.(string)
		if !ok {
			continue
		}
		if found[ids[i]], err = unpack(packed); err != nil {
			return nil, fmt.Errorf("file %s: %w", ids[i], err)
		}
	}
	return found, nil
}
