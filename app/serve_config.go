package app

import (
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
)

const minSecret = 16

// poorSecrets are what tutorials show; a server that starts with one is open.
var poorSecrets = map[string]bool{"development": true, "changemechangeme": true, "secretsecretsecret": true, "0000000000000000": true}

// CheckServe says all that keeps a server from starting, setting by setting.
func (c Config) CheckServe() error {
	var errs []error
	add := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if c.AppID <= 0 {
		add("PARLEY_APP_ID: not set; put the App's id there (parley setup registers an App)")
	}
	if c.Pull == 0 || c.Secret != "" {
		errs = append(errs, checkSecret("PARLEY_WEBHOOK_SECRET", c.Secret))
	}
	if c.SecretOld != "" {
		errs = append(errs, checkSecret("PARLEY_WEBHOOK_SECRET_OLD", c.SecretOld))
	}
	if c.RedisURL == "" && c.Data == "" {
		add("PARLEY_REDIS_URL: not set; give an address such as redis://127.0.0.1:6379/0, or --data DIR to run one on this machine")
	}
	if c.RedisURL != "" && c.Data != "" {
		add("PARLEY_REDIS_URL and PARLEY_DATA are both set; keep one")
	}
	if u, err := url.Parse(c.GitHubURL); err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") {
		add("PARLEY_GITHUB_URL: %q is not an address; use https://api.github.com or https://HOST/api/v3", c.GitHubURL)
	}
	if _, err := c.Key(); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func checkSecret(name string, s Secret) error {
	text := strings.TrimSpace(string(s))
	if text == "" {
		return fmt.Errorf("%s: not set; generate one with: openssl rand -hex 32", name)
	}
	if len(text) < minSecret {
		return fmt.Errorf("%s: %d bytes is too short, %d is the least; generate one with: openssl rand -hex 32", name, len(text), minSecret)
	}
	if poorSecrets[strings.ToLower(text)] || strings.Count(text, text[:1]) == len(text) {
		return fmt.Errorf("%s: this secret can be guessed; generate one with: openssl rand -hex 32", name)
	}
	return nil
}

// Key reads the App's private key.
func (c Config) Key() (*rsa.PrivateKey, error) {
	raw, err := c.readKey()
	if err != nil {
		return nil, err
	}
	key, err := parseKey(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %s is not an RSA private key in PEM form (%w); download it again from the App's settings", keySetting, c.KeyFile, err)
	}
	return key, nil
}

const keySetting = "PARLEY_PRIVATE_KEY_FILE"

func (c Config) readKey() ([]byte, error) {
	const name = keySetting
	if c.KeyFile == "" {
		return nil, fmt.Errorf("%s: not set; name the PEM file that GitHub made for the App", name)
	}
	info, err := os.Stat(c.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; name the PEM file that GitHub made for the App", name, err)
	}
	if info.Mode().Perm()&0o007 != 0 { // a group may be how a cluster hands it over
		return nil, fmt.Errorf("%s: %s can be read by everybody; run: chmod 600 %s", name, c.KeyFile, c.KeyFile)
	}
	raw, err := os.ReadFile(c.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; let the server's user read it", name, err)
	}
	return raw, nil
}

func parseKey(raw []byte) (*rsa.PrivateKey, error) {
	block, _ := pem.Decode(raw)
	if block == nil {
		return nil, errors.New("no PEM block")
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	any, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	key, ok := any.(*rsa.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("it holds a %T", any)
	}
	return key, nil
}
