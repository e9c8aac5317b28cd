package pipeline

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"
)

func TestSecretsGoNeitherOutNorIn(t *testing.T) {
	secret := "wh-4f9a8c1e7b2d6053aa91c7d2"
	r := NewRedactor([]string{secret})
	for name, text := range map[string]string{
		"whole": secret, "in a word": "x" + secret + "y", "first half": secret[:len(secret)/2], "second half": secret[len(secret)/2:],
		"reversed": reversed(secret), "base64": base64.StdEncoding.EncodeToString([]byte(secret)), "hex": hex.EncodeToString([]byte(secret)),
		"GitHub token": "ghs_" + strings.Repeat("a1B2", 9), "long GitHub token": "ghs_12345_eyJ" + strings.Repeat("a1B2", 90),
		"Anthropic key": "sk-ant-api03-" + strings.Repeat("x1", 20), "Google key": "AIza" + strings.Repeat("x1", 18), "AWS": "AKIAIOSFODNN7EXAMPLE",
		"Slack": "xoxb-123456789012-abcdef", "JWT": "eyJhbGciOiJ9.eyJzdWIiOiIx.c2lnbmF0dXJl",
		"PEM": "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "cut PEM": "-----BEGIN PRIVATE KEY-----\nMIIE",
		"near a word": `password = "Zx81kQpL0aR7tYwB2mN4"`, "near a strange word": "pa\u017F\u017Fword: Zx81kQpL0aR7tYwB2mN4", "near a loud word": "API-KEY=Zx81kQpL0aR7tYwB2mN4", "address": "postgres://app:hunter2@db/x", "loud address": "REDIS://app:hunter2@db/x",
		"npm": "npm_" + strings.Repeat("x1", 15), "GitLab": "glpat-" + strings.Repeat("x1", 10), "Hugging Face": "hf_" + strings.Repeat("x1", 15),
	} {
		if got := r.Clean("before " + text + " after"); !strings.Contains(got, Redacted) || strings.Contains(got, text) {
			t.Errorf("%s: %q", name, got)
		}
	}
	for _, text := range []string{"the token is rotated hourly", "password: minimum twelve characters", "commit 3f2a9c1e7b2d6053aa0011223344556677889900", "secret: documentation_of_everything"} {
		if got := r.Clean(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}
