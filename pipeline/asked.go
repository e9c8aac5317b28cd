package pipeline

import (
	"cmp"
	"slices"
	"strings"
)

// asked is what a start asks for.
type asked struct {
	mode                   Mode // "" for none
	spec, depth, execution string
	focus                  []string
	track                  Track
	flags                  []string // what sets more than a mode, as it was said
}

// startFlag is one flag of a start: what it sets, to what it is given or to
// what its name says, and the values it may have where not every one will do.
type startFlag struct {
	sets, to string
	among    []string
}

var startFlags = map[string]startFlag{
	"--mode":       {sets: "mode"},
	"--track":      {sets: "track", among: []string{string(TrackTiny), string(TrackStandard)}},
	"--depth":      {sets: "depth", among: []string{"shallow", "normal", "deep"}},
	"--focus":      {sets: "focus"},
	"--spec":       {sets: "spec"},
	"--parallel":   {sets: "execution", to: "parallel"},
	"--sequential": {sets: "execution", to: "sequential"},
}

// readStart reads mode and flags from the label or the command. A start makes
// a branch and a pull request, so nothing in it is guessed: what is unknown or
// contradicts itself is refused by name.
func readStart(ev Event) (asked, *Refusal) {
	var args []string
	if _, mode, _ := strings.Cut(ev.Label, ":"); strings.TrimSpace(mode) != "" {
		args = []string{strings.TrimSpace(mode)}
	}
	if ev.Command != nil {
		args = ev.Command.Args
	}
	said, words := map[string]string{}, map[string]string{}
	var flags []string
	for len(args) > 0 {
		flag, value, rest, refusal := readFlag(args)
		if refusal != nil {
			return asked{}, refusal
		}
		as := strings.Join(args[:len(args)-len(rest)], " ")
		if old, twice := said[flag.sets]; twice && old != value {
			return asked{}, refuseBoth(words[flag.sets], as)
		}
		said[flag.sets], words[flag.sets], args = value, as, rest
		if flag.sets != "mode" {
			flags = append(flags, as)
		}
	}
	a := asked{
		mode: Mode(said["mode"]), track: Track(said["track"]), spec: said["spec"],
		depth: cmp.Or(said["depth"], "normal"), execution: cmp.Or(said["execution"], "parallel"),
		focus: append([]string{}, strings.FieldsFunc(said["focus"], func(r rune) bool { return r == ',' })...),
		flags: flags,
	}
	if refusal := unfit(a.mode, a.track, a.spec); refusal != nil {
		return asked{}, refusal
	}
	return a, nil
}

// unfit refuses what a mode has no use for: a track is of the specification
// that is written, a path of one that is there already. No mode is any mode.
func unfit(m Mode, track Track, spec string) *Refusal {
	switch {
	case m == "":
		return nil
	case track == TrackTiny && !writesSpec(m):
		return refuseUnfit(m, "--track tiny", writesSpec)
	case spec != "" && writesSpec(m):
		return refuseUnfit(m, "--spec "+spec, func(m Mode) bool { return !writesSpec(m) })
	}
	return nil
}

// readFlag reads the first flag with its value, `--flag value` or
// `--flag=value`, and returns what follows. A word without dashes is a mode.
func readFlag(args []string) (flag startFlag, value string, rest []string, refusal *Refusal) {
	name, value, given := strings.Cut(args[0], "=")
	rest = args[1:]
	if !strings.HasPrefix(name, "-") {
		name, value, given = "--mode", args[0], true
	}
	flag, known := startFlags[strings.ToLower(name)]
	switch {
	case !known:
		return flag, "", nil, refuseFlag(name)
	case flag.to != "":
		return flag, flag.to, rest, nil
	case !given && len(rest) > 0 && !strings.HasPrefix(rest[0], "-"):
		value, rest = rest[0], rest[1:]
	}
	if flag.sets == "mode" {
		value = strings.ToLower(value)
		if _, ok := modes[Mode(value)]; !ok {
			refusal = refuseMode(value)
		}
	} else if value == "" || flag.among != nil && !slices.Contains(flag.among, value) {
		refusal = refuseFlagValue(name, value, flag.among)
	}
	return flag, value, rest, refusal
}
