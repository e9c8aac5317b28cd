package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// wanted is one metric of one benchmark of the suite.
type wanted struct {
	benchmark, unit string
	row             row
	scale           float64
}

// suite is what is run in each package, and what of it stands in the table.
var suite = []struct {
	pkg, run, time string
	rows           []wanted
}{
	{"./discuss", "^Benchmark(Round|Wall)$", "300ms", []wanted{
		{"BenchmarkRound/models", "ns/op", row{What: "own time in a round of five models", Unit: "ms", Target: below(25)}, 1e-6},
		{"BenchmarkRound/rules", "ns/op", row{What: "own time in a round on rules", Unit: "ms"}, 1e-6},
		{"BenchmarkWall", "wall/slowest", row{What: "wall time of a round against its slowest model", Unit: "x", Target: atMost(1.05)}, 1},
	}},
	{"./pipeline/spec", "^BenchmarkLint$", "300ms", []wanted{
		{"BenchmarkLint/files=4", "ns/op", row{What: "lint of a specification of about 40 files", Unit: "ms", Target: below(200)}, 1e-6},
	}},
	{"./app/redisstore", "^BenchmarkIdleSessions$", "500x", []wanted{
		{"BenchmarkIdleSessions", "us-beside-100", row{What: "an event beside 100 idle sessions", Unit: "us"}, 1},
		{"BenchmarkIdleSessions", "us-beside-10000", row{What: "an event beside 10,000 idle sessions", Unit: "us"}, 1},
		{"BenchmarkIdleSessions", "us-beside-100000", row{What: "an event beside 100,000 idle sessions", Unit: "us"}, 1},
		{"BenchmarkIdleSessions", "x-beside-100000", row{What: "an event beside 100,000 against one beside 100", Unit: "x", Target: below(1.5)}, 1},
		{"BenchmarkIdleSessions", "B/session-10000", row{What: "an idle session in Redis, of 10,000", Unit: "bytes", Target: below(4096)}, 1},
		{"BenchmarkIdleSessions", "B/session-100000", row{What: "an idle session in Redis, of 100,000", Unit: "bytes", Target: below(4096)}, 1},
	}},
	{"./app/redisstore", "^Benchmark(Accept|Turns|Start)$", "1s", []wanted{
		{"BenchmarkAccept", "events/s", row{What: "events taken in, every write synced", Unit: "/s"}, 1},
		{"BenchmarkTurns", "events/s", row{What: "events decided and committed, every write synced", Unit: "/s"}, 1},
		{"BenchmarkStart", "ms-start-p50", row{What: "from acceptance to start on an idle queue: p50", Unit: "ms"}, 1},
		{"BenchmarkStart", "ms-start-p99", row{What: "from acceptance to start on an idle queue: p99", Unit: "ms"}, 1},
	}},
	{"./app/redisstore", "^BenchmarkFlood$", "20x", []wanted{
		{"BenchmarkFlood", "ms-calm-answer-p95", row{What: "an organisation's p95 wait for its answer", Unit: "ms"}, 1},
		{"BenchmarkFlood", "x-answer-p95", row{What: "the same beside another's flood of 10,000 events", Unit: "x", Target: below(1.2)}, 1},
	}},
	{"./app/redisstore", "^BenchmarkTakeover$", "1x", []wanted{
		{"BenchmarkTakeover", "s/takeover", row{What: "worker kill -9: taken over after", Unit: "s", Target: below(30)}, 1},
	}},
}

// held are promises that a test of the suite keeps: its complaints are counted.
var held = []struct {
	pkg, run, env string
	complaint     *regexp.Regexp
	row           row
}{
	{"./pipeline/roles", "^TestOneEditReachesItsDescendantsOnly$", "", regexp.MustCompile("does not descend from"),
		row{What: "one edited requirement: other files rewritten", Target: atMost(0), Note: "TestOneEditReachesItsDescendantsOnly"}},
	{"./app/redisstore", "^TestCrash$", "PARLEY_CRASH_SCHEDULES=50", regexp.MustCompile(`PARLEY_CRASH_SEED=\d+:`),
		row{What: "kill -9 at random: runs that lost or repeated", Target: atMost(0), Note: "of 50 schedules of TestCrash"}},
}

