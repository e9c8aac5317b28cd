package llm

import (
	"net"
	"net/http"
	"strings"
	"testing"

	"parley/app/githubsim"
)

// Tests of model clients reach nothing but this machine: neither a name nor a
// bare address, whichever vendor's client is asked.
func TestModelClientsStayHere(t *testing.T) {
	resolver, dial := net.DefaultResolver, http.DefaultTransport.(*http.Transport).DialContext
	defer func() {
		net.DefaultResolver, http.DefaultTransport.(*http.Transport).DialContext = resolver, dial
	}()
	for _, v := range Vendors {
		for _, base := range []string{"https://192.0.2.1", "https://models.example.com"} {
			set := map[string]string{v.Key: "sk-none", v.Base: base}
			said := ""
			code := githubsim.Alone(func() int {
				backends, _, err := FromEnvironment(Environment{Lookup: func(name string) (string, bool) { v, ok := set[name]; return v, ok }})
				if err != nil {
					t.Fatal(err)
				}
				_, err = backends[v.Backend].Ask(t.Context(), Call{System: "One word.", Turns: []Turn{{User, "Say pong."}}, MaxTokens: 10})
				if err != nil {
					said = err.Error()
				}
				return 0
			})
			if code != 1 || !strings.Contains(said, "reach nothing but this machine") {
				t.Errorf("%s at %s: exit %d, %q", v.Backend, base, code, said)
			}
		}
	}
}

// Who names a backend that cannot be asked reads what is missing and what to do.
func TestMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, row := range []struct {
		backend string
		env     Environment
		want    string
	}{
		{"gemini", Environment{CLIs: true}, "gemini needs GEMINI_API_KEY, which is not set; set it"},
		{"claude", Environment{CLIs: true}, "claude needs the program claude, which is not on PATH, and ANTHROPIC_API_KEY, which is not set; install it and set it"},
		{"gemini-cli", Environment{}, "gemini-cli needs PARLEY_MODEL_CLIS, which is off, and the program gemini, which is not on PATH, and GEMINI_API_KEY, which is not set; set it to true and install it and set it"},
		{"hal", Environment{}, `there is no backend "hal"; there are anthropic, claude, gemini, gemini-cli, openai, codex`},
	} {
		row.env.Lookup = func(string) (string, bool) { return "", false }
		if got := Missing(row.backend, row.env); got != row.want {
			t.Errorf("%s: %s\nwant %s", row.backend, got, row.want)
		}
	}
}
