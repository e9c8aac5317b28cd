package redisstore

import (
	"fmt"
	"strconv"
	"strings"

	"parley/pipeline"
)

// Every key of a partition carries its tag, so that one script's keys share a
// Cluster slot. Behind the prefix q:{pNN}: stand
//
//	s:<sid>            hash    session: st tok f n last rev v state inst repo prs hold forget jobs oseq dj
//	in:<sid>           list    waiting events, oldest first
//	o:<sid>            list    outbox: keys in order
//	oa:<sid>           list    outbox: keys set aside, in order
//	ow:<sid>           hash    outbox: key to write, and ":<key>" to the blobs it names
//	om:<sid>           set     outbox: keys that were marked
//	ob:<sid>           hash    outbox: blob to how many entries name it
//	j:<sid>/<id>       hash    job: st tok f n inst lane spec v
//	b:<sid>/<blob>     string  file content, a day, without end while ob names it
//	ready:<lane>       zset    installation to virtual time; lanes are turn, quick and slow
//	r:<lane>:<inst>    zset    member to when it became ready
//	clock:<lane>       string  virtual time
//	bell:<lane>        list    wakes a sleeping worker; losing one costs half a second
//	lease, jlease      zset    member to expiry
//	timer              zset    <sid>/<name>, or <sid>/ for a back-off and =<sid>/<job> for a job's
//	parked, jparked    zset    member to the record version it waits for
//	pr:<repo>          hash    pull request to issue
//	inst:<inst>        set     sids
//	dd:<id>            string  seen deliveries and meanings
//	dead               hash    dead letters
//	audit              stream  what people decided
//	cnt                hash    counters
//	off                string  the operator's stop
//	tick               string  when it was last ticked
//
// and q:meta describes the whole. q:kv:<key> and q:spend:<key> are the shared
// cache, the budgets and GitHub's limits.
const metaKey = "q:meta"

// partition is a number below Meta.Partitions.
type partition int

// prefix is what every key of a partition begins with.
func (p partition) prefix() string { return fmt.Sprintf("q:{p%02d}:", int(p)) }

func (p partition) key(name string) string { return p.prefix() + name }

func (s *Store) partitionOf(repo int64) partition {
	return partition(uint64(repo) % uint64(s.Meta().Partitions))
}

// sid names a session within Redis.
func sid(k pipeline.Key) string {
	return strconv.FormatInt(k.Repo, 10) + "-" + strconv.Itoa(k.Issue)
}

func parseSID(sid string) (k pipeline.Key, err error) {
	repo, issue, ok := strings.Cut(sid, "-")
	if !ok {
		return k, fmt.Errorf("session name %q", sid)
	}
	if k.Repo, err = strconv.ParseInt(repo, 10, 64); err != nil {
		return k, fmt.Errorf("session name %q: %w", sid, err)
	}
	if k.Issue, err = strconv.Atoi(issue); err != nil {
		return k, fmt.Errorf("session name %q: %w", sid, err)
	}
	return k, nil
}

func blobKey(p partition, sid, id string) string { return p.key("b:" + sid + "/" + id) }

func kvKey(key string) string    { return "q:kv:" + key }
func spendKey(key string) string { return "q:spend:{" + key + "}" }
