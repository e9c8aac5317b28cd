package redisstore

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
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
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	var addrs []string
	var nodes []*redis.Client
	for i := range 3 {
		port := freePort(t)
		cmd := exec.Command(path, "--port", port, "--bind", "127.0.0.1", "--dir", t.TempDir(), "--cluster-enabled", "yes",
			"--appendonly", "yes", "--appendfsync", "always", "--save", "", "--maxmemory-policy", "noeviction")
		cmd.Args[0] = "redis-server"
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
		node := redis.NewClient(&redis.Options{Addr: "127.0.0.1:" + port})
		t.Cleanup(func() { node.Close() })
		eventually(t, "the node answers", func() bool { return node.Ping(ctx).Err() == nil })
		if err := node.ClusterAddSlotsRange(ctx, i*16384/3, (i+1)*16384/3-1).Err(); err != nil {
			t.Fatal(err)
		}
		addrs, nodes = append(addrs, "127.0.0.1:"+port), append(nodes, node)
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

// freePort finds a port whose cluster bus port, 10000 above, is valid too.
func freePort(t *testing.T) string {
	t.Helper()
	for range 100 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		port := l.Addr().(*net.TCPAddr).Port
		l.Close()
		if port > 50000 {
			port -= 30000
		}
		if bus, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", port+10000)); err == nil {
			bus.Close()
			return strconv.Itoa(port)
		}
	}
	t.Fatal("no free port")
	return ""
}
