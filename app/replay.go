package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"parley/handlers"
	"parley/pipeline"
)

// SavedDelivery is a delivery in a file.
type SavedDelivery struct {
	Event   string          `json:"event"`
	GUID    string          `json:"guid"`
	Payload json.RawMessage `json:"payload"`
}

// ReadDelivery reads a saved delivery, or a bare payload whose event is given.
func ReadDelivery(path, event, guid string) (SavedDelivery, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return SavedDelivery{}, err
	}
	var d SavedDelivery
	if json.Unmarshal(raw, &d) != nil || d.Payload == nil {
		d = SavedDelivery{Payload: raw}
	}
	if event != "" {
		d.Event = event
	}
	if d.Event == "" {
		return d, fmt.Errorf("%s names no event; say --event issues, for example", path)
	}
	if !json.Valid(d.Payload) {
		return d, fmt.Errorf("%s is not JSON", path)
	}
	if guid != "" {
		d.GUID = guid
	}
	if d.GUID == "" {
		d.GUID = "replay-" + randomHex(8)
	}
	return d, nil
}

// Replay takes a saved delivery in, as the webhook would, and says what became
// of it.
func (a *App) Replay(ctx context.Context, d SavedDelivery) (string, error) {
	err := a.Ingest(ctx, d.Event, d.GUID, d.Payload)
	switch {
	case errors.Is(err, handlers.ErrIgnored):
		return "ignored", nil
	case errors.Is(err, pipeline.ErrDuplicate):
		return "was stored before", nil
	case err != nil:
		return "", err
	}
	return "stored", nil
}

// Redeliver takes in all that GitHub sent since then; what was stored before is
// not stored again.
func (a *App) Redeliver(ctx context.Context, since time.Duration) (int, error) {
	if err := a.askBot(ctx); err != nil {
		return 0, err
	}
	notes, err := a.logSince(ctx, a.now().Add(-since))
	taken := map[string]bool{}
	for i := len(notes) - 1; i >= 0 && err == nil; i-- {
		if n := notes[i]; !taken[n.GUID] && a.takes(n.Event) {
			taken[n.GUID] = true
			err = a.takeIn(ctx, n)
		}
	}
	return len(taken), err
}
