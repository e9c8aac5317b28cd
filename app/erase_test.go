package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"parley/app/githubsim"
	"parley/pipeline"
)

// Uninstalling erases what Redis holds of that installation's sessions at
// once, its texts within a day and its cached answers with the next sweep;
// nobody else's is touched.
func TestUninstallErases(t *testing.T) {
	redis, cfg := onRedis(t, 0)
	d := deploy(t, cfg)
	other, err := d.AddRepo("acme/tools", map[string]string{"README.md": "# Tools\n"})
	if err != nil {
		t.Fatal(err)
	}
	stays, err := d.Install(d.hub, "acme")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.SetPermission("acme/tools", "ann", "write"); err != nil {
		t.Fatal(err)
	}
	theirs, err := d.OpenIssue("ann", "acme/tools", "Cut once", "Users must not cut twice.", "lifecycle")
	if err != nil {
		t.Fatal(err)
	}
	goes := d.issue("lifecycle")
	d.session(goes, "comes to its end", ended)
	d.settled()
	db := redis.client()
	ctx := context.Background()
	key := func(n int64) string { return fmt.Sprintf("answer:%d:model:digest", n) }
	for _, in := range []*githubsim.Installation{d.installed, stays} {
		if err := d.app.store.Set(ctx, key(in.ID), []byte("an answer"), 7*24*time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	before := naming(t, db, other.ID, stays.ID)
	if len(naming(t, db, d.repo.ID, d.installed.ID)) < 5 || len(before) < 5 {
		t.Fatal("there is nothing to erase")
	}
	d.Uninstall(d.installed)
	eventually(t, "the session is gone", func() bool {
		s, err := d.app.Session(ctx, d.repo.ID, goes)
		return err == nil && s.ID == ""
	})
	d.settled()
	if err := d.app.eraseGone(ctx); err != nil {
		t.Fatal(err)
	}
	for _, k := range naming(t, db, d.repo.ID, d.installed.ID) {
		name, _, _ := strings.Cut(k, " ")
		if left := db.PTTL(ctx, name).Val(); left <= 0 || left > 24*time.Hour {
			t.Errorf("%s stays for %v", k, left)
		}
	}
	if after := naming(t, db, other.ID, stays.ID); !slices.Equal(before, after) {
		t.Errorf("of the other installation there is\n%s\nthere was\n%s", strings.Join(after, "\n"), strings.Join(before, "\n"))
	}
	if s, err := d.app.Session(ctx, other.ID, theirs); err != nil || s.Status == pipeline.SessionAborted {
		t.Errorf("the other installation's session is %s (%v)", s.Status, err)
	}
}

// naming lists the keys, and the members of shared sets, that name a
// repository or an installation. Ids of deliveries name neither.
func naming(t *testing.T, db *redis.Client, repo, installation int64) (out []string) {
	t.Helper()
	ctx := context.Background()
	of := []string{fmt.Sprintf(":%d-", repo), fmt.Sprintf("pr:%d", repo), fmt.Sprintf("inst:%d", installation), fmt.Sprintf("answer:%d:", installation)}
	keys, err := db.Keys(ctx, "*").Result()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		if slices.ContainsFunc(of, func(part string) bool { return strings.Contains(k, part) && !strings.Contains(k, ":dd:") }) {
			out = append(out, k)
		}
		if kind := db.Type(ctx, k).Val(); kind != "zset" {
			continue
		}
		for _, member := range db.ZRange(ctx, k, 0, -1).Val() {
			if strings.HasPrefix(strings.TrimPrefix(member, "="), fmt.Sprintf("%d-", repo)) {
				out = append(out, k+" "+member)
			}
		}
	}
	slices.Sort(out)
	return out
}
