package app

import (
	"context"
	"log/slog"

	"github.com/rs/zerolog"
)

// slogTo lets packages that log through the standard library write to the
// process's one log, with its level and its redaction.
func slogTo(log zerolog.Logger) *slog.Logger { return slog.New(bridge{log: log}) }

type bridge struct {
	log   zerolog.Logger
	attrs []slog.Attr
}

var slogLevels = map[slog.Level]zerolog.Level{
	slog.LevelDebug: zerolog.DebugLevel, slog.LevelInfo: zerolog.InfoLevel,
	slog.LevelWarn: zerolog.WarnLevel, slog.LevelError: zerolog.ErrorLevel,
}

func (b bridge) Enabled(_ context.Context, l slog.Level) bool {
	return slogLevels[l] >= b.log.GetLevel()
}

func (b bridge) Handle(_ context.Context, r slog.Record) error {
	e := b.log.WithLevel(slogLevels[r.Level])
	add := func(a slog.Attr) bool {
		e = e.Str(a.Key, a.Value.String())
		return true
	}
	for _, a := range b.attrs {
		add(a)
	}
	r.Attrs(add)
	e.Msg(r.Message)
	return nil
}

func (b bridge) WithAttrs(attrs []slog.Attr) slog.Handler {
	b.attrs = append(b.attrs[:len(b.attrs):len(b.attrs)], attrs...)
	return b
}

func (b bridge) WithGroup(string) slog.Handler { return b }
