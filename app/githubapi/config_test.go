package githubapi

import (
	"strings"
	"testing"
)

func TestEndpoints(t *testing.T) {
	tests := []struct{ name, base, graphql, wantREST, wantGraphQL string }{
		{"github.com", "https://api.github.com", "", "https://api.github.com", "https://api.github.com/graphql"},
		{"trailing slash", "https://api.github.com/", "", "https://api.github.com", "https://api.github.com/graphql"},
		{"enterprise server", "https://ghe.example/api/v3", "", "https://ghe.example/api/v3", "https://ghe.example/api/graphql"},
		{"enterprise server, slash", "https://ghe.example/api/v3/", "", "https://ghe.example/api/v3", "https://ghe.example/api/graphql"},
		{"data residency", "https://api.octo.ghe.com", "", "https://api.octo.ghe.com", "https://api.octo.ghe.com/graphql"},
		{"given", "http://127.0.0.1:9", "http://127.0.0.1:9/g/", "http://127.0.0.1:9", "http://127.0.0.1:9/g"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rest, graphql, err := endpoints(test.base, test.graphql)
			if err != nil || rest != test.wantREST || graphql != test.wantGraphQL {
				t.Fatalf("got %q %q %v", rest, graphql, err)
			}
		})
	}
}

func TestNewRefuses(t *testing.T) {
	key := testKey(t)
	tests := []struct {
		name string
		cfg  Config
		want string
	}{
		{"no app", Config{Keys: [][]byte{key}}, "app id"},
		{"no key", Config{AppID: 1}, "private key is missing"},
		{"not a key", Config{AppID: 1, Keys: [][]byte{[]byte("hunter2hunter2")}}, "private key 1 is not"},
		{"bad root", Config{AppID: 1, Keys: [][]byte{key}, BaseURL: "ftp://x"}, "http(s)"},
		{"password in root", Config{AppID: 1, Keys: [][]byte{key}, BaseURL: "https://u:hunter2@x"}, "scheme, host and path"},
		{"bad way", Config{AppID: 1, Keys: [][]byte{key}, Writes: "soap"}, "not auto, graphql or rest"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := New(test.cfg)
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "hunter2") {
				t.Fatalf("got %v", err)
			}
		})
	}
}
