package redisstore

import (
	"context"
	"testing"
	"time"

	"parley/pipeline"
)

// What one replica learned of GitHub's limits holds for the others, and what
// they spend they spend together.
func TestLimitsAreSharedByReplicas(t *testing.T) {
	srv := server(t)
	one, other := store(t, srv.Address, Config{}), store(t, srv.Address, Config{})
	ctx := context.Background()
	learned := pipeline.Bucket{Limit: 5000, Remaining: 7, Reset: time.Now().Add(time.Hour).UTC().Truncate(time.Second), Strikes: 2}
	if err := one.WriteBucket(ctx, "graphql:1", learned); err != nil {
		t.Fatal(err)
	}
	if got, err := other.ReadBucket(ctx, "graphql:1"); err != nil || !got.Reset.Equal(learned.Reset) || got.Remaining != 7 || got.Strikes != 2 {
		t.Errorf("the other replica reads %+v (%v)", got, err)
	}
	if got, err := other.ReadBucket(ctx, "graphql:2"); err != nil || got != (pipeline.Bucket{}) {
		t.Errorf("another installation's bucket is %+v (%v)", got, err)
	}
	counted := 0
	for n := range 20 {
		at, err := []*Store{one, other}[n%2].Spend(ctx, pipeline.Spend{Bucket: "content:1:minute", N: 1, Limit: 8, Window: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		if at.IsZero() {
			counted++
		} else if wait := time.Until(at); wait <= 0 || wait > time.Minute {
			t.Errorf("told to come back in %v", wait)
		}
	}
	if counted != 8 {
		t.Errorf("%d were counted, the limit is 8", counted)
	}
}
