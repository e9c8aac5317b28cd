package redisstore

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"parley/pipeline"
)

const laneTurn = "turn"

// NextTurn waits for the next due session.
func (s *Store) NextTurn(ctx context.Context) (pipeline.Turn, error) {
	var t pipeline.Turn
	err := s.doors[laneTurn].wait(ctx, func(p partition) (answer string, err error) {
		t, answer, err = s.claim(ctx, p, "")
		return answer, err
	})
	return t, err
}

// TakeTurn claims one session if it is due.
func (s *Store) TakeTurn(ctx context.Context, key pipeline.Key) (pipeline.Turn, error) {
	t, answer, err := s.claim(ctx, s.partitionOf(key.Repo), sid(key))
	if err == nil && answer != "ok" {
		err = pipeline.ErrNotFound
	}
	return t, err
}

func (s *Store) claim(ctx context.Context, p partition, want string) (t pipeline.Turn, answer string, err error) {
	args := []any{want, nonce(), s.cfg.Lease.Milliseconds(), s.cfg.version, flag(want == "" && s.doors[laneTurn].tell(p))}
	if want == "" {
		args = append(args, s.shares.full(laneTurn, s.cfg.share(laneTurn))...)
	}
	out, err := words(s.once(ctx, s.script.claim, p, args...))
	if err != nil {
		return t, "", fmt.Errorf("claim a session: %w", err)
	}
	if out[0] != "ok" {
		return t, out[0], nil
	}
	key, err := parseSID(out[1])
	if err != nil {
		return t, "", err
	}
	inst, _ := strconv.ParseInt(out[2], 10, 64)
	tries, _ := strconv.Atoi(out[4])
	t.Lease = pipeline.Lease{Key: key, Installation: inst, Token: out[3], TTL: s.cfg.Lease}
	t.Try = tries
	if want != "" {
		s.shares.take(t.Lease, laneTurn, 0)
	} else if !s.admit(t.Lease, laneTurn, p, list(out[8])) {
		return t, "capped", s.YieldTurn(ctx, t.Lease)
	}
	var repo pipeline.Repo
	if t.Session, repo, err = readSession(out[5], out[7]); err == nil {
		t.Event, err = decodeEvent(out[6], key, repo)
	}
	if err != nil {
		s.unreadable(ctx, t.Lease, out[6], err)
		return t, "", fmt.Errorf("claim session %s: %w", out[1], err)
	}
	return t, "ok", nil
}

// unreadable buries a head that no try can decode, so that it blocks nobody.
func (s *Store) unreadable(ctx context.Context, l pipeline.Lease, head string, cause error) {
	part := strings.SplitN(head, "\n", 3)
	if len(part) == 3 {
		s.FailTurn(ctx, l, pipeline.Setback{Event: part[1], Text: cause.Error(), Dead: true})
	}
}

// Commit makes a decision true in one script.
func (s *Store) Commit(ctx context.Context, l pipeline.Lease, c pipeline.Commit) (done pipeline.Committed, err error) {
	args, err := s.commitArgs(l, c)
	if err != nil {
		return done, err
	}
	out, err := words(s.safely(ctx, s.script.commit, s.partitionOf(l.Key.Repo), args...))
	if err != nil {
		return done, err
	}
	if out[0] == "stale" {
		s.release(l)
		return done, pipeline.ErrStale
	}
	if out[3] != "" {
		done.Jobs = strings.Split(out[3], "\n")
	}
	if out[1] == "" {
		s.release(l)
		return done, nil
	}
	repo := c.Session.Repo
	tries, _ := strconv.Atoi(out[2])
	next := pipeline.Turn{Lease: l, Session: c.Session, Try: tries}
	if next.Event, err = decodeEvent(out[1], l.Key, repo); err != nil {
		s.unreadable(ctx, l, out[1], err)
		return done, err
	}
	done.Next = &next
	return done, nil
}

func (s *Store) commitArgs(l pipeline.Lease, c pipeline.Commit) ([]any, error) {
	var state []byte
	if c.Session.Schema != 0 {
		packed, err := packJSON(c.Session)
		if err != nil {
			return nil, fmt.Errorf("encode session: %w", err)
		}
		state = packed
	}
	keep := "0"
	if c.Keep {
		keep = "1"
	}
	args := []any{
		sid(l.Key), l.Token, line(c.Event), state, s.cfg.version, keep, number(c.Session.PR.Number), s.cfg.KeepBlobs.Milliseconds(),
	}
	for _, e := range c.Effects {
		step, err := steps(e)
		if err != nil {
			return nil, err
		}
		args = append(args, step...)
	}
	return args, nil
}

// steps is an effect as the commit script takes it: five words a step.
func steps(e pipeline.Effect) ([]any, error) {
	var all []any
	add := func(step ...any) {
		for len(step) < 5 {
			step = append(step, "")
		}
		all = append(all, step...)
	}
	encode := func(v any) []byte {
		raw, err := json.Marshal(v)
		if err != nil {
			panic("an effect does not marshal: " + err.Error())
		}
		return raw
	}
	if e.Job != nil {
		add("job", e.Job.ID, string(pipeline.LaneOf(e.Job.Kind)), encode(e.Job))
	}
	if e.Cancel != "" {
		add("cancel", e.Cancel)
	}
	if e.Timer != nil {
		add("timer", e.Timer.Name, millis(e.Timer.At))
	}
	if e.Write != nil {
		add("write", e.Write.Key, pack(encode(e.Write)), blobsOf(e.Write), flag(e.Write.Aside))
	}
	if e.Aside {
		add("aside")
	}
	if e.Again {
		add("again")
	}
	if e.Drop {
		add("drop")
	}
	if e.Audit != nil {
		add("audit", encode(e.Audit))
	}
	if e.Forget {
		add("forget")
	}
	return all, nil
}

func blobsOf(w *pipeline.Write) string {
	var ids []string
	for _, f := range w.Files {
		if f.Blob != "" {
			ids = append(ids, f.Blob)
		}
	}
	return strings.Join(ids, ",")
}

// millis is a time for a script; zero is zero.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// FailTurn gives the event back or buries it.
func (s *Store) FailTurn(ctx context.Context, l pipeline.Lease, f pipeline.Setback) error {
	tell, err := s.tell(f.Tell)
	if err != nil {
		return err
	}
	record := ""
	if f.Dead {
		record = s.record("event", l, f, kindOf(f.Tell))
	}
	return s.giveBack(ctx, l, s.script.fail, sid(l.Key), l.Token, line(f.Event), millis(f.At), flag(f.Free), record, tell)
}

// YieldTurn gives the session back as if it had not been claimed.
func (s *Store) YieldTurn(ctx context.Context, l pipeline.Lease) error {
	return s.giveBack(ctx, l, s.script.fail, sid(l.Key), l.Token, "", 0, "1", "", "")
}

// record is a dead letter's head; the script adds tries and body.
func (s *Store) record(what string, l pipeline.Lease, f pipeline.Setback, kind string) string {
	return strings.Join([]string{
		strconv.Itoa(s.cfg.version), what, sid(l.Key), kind, "%N", strconv.FormatInt(time.Now().UnixMilli(), 10), line(f.Text), "",
	}, "\n")
}

func kindOf(tell *pipeline.Event) string {
	if tell == nil || tell.Failure == nil {
		return "event"
	}
	return tell.Failure.Kind
}

func (s *Store) tell(ev *pipeline.Event) (string, error) {
	if ev == nil {
		return "", nil
	}
	return encodeEvent(s.cfg.version, *ev)
}

func flag(on bool) string {
	if on {
		return "1"
	}
	return "0"
}
