package redisstore

import (
	"context"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"parley/pipeline/storetest"
)

// Answers and counts of money are kept as long as they are meant to be.
func TestKeptValuesExpire(t *testing.T) {
	ctx, mini := context.Background(), miniredis.RunT(t)
	s, err := inProcess(ctx, mini.Addr(), short(storetest.Options{TTL: time.Minute}))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	spend := func() int64 {
		sum, err := s.Add(ctx, "spent:day:2026-11-21", 5, 2*time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	if err := s.Set(ctx, "answer:1:m:d", []byte("four"), time.Hour); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		after time.Duration
		kept  bool
		sum   int64
	}{{0, true, 5}, {59 * time.Minute, true, 10}, {2 * time.Minute, false, 15}, {time.Hour, false, 5}} {
		mini.FastForward(step.after)
		if v, ok, err := s.Get(ctx, "answer:1:m:d"); err != nil || ok != step.kept || ok && string(v) != "four" {
			t.Errorf("after %s: %q, kept %v, %v", step.after, v, ok, err)
		}
		if sum := spend(); sum != step.sum {
			t.Errorf("after %s: spent %d, want %d", step.after, sum, step.sum)
		}
	}
}
