package redisstore

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

// Fault is something about Redis that may lose data, and what to do about it.
type Fault struct {
	Setting string // as redis.conf names it
	Is      string
	Remedy  string
	// Fatal keeps Parley from starting; the others are reported.
	Fatal bool
}

func (f *Fault) Error() string {
	return fmt.Sprintf("redis: %s is %s: %s", f.Setting, f.Is, f.Remedy)
}

// Faults asks Redis how it keeps data. What a hosted Redis hides is taken as right.
func (s *Store) Faults(ctx context.Context) ([]*Fault, error) {
	info, err := s.info(ctx)
	if err != nil {
		return nil, err
	}
	var faults []*Fault
	add := func(setting, is, remedy string, fatal bool) {
		faults = append(faults, &Fault{setting, is, remedy, fatal})
	}
	if v := info["redis_version"]; v != "" && older(v, 6, 2) {
		add("version", v, "Parley needs Redis 6.2 or newer, or Valkey", true)
	}
	if policy := info["maxmemory_policy"]; policy != "" && policy != "noeviction" {
		add("maxmemory-policy", policy, "evicted keys are lost events; set `maxmemory-policy noeviction`", true)
	}
	if info["aof_enabled"] == "0" {
		add("appendonly", "no", "a restart would lose events; set `appendonly yes`", true)
	}
	if info["aof_last_write_status"] == "err" {
		add("aof_last_write_status", "err", "the disk refuses Redis's writes; see its log", true)
	}
	if fsync := s.configured(ctx, "appendfsync"); fsync != "" && fsync != "always" {
		add("appendfsync", fsync, "a power cut may lose the last second; set `appendfsync always`", false)
	}
	n, _ := strconv.Atoi(info["connected_slaves"])
	if info["cluster_enabled"] == "1" {
		n = 0 // each node has its own
	}
	s.replicas.Store(int32(min(n, 1)))
	return faults, nil
}

func (s *Store) info(ctx context.Context) (map[string]string, error) {
	text, err := s.db.Info(ctx).Result()
	if err != nil {
		if redis.HasErrorPrefix(err, "NOPERM") {
			return map[string]string{}, nil
		}
		return nil, fmt.Errorf("redis at %s does not answer: %w; check redis_url (PARLEY_REDIS_URL) or start it", strings.Join(s.cfg.Redis.Addrs, ","), err)
	}
	info := map[string]string{}
	for _, l := range strings.Split(text, "\r\n") {
		if name, value, ok := strings.Cut(l, ":"); ok {
			info[name] = value
		}
	}
	return info, nil
}

func (s *Store) configured(ctx context.Context, name string) string {
	got, err := s.db.ConfigGet(ctx, name).Result()
	if err != nil {
		return "" // hosted offers forbid CONFIG
	}
	return got[name]
}

func older(version string, major, minor int) bool {
	part := strings.SplitN(version, ".", 3)
	if len(part) < 2 {
		return false
	}
	a, errA := strconv.Atoi(part[0])
	b, errB := strconv.Atoi(part[1])
	return errA == nil && errB == nil && (a < major || (a == major && b < minor))
}
