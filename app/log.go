package app

import (
	"io"

	"github.com/rs/zerolog"

	"parley/pipeline"
)

// newLogger writes structured lines from which no secret gets out: whatever a
// field holds, the line is cleaned as a whole on its way.
func newLogger(to io.Writer, level string, secrets []string) zerolog.Logger {
	l, err := zerolog.ParseLevel(level)
	if err != nil {
		l = zerolog.InfoLevel // config has refused all other words already
	}
	return zerolog.New(cleanWriter{to, pipeline.NewRedactor(secrets)}).Level(l).With().Timestamp().Logger()
}

type cleanWriter struct {
	to     io.Writer
	redact *pipeline.Redactor
}

func (w cleanWriter) Write(line []byte) (int, error) {
	if _, err := io.WriteString(w.to, w.redact.Clean(string(line))); err != nil {
		return 0, err
	}
	return len(line), nil
}
