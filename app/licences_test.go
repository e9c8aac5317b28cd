package app

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// licences are those that may be in the program, by words of their texts.
var licences = []struct{ name, words string }{
	{"Apache-2.0", "apache license version 2.0"},
	{"MPL-2.0", "mozilla public license version 2.0"},
	{"MIT", "permission is hereby granted, free of charge, to any person obtaining a copy"},
	{"ISC", "permission to use, copy, modify, and distribute this software for any purpose with or without fee"},
	{"ISC", "permission to use, copy, modify, and/or distribute this software for any purpose with or without fee"},
	{"BSD", "redistribution and use in source and binary forms, with or without modification, are permitted"},
	{"Unlicense", "this is free and unencumbered software released into the public domain"},
}

// Every module linked into parley has a licence we know and list.
func TestLicences(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}", "./cmd/parley")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(lines)
	var b strings.Builder
	b.WriteString("# Licences of what is linked in\n\nMade and checked by `go test ./app -run Licences -update`.\n\n| Module | Version | Licence |\n| --- | --- | --- |\n")
	for _, l := range slices.Compact(lines) {
		f := strings.Fields(l)
		if len(f) != 3 {
			continue
		}
		name := licenceOf(f[2])
		if name == "" {
			t.Errorf("%s %s has no licence this project knows", f[0], f[1])
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", f[0], f[1], name)
	}
	const path = "../deploy/licences.md"
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	listed, err := os.ReadFile(path)
	if err != nil || string(listed) != b.String() {
		t.Errorf("deploy/licences.md is not current (%v); run: go test ./app -run Licences -update", err)
	}
}

func licenceOf(dir string) string {
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		return ""
	}
	for _, path := range names {
		base := strings.ToLower(filepath.Base(path))
		if !strings.HasPrefix(base, "licen") && !strings.HasPrefix(base, "copying") && !strings.HasPrefix(base, "unlicense") {
			continue
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		text := strings.Join(strings.Fields(strings.ToLower(string(raw))), " ")
		text = strings.ReplaceAll(text, ", version 2.0", " version 2.0")
		for _, l := range licences {
			if strings.Contains(text, l.words) {
				return l.name
			}
		}
	}
	return ""
}
