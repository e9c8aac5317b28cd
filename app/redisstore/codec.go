package redisstore

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"parley/pipeline"
)

// recordVersion is written with every record. A process parks what carries a
// higher one and leaves it to a newer process.
const recordVersion = 1

// entry kinds of an inbox.
const (
	entryEvent = "event" // body: the event
	entryTimer = "timer" // body: the timer's name
	entryLost  = "lost"  // body: the spec of a job whose every try lost its worker
)

func encodeEvent(version int, ev pipeline.Event) (string, error) {
	body, err := json.Marshal(ev)
	if err != nil {
		return "", fmt.Errorf("encode event %s: %w", ev.ID, err)
	}
	return strings.Join([]string{
		strconv.Itoa(version), line(ev.ID), entryEvent, strconv.FormatInt(ev.At.UnixMilli(), 10), string(body),
	}, "\n"), nil
}

// decodeEvent reads an inbox entry. Timers and lost jobs were written by a
// script and take the session's repository.
func decodeEvent(entry string, key pipeline.Key, repo pipeline.Repo) (ev pipeline.Event, err error) {
	part := strings.SplitN(entry, "\n", 5)
	if len(part) != 5 {
		return ev, fmt.Errorf("inbox entry %.40q", entry)
	}
	millis, err := strconv.ParseInt(part[3], 10, 64)
	if err != nil {
		return ev, fmt.Errorf("inbox entry %.40q: %w", entry, err)
	}
	at := time.UnixMilli(millis).UTC()
	switch part[2] {
	case entryEvent:
		err = json.Unmarshal([]byte(part[4]), &ev)
	case entryTimer:
		ev = pipeline.Event{Kind: pipeline.EventTimer, At: at, Repo: repo, Issue: key.Issue, Timer: part[4]}
	case entryLost:
		var spec pipeline.JobSpec
		err = json.Unmarshal([]byte(part[4]), &spec)
		ev = pipeline.FailedJob(spec, repo, key.Issue, "every try lost its worker")
		ev.At = at
	default:
		err = fmt.Errorf("entry kind %q", part[2])
	}
	if err != nil {
		return ev, fmt.Errorf("decode event %s: %w", part[1], err)
	}
	ev.ID = part[1]
	return ev, nil
}

// line keeps a text on one line of a record.
func line(text string) string { return strings.ReplaceAll(text, "\n", " ") }

// writers are kept: a fresh one clears more than a megabyte.
var writers = sync.Pool{New: func() any {
	w, err := flate.NewWriterDict(io.Discard, flate.DefaultCompression, []byte(dictionary))
	if err != nil {
		panic("flate refuses its default level: " + err.Error())
	}
	return w
}}

// readers are kept for the same reason.
var readers = sync.Pool{New: func() any { return flate.NewReader(strings.NewReader("")) }}

// pack compresses a record's body. The first byte tells how.
func pack(body []byte) []byte {
	var out bytes.Buffer
	out.WriteByte('d')
	w := writers.Get().(*flate.Writer)
	defer writers.Put(w)
	w.Reset(&out) // keeps the dictionary
	_, err := w.Write(body)
	if err == nil {
		err = w.Close()
	}
	if err != nil || out.Len() > len(body) {
		return append([]byte{'r'}, body...)
	}
	return out.Bytes()
}

func unpack(packed string) ([]byte, error) {
	if packed == "" {
		return nil, nil
	}
	switch rest := packed[1:]; packed[0] {
	case 'r':
		return []byte(rest), nil
	case 'd':
		r := readers.Get().(io.ReadCloser)
		defer readers.Put(r)
		if err := r.(flate.Resetter).Reset(strings.NewReader(rest), []byte(dictionary)); err != nil {
			return nil, fmt.Errorf("unpack a record: %w", err)
		}
		var body bytes.Buffer
		body.Grow(4 * len(rest))
		if _, err := body.ReadFrom(r); err != nil {
			return nil, fmt.Errorf("unpack a record: %w", err)
		}
		return body.Bytes(), nil
	}
	return nil, fmt.Errorf("unpack a record: form %q", packed[0])
}

func packJSON(v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return pack(body), nil
}

func unpackJSON(packed string, v any) error {
	body, err := unpack(packed)
	if err != nil || body == nil {
		return err
	}
	return json.Unmarshal(body, v)
}

// readSession reads what both claims answer about the session.
func readSession(state, repo string) (s pipeline.Session, r pipeline.Repo, err error) {
	if err = unpackJSON(state, &s); err != nil {
		return s, r, fmt.Errorf("read the session's state: %w", err)
	}
	if r = s.Repo; r.ID == 0 && repo != "" {
		if err = json.Unmarshal([]byte(repo), &r); err != nil {
			return s, r, fmt.Errorf("read the session's repository: %w", err)
		}
	}
	return s, r, nil
}
