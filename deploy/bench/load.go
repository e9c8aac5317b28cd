package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// connections is how many senders there are at once, each on a connection of
// its own that is kept.
const connections = 32

// load sends prepared deliveries to one address, as GitHub would.
type load struct {
	address string
	path    string
	event   string
	bodies  []body
	// rate is deliveries a second; 0 sends as fast as answers come.
	rate int
	took time.Duration
	most int64 // stops after that many; 0 goes on for took

	next  atomic.Int64
	acked func(guid string) // nil, or told of every delivery that was answered 200
}

// result is what came of a load.
type result struct {
	Sent, Failed int64
	Codes        map[int]int64
	PerSecond    float64
	P50, P99     time.Duration
}

// guid is a delivery id, new in every load of a run.
func (l *load) guid(n int64) string { return fmt.Sprintf("%08x-0000-4000-8000-%012x", began, n) }

var began = uint32(time.Now().Unix())

func (l *load) run() result {
	var mu sync.Mutex
	out := result{Codes: map[int]int64{}}
	var waits []time.Duration
	start := time.Now()
	var senders sync.WaitGroup
	for range connections {
		senders.Go(func() {
			s := sender{load: l, start: start, codes: map[int]int64{}}
			s.run()
			mu.Lock()
			defer mu.Unlock()
			waits = append(waits, s.waits...)
			out.Failed += s.failed
			for code, n := range s.codes {
				out.Codes[code] += n
			}
		})
	}
	senders.Wait()
	out.Sent = int64(len(waits))
	out.PerSecond = float64(out.Codes[200]+out.Codes[202]) / time.Since(start).Seconds()
	slices.Sort(waits)
	if len(waits) > 0 {
		out.P50, out.P99 = waits[len(waits)/2], waits[len(waits)*99/100]
	}
	return out
}

// sender is one connection.
type sender struct {
	load   *load
	start  time.Time
	conn   net.Conn
	answer *bufio.Reader
	buffer bytes.Buffer

	waits  []time.Duration
	codes  map[int]int64
	failed int64
}

func (s *sender) run() {
	defer func() {
		if s.conn != nil {
			s.conn.Close()
		}
	}()
	for {
		n := s.load.next.Add(1) - 1
		if s.load.most > 0 && n >= s.load.most || s.load.most == 0 && time.Since(s.start) > s.load.took {
			return
		}
		due := time.Now()
		if s.load.rate > 0 { // latency counts from when it was due, not from when there was time
			due = s.start.Add(time.Duration(n) * time.Second / time.Duration(s.load.rate))
			time.Sleep(time.Until(due))
		}
		guid := s.load.guid(n)
		code, err := s.send(guid, s.load.bodies[n%int64(len(s.load.bodies))])
		if err != nil {
			s.failed++
			s.conn = nil
			continue
		}
		s.waits = append(s.waits, time.Since(due))
		s.codes[code]++
		if code == 200 && s.load.acked != nil {
			s.load.acked(guid)
		}
	}
}

// send writes one request and reads its answer; net/http's own client costs
// more than the servers that are measured.
func (s *sender) send(guid string, b body) (int, error) {
	if s.conn == nil {
		conn, err := net.DialTimeout("tcp", s.load.address, time.Second)
		if err != nil {
			time.Sleep(10 * time.Millisecond)
			return 0, err
		}
		s.conn, s.answer = conn, bufio.NewReader(conn)
	}
	s.conn.SetDeadline(time.Now().Add(10 * time.Second))
	s.buffer.Reset()
	fmt.Fprintf(&s.buffer, "POST %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: GitHub-Hookshot/bench\r\nContent-Type: application/json\r\nContent-Length: %d\r\n"+
		"X-GitHub-Event: %s\r\nX-GitHub-Delivery: %s\r\nX-GitHub-Hook-ID: 1\r\nX-Hub-Signature-256: %s\r\n\r\n",
		s.load.path, s.load.address, len(b.text), s.load.event, guid, b.signature)
	s.buffer.Write(b.text)
	if _, err := s.conn.Write(s.buffer.Bytes()); err != nil {
		return 0, err
	}
	return s.read()
}

func (s *sender) read() (code int, err error) {
	length := 0
	for first := true; ; first = false {
		line, err := s.answer.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		text := strings.TrimSpace(string(line))
		if text == "" {
			break
		}
		if first {
			if len(text) < 12 {
				return 0, errors.New("not HTTP: " + text)
			}
			code, err = strconv.Atoi(text[9:12])
		} else if name, value, _ := strings.Cut(text, ":"); strings.EqualFold(name, "Content-Length") {
			length, err = strconv.Atoi(strings.TrimSpace(value))
		} else if strings.EqualFold(name, "Transfer-Encoding") {
			err = errors.New("an answer in chunks")
		}
		if err != nil {
			return 0, err
		}
	}
	_, err = s.answer.Discard(length)
	return code, err
}
