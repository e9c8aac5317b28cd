package redisstore

import (
	"context"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"parley/pipeline/storetest"
)

// TestCluster holds a three-node Redis Cluster to the contract and runs crash
// schedules on it. Part of make soak.
func TestCluster(t *testing.T) {
	if os.Getenv("PARLEY_SOAK") == "" {
		t.Skip("part of make soak: PARLEY_SOAK=1")
	}
	address := cluster(t)
	t.Run("contract", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T, o storetest.Options) storetest.Store {
			s := store(t, address, short(o))
			t.Cleanup(func() { flush(s) })
			return s
		})
	})
	for seed := range uint64(clusterSchedules()) {
		s := newSchedule(t, &Server{Address: address}, 3*seed+1) // a seed of 3n would kill the server
		if errs := s.run(); len(errs) > 0 {
			t.Fatalf("seed %d:\n%s", 3*seed+1, strings.Join(errs, "\n"))
		}
	}
}

func clusterSchedules() int { return min(schedules(), 50) }

// flush empties a store's Redis, every node of it.
func flush(s *Store) error {
	ctx := context.Background()
	if c, ok := s.db.(*redis.ClusterClient); ok {
		return c.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error { return node.FlushAll(ctx).Err() })
	}
	return s.db.FlushAll(ctx).Err()
}

// cluster starts three nodes on loopback, shares out the slots and waits
// until each sees the whole.
func cluster(t *testing.T) string {
	t.Helper()
	ctx := context.Background()
	var addrs []string
	var nodes []*redis.Client
	for i := range 3 {
		addr, _ := startNode(t, "--cluster-enabled", "yes")
		node := client(t, addr)
		if err := node.ClusterAddSlotsRange(ctx, i*16384/3, (i+1)*16384/3-1).Err(); err != nil {
			t.Fatal(err)
		}
		addrs, nodes = append(addrs, addr), append(nodes, node)
		if i > 0 {
			_, first, _ := net.SplitHostPort(addrs[0])
			if err := node.ClusterMeet(ctx, "127.0.0.1", first).Err(); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, node := range nodes {
		eventually(t, "the cluster is whole", func() bool {
			info, err := node.ClusterInfo(ctx).Result()
			return err == nil && strings.Contains(info, "cluster_state:ok") && strings.Contains(info, "cluster_known_nodes:3")
		})
	}
	return "redis://" + strings.Join(addrs, ",")
}
