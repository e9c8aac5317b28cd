package redisstore

import (
	"context"
	"embed"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"
)

//go:embed lua/*.lua
var sources embed.FS

// scripts are what changes Redis; each file's head tells keys, arguments and answer.
type scripts struct {
	put, spread, claim, commit, fail       *redis.Script
	beat, tick                             *redis.Script
	jclaim, jfinish, jfail                 *redis.Script
	outbox, blob, desk, check, spendWindow *redis.Script
	stats                                  *redis.Script
}

// loadScripts compiles the embedded scripts; change, when not nil, lets a
// test break one on purpose.
func loadScripts(change func(name, source string) string) scripts {
	load := func(name string) *redis.Script {
		source := source("prelude") + source(name)
		if change != nil {
			source = change(name, source)
		}
		return redis.NewScript(source)
	}
	return scripts{
		put: load("put"), spread: load("spread"), claim: load("claim"), commit: load("commit"), fail: load("fail"),
		beat: load("beat"), tick: load("tick"),
		jclaim: load("jclaim"), jfinish: load("jfinish"), jfail: load("jfail"),
		outbox: load("outbox"), blob: load("blob"), desk: load("desk"), check: load("check"), spendWindow: load("spend"),
		stats: load("stats"),
	}
}

func source(name string) string {
	text, err := sources.ReadFile("lua/" + name + ".lua")
	if err != nil {
		panic("script is not embedded: " + name)
	}
	return string(text)
}

// once runs a script that must not be repeated blindly: a second claim would
// orphan the first one's lease.
func (s *Store) once(ctx context.Context, script *redis.Script, p partition, args ...any) (any, error) {
	return script.Run(ctx, s.db, []string{p.prefix()}, args...).Result()
}

// safely runs a script that gives the same answer when it is repeated, and
// tries a second time when the connection broke.
func (s *Store) safely(ctx context.Context, script *redis.Script, p partition, args ...any) (any, error) {
	out, err := s.once(ctx, script, p, args...)
	if err != nil && ctx.Err() == nil && broken(err) {
		out, err = s.once(ctx, script, p, args...)
	}
	return out, err
}

// list reads what a script joined by commas.
func list(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

// words reads a script's answer: a list of strings and numbers, or one string.
func words(out any, err error) ([]string, error) {
	if err != nil {
		return nil, err
	}
	list, ok := out.([]any)
	if !ok {
		list = []any{out}
	}
	text := make([]string, len(list))
	for i, v := range list {
		text[i] = fmt.Sprint(v)
	}
	return text, nil
}
