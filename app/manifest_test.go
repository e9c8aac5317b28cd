package app

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// app.yml is for people to read; this keeps it what the code asks for.
func TestManifestIsAppYML(t *testing.T) {
	raw, err := os.ReadFile("../app.yml")
	if err != nil {
		t.Fatal(err)
	}
	var file Manifest
	if err := yaml.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	want := NewManifest("Parley", "https://parley.example.com"+HookPath)
	if d := cmp.Diff(want, file); d != "" {
		t.Errorf("app.yml differs from the code (-code +file):\n%s", d)
	}
}
