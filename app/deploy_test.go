package app

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

var settingWord = regexp.MustCompile(`\bPARLEY_[A-Z_]+\b`)

// What is deployed is what the program knows: no file names a setting that is
// none, and no secret stands in one.
func TestDeploymentNamesRealSettings(t *testing.T) {
	known, secrets := map[string]bool{"PARLEY_CONFIG": true}, map[string]bool{}
	err := eachField(&Config{}, func(f reflect.StructField, _ reflect.Value) error {
		known[f.Tag.Get("env")] = true
		secrets[f.Tag.Get("env")] = f.Type == reflect.TypeFor[Secret]() && f.Name != "RedisURL"
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"Dockerfile", "*.yml", "*.service", "*.md", "kustomize/base/*.yaml"} {
		files, err := filepath.Glob(filepath.Join("../deploy", pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no file (%v)", pattern, err)
		}
		for _, path := range files {
			text := deployed(t, path)
			for _, word := range settingWord.FindAllString(text, -1) {
				if !known[word] {
					t.Errorf("%s names %s, which is no setting", path, word)
				}
			}
			for name, secret := range secrets {
				if secret && regexp.MustCompile(name+`(=|: *|, value: *)["']?\w`).MatchString(text) {
					t.Errorf("%s holds a value of %s", path, name)
				}
			}
		}
	}
}

func deployed(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// Lines without which a deployment loses or leaks.
func TestDeploymentsKeepTheirPromises(t *testing.T) {
	_, version, _ := strings.Cut(deployed(t, "../go.mod"), "\ngo ")
	version = strings.Join(strings.SplitN(version, ".", 3)[:2], ".")
	for path, lines := range map[string][]string{
		"Dockerfile": {"FROM golang:" + version + "-", "CGO_ENABLED=0", "FROM gcr.io/distroless/static-debian12:nonroot AS parley", "AS onebox", "redis-server",
			"USER 65532:65532\nEXPOSE 8080\nENTRYPOINT [\"/parley\"]", "USER 65532:65532\nVOLUME /data"},
		"compose.yml":    {"--appendonly yes --appendfsync always --maxmemory-policy noeviction", "condition: service_healthy", "stop_grace_period: 40s", "read_only: true"},
		"parley.service": {"DynamicUser=yes", "KillMode=mixed", "TimeoutStopSec=45", "ExecReload=/bin/kill -HUP $MAINPID", "LoadCredential=private-key.pem:", "NoNewPrivileges=yes"},
		"runbook.md":     {"parley doctor"},
	} {
		text := deployed(t, filepath.Join("../deploy", path))
		for _, line := range lines {
			if !strings.Contains(text, line) {
				t.Errorf("deploy/%s does not say %q", path, line)
			}
		}
	}
}

// workload is what the test asks of a Deployment.
type workload struct {
	Kind string
	Spec struct {
		MinAvailable int `yaml:"minAvailable"`
		Replicas     int
		Template     struct {
			Spec struct {
				Grace           int `yaml:"terminationGracePeriodSeconds"`
				SecurityContext struct {
					NonRoot bool `yaml:"runAsNonRoot"`
				} `yaml:"securityContext"`
				Containers []struct {
					Env            []struct{ Name, Value string }
					LivenessProbe  probe `yaml:"livenessProbe"`
					ReadinessProbe probe `yaml:"readinessProbe"`
					Lifecycle      struct {
						PreStop struct{ Sleep struct{ Seconds int } } `yaml:"preStop"`
					}
					SecurityContext struct {
						ReadOnly bool `yaml:"readOnlyRootFilesystem"`
					} `yaml:"securityContext"`
				}
			}
		}
	}
}

type probe struct {
	HTTPGet struct{ Path, Port string } `yaml:"httpGet"`
}

// The base runs several replicas, asks the routes there are, and gives a
// stopping one more time than it takes.
func TestKustomizeBase(t *testing.T) {
	byKind := map[string]workload{}
	for _, name := range []string{"deployment", "service", "disruption"} {
		dec := yaml.NewDecoder(bytes.NewReader([]byte(deployed(t, "../deploy/kustomize/base/"+name+".yaml"))))
		for {
			var w workload
			if err := dec.Decode(&w); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			byKind[w.Kind] = w
		}
		if !strings.Contains(deployed(t, "../deploy/kustomize/base/kustomization.yaml"), "- "+name+".yaml") {
			t.Errorf("%s.yaml is not among the resources", name)
		}
	}
	d, pod := byKind["Deployment"].Spec, byKind["Deployment"].Spec.Template.Spec
	if d.Replicas < 2 || byKind["PodDisruptionBudget"].Spec.MinAvailable < 1 || !pod.SecurityContext.NonRoot || len(pod.Containers) != 1 {
		t.Fatalf("%+v", byKind)
	}
	c := pod.Containers[0]
	if c.LivenessProbe.HTTPGet.Path != "/healthz" || c.ReadinessProbe.HTTPGet.Path != "/readyz" || c.LivenessProbe.HTTPGet.Port != "http" || !c.SecurityContext.ReadOnly {
		t.Errorf("%+v", c)
	}
	cfg, err := LoadConfig(Source{Lookup: func(string) (string, bool) { return "", false }})
	if err != nil {
		t.Fatal(err)
	}
	if needs := c.Lifecycle.PreStop.Sleep.Seconds + int(cfg.Grace.Seconds()); pod.Grace <= needs {
		t.Errorf("%d s to stop in, and stopping takes %d", pod.Grace, needs)
	}
	for _, e := range c.Env {
		if strings.Contains(e.Name, "SECRET") && e.Value != "" || e.Name == "PARLEY_REDIS_URL" && e.Value != "" {
			t.Errorf("%s is given by value", e.Name)
		}
	}
}

// Every alert leads to a heading of the runbook.
func TestAlertsLeadToTheRunbook(t *testing.T) {
	var rules struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr string
				Labels      struct{ Severity string }
				Annotations struct{ Summary, Runbook string }
			}
		}
	}
	if err := yaml.Unmarshal([]byte(deployed(t, "../deploy/alerts.yml")), &rules); err != nil {
		t.Fatal(err)
	}
	anchors := map[string]bool{}
	for line := range strings.Lines(deployed(t, "../deploy/runbook.md")) {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			anchors["deploy/runbook.md#"+strings.ReplaceAll(strings.ToLower(strings.TrimSpace(title)), " ", "-")] = true
		}
	}
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			if r.Alert == "" || r.Expr == "" || r.Annotations.Summary == "" || r.Labels.Severity == "" || !anchors[r.Annotations.Runbook] {
				t.Errorf("%+v", r)
			}
		}
	}
}