var ran = regexp.MustCompile(`(?m)^--- (PASS|FAIL): `)

func (b *bench) goBenchmarks() error {
	for _, s := range suite {
		out, err := b.goTest("", "-run", "^$", "-bench", s.run, "-benchtime", s.time, "-timeout", "5m", s.pkg)
		if err != nil {
			b.add(row{What: "go test -bench " + s.run, Missing: err.Error(), Target: target{Op: "to be measured"}})
			continue
		}
		for _, w := range s.rows {
			value, ok := metric(out, w.benchmark, w.unit)
			r := w.row
			r.Value = value * w.scale
			if !ok {
				r.Missing = "no " + w.benchmark + " in " + s.pkg
			}
			b.add(r)
		}
	}
	return nil
}

// promises counts what the tests of a promise complain of.
func (b *bench) promises() error {
	for _, h := range held {
		out, err := b.goTest(h.env, "-run", h.run, "-count=1", "-v", "-timeout", "3m", h.pkg)
		r := h.row
		r.Value = float64(len(h.complaint.FindAllString(out, -1)))
		switch {
		case err != nil && r.Value == 0:
			r.Missing = err.Error()
		case !ran.MatchString(out):
			r.Missing = "no test ran: " + h.run
		}
		b.add(r)
	}
	return nil
}

// goTest runs a part of the suite; what it printed is told beside its fault.
func (b *bench) goTest(env string, args ...string) (string, error) {
	cmd := exec.Command("go", append([]string{"test"}, args...)...)
	cmd.Dir = b.root
	cmd.Env = append(os.Environ(), "GOFLAGS=", "PARLEY_CRASH_SEED=", env)
	out, err := cmd.CombinedOutput()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		err = fmt.Errorf("%w: %s", err, lines[len(lines)-1])
	}
	return string(out), err
}

// metric finds one number in what go test -bench printed.
func metric(out, benchmark, unit string) (float64, bool) {
	for lines := bufio.NewScanner(strings.NewReader(out)); lines.Scan(); {
		f := strings.Fields(lines.Text())
		if len(f) < 4 || !strings.HasPrefix(f[0], benchmark) {
			continue
		}
		for i := 2; i+1 < len(f); i += 2 {
			if f[i+1] == unit {
				x, err := strconv.ParseFloat(f[i], 64)
				return x, err == nil
			}
		}
	}
	return 0, false
}

var heldOut = regexp.MustCompile(`(?m)^\| held out: (\w+) \| *\d+ \| *([\d.]+) \| *([\d.]+) \|`)

// corpus prints the table that the test of the rules' corpus holds current, and
// reads from it what the rules find of what was held out.
func (b *bench) corpus() error {
	if _, err := b.goTest("", "-count=1", "-run", "CorpusRecallAndPrecision", "./pipeline/spec"); err != nil {
		return err
	}
	raw, err := os.ReadFile(filepath.Join(b.root, "pipeline", "spec", "testdata", "corpus", "table.md"))
	if err != nil {
		return err
	}
	b.say("\n%s", raw)
	parts := heldOut.FindAllStringSubmatch(string(raw), -1)
	if len(parts) == 0 {
		return errors.New("the table of the corpus has no line for what was held out")
	}
	for _, m := range parts {
		for i, r := range []row{
			{What: "rules on seeded defects: recall", Target: atLeast(.95)},
			{What: "rules on seeded defects: precision", Target: atLeast(.9)},
		} {
			r.Note = "blocker and major, " + m[1] + " held out"
			if r.Value, err = strconv.ParseFloat(m[i+2], 64); err != nil {
				return err
			}
			b.add(r)
		}
	}
	return nil
}
