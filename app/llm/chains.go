package llm

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"time"
)

// DefaultChains follow the lifecycle's own order: who judges best first, then
// the others as fallbacks; rules come after the last. The vendors' CLIs stand
// behind the APIs of the same vendor.
var DefaultChains = map[string][]string{
	"product":   {"gemini", "gemini-cli", "openai", "codex", "anthropic", "claude"},
	"risk":      {"gemini", "gemini-cli", "openai", "codex", "anthropic", "claude"},
	"coverage":  {"gemini", "gemini-cli", "openai", "codex", "anthropic", "claude"},
	"technical": {"openai", "codex", "gemini", "gemini-cli", "anthropic", "claude"},
	"quality":   {"anthropic", "claude", "gemini", "gemini-cli", "openai", "codex"},
	"analyst":   {"gemini", "gemini-cli", "openai", "codex", "anthropic", "claude"},
	"writer":    {"anthropic", "claude", "gemini", "gemini-cli", "openai", "codex"},
	"reviewer":  {"anthropic", "claude", "openai", "codex", "gemini", "gemini-cli"},
	"planner":   {"openai", "codex", "anthropic", "claude", "gemini", "gemini-cli"},
}

// DefaultModels by backend.
var DefaultModels = map[string]string{
	"anthropic": "claude-sonnet-4-5", "openai": "gpt-5-mini", "gemini": "gemini-2.5-flash",
	"claude": "claude-sonnet-4-5", "codex": "gpt-5-mini", "gemini-cli": "gemini-2.5-flash",
}

// Environment is what decides which backends there are.
type Environment struct {
	Lookup func(string) (string, bool)
	// Models by backend, over DefaultModels.
	Models map[string]string
	// CLIs lets the vendors' command-line tools be used when they are on PATH
	// and their key is set.
	CLIs bool
}

// Vendor is a backend with its variables.
type Vendor struct{ Backend, Key, Base string }

// Vendors are those with an API, each with the variables of its key and address.
var Vendors = []Vendor{
	{"anthropic", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"},
	{"openai", "OPENAI_API_KEY", "OPENAI_BASE_URL"},
	{"gemini", "GEMINI_API_KEY", "GEMINI_BASE_URL"},
}

// cliOf names the tool of each vendor.
var cliOf = []struct{ backend, binary, key, base string }{
	{"claude", "claude", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"},
	{"codex", "codex", "OPENAI_API_KEY", "OPENAI_BASE_URL"},
	{"gemini-cli", "gemini", "GEMINI_API_KEY", "GEMINI_BASE_URL"},
}

// vendorOf names who is behind a backend: an API and a tool that take one key
// are one family of models.
func vendorOf(backend string) string {
	for _, v := range Vendors {
		if v.Backend == backend {
			return v.Key
		}
	}
	for _, v := range cliOf {
		if v.backend == backend {
			return v.key
		}
	}
	return backend
}

// FromEnvironment makes the backends whose keys are set. None is a normal way
// to run.
func FromEnvironment(env Environment) (map[string]Backend, []string, error) {
	out := map[string]Backend{}
	var secrets []string
	get := func(name string) string { v, _ := env.Lookup(name); return v }
	h := &http.Client{Transport: bounded{transport()}}
	for _, v := range Vendors {
		key, base, model := get(v.Key), get(v.Base), env.model(v.Backend)
		if key == "" && !(v.Backend == "openai" && base != "") { // a local server often wants no key
			continue
		}
		if key != "" {
			secrets = append(secrets, key)
		} else {
			key = "none"
		}
		b, err := newAPI(v.Backend, key, base, model, h)
		if err != nil {
			return nil, nil, err
		}
		out[v.Backend] = b
	}
	if env.CLIs {
		for _, v := range cliOf {
			path, err := exec.LookPath(v.binary)
			if key := get(v.key); err == nil && key != "" {
				out[v.backend] = CLI(CLIConfig{Tool: v.backend, Path: path, Key: key, Base: get(v.base), Model: env.model(v.backend)})
			}
		}
	}
	return out, secrets, nil
}

// Missing says what keeps a backend from being asked, for the one to read who
// named it.
func Missing(backend string, env Environment) string {
	for _, v := range Vendors {
		if v.Backend == backend {
			return fmt.Sprintf("%s needs %s, which is not set; set it", backend, v.Key)
		}
	}
	for _, v := range cliOf {
		if v.backend != backend {
			continue
		}
		var lacks, mend []string
		if !env.CLIs {
			lacks, mend = append(lacks, "PARLEY_MODEL_CLIS, which is off"), append(mend, "set it to true")
		}
		if _, err := exec.LookPath(v.binary); err != nil {
			lacks, mend = append(lacks, "the program "+v.binary+", which is not on PATH"), append(mend, "install it")
		}
		if key, _ := env.Lookup(v.key); key == "" {
			lacks, mend = append(lacks, v.key+", which is not set"), append(mend, "set it")
		}
		return fmt.Sprintf("%s needs %s; %s", backend, strings.Join(lacks, ", and "), strings.Join(mend, " and "))
	}
	return fmt.Sprintf("there is no backend %q; there are %s", backend, strings.Join(DefaultChains["quality"], ", "))
}

// transport is the process's own but for how long it waits for a connection
// and how many it keeps.
func transport() *http.Transport {
	tr := http.DefaultTransport.(*http.Transport).Clone()
	dial := tr.DialContext
	tr.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		return dial(ctx, network, address)
	}
	tr.MaxIdleConnsPerHost, tr.IdleConnTimeout = 16, time.Minute
	return tr
}

// maxBody is what a server may send; an answer's text is bounded by maxAnswer.
const maxBody = 16 << 20

// bounded cuts off a server that does not stop sending.
type bounded struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.Body = http.MaxBytesReader(nil, resp.Body, maxBody)
	}
	return resp, err
}

func (e Environment) model(backend string) string {
	if m := e.Models[backend]; m != "" {
		return m
	}
	return DefaultModels[backend]
}

func newAPI(backend, key, base, model string, h *http.Client) (Backend, error) {
	switch backend {
	case "anthropic":
		return Anthropic(key, base, model, h), nil
	case "openai":
		return OpenAI(key, base, model, h), nil
	}
	return Gemini(key, base, model, h)
}
