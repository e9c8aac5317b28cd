package redisstore

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/pipeline"
)

// An event is acknowledged when a replica has it too, and refused when none
// answers, though the primary would take it.
func TestReplicaConfirms(t *testing.T) {
	primary, _ := startNode(t)
	replica, proc := replicaOf(t, primary)
	s := store(t, "redis://"+primary, Config{})
	ctx := context.Background()
	if err := s.Accept(ctx, aCommand("one", 1)); err != nil {
		t.Fatal(err)
	}
	if n := client(t, replica).LLen(ctx, s.partitionOf(1).key("in:1-1")).Val(); n != 1 {
		t.Errorf("acknowledged with %d events on the replica, want 1", n)
	}
	proc.Signal(syscall.SIGSTOP)
	err := s.Accept(ctx, aCommand("two", 1))
	if err == nil || !strings.Contains(err.Error(), "no replica confirmed") {
		t.Errorf("acknowledged without a replica: %v", err)
	}
	proc.Signal(syscall.SIGCONT)
	eventually(t, "the redelivery is a duplicate that both have", func() bool {
		return errors.Is(s.Accept(ctx, aCommand("two", 1)), pipeline.ErrDuplicate)
	})
}

// The primary loses what it did in its last second: the replica that takes
// over gives the event again, and the first holder's word counts nowhere.
func TestQ4FailoverLosesTheTail(t *testing.T) {
	primary, proc := startNode(t)
	replica, _ := replicaOf(t, primary)
	a := store(t, "redis://"+primary, Config{})
	ctx, key := context.Background(), pipeline.Key{Repo: 1, Issue: 1}
	if err := a.Accept(ctx, aCommand("one", 1)); err != nil {
		t.Fatal(err)
	}
	if err := client(t, replica).ReplicaOf(ctx, "NO", "ONE").Err(); err != nil { // the tail is cut here
		t.Fatal(err)
	}
	old, err := a.TakeTurn(ctx, key)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Commit(ctx, old.Lease, pipeline.Commit{Event: "one"}); err != nil {
		t.Fatal(err)
	}
	proc.Kill()
	b := store(t, "redis://"+replica, Config{})
	again, err := b.TakeTurn(ctx, key)
	if err != nil || again.Event.ID != "one" {
		t.Fatalf("the event is lost: %+v %v", again.Event, err)
	}
	if _, err := b.Commit(ctx, old.Lease, pipeline.Commit{Event: "one"}); !errors.Is(err, pipeline.ErrStale) {
		t.Errorf("the old holder's commit: %v, want stale: both counters say 1, the nonce tells them apart", err)
	}
	if _, err := b.Commit(ctx, again.Lease, pipeline.Commit{Event: "one"}); err != nil {
		t.Error(err)
	}
	if err := b.Accept(ctx, aCommand("one", 1)); !errors.Is(err, pipeline.ErrDuplicate) {
		t.Errorf("redelivery: %v, want a duplicate", err)
	}
}

// A connection that is encrypted, checked against an own authority, by a user
// who may do no more than the queue needs.
func TestTLSAndACLUser(t *testing.T) {
	dir := t.TempDir()
	ca := certificate(t, dir)
	port := freePort(t)
	startRedis(t, "--port", "0", "--tls-port", port, "--bind", "127.0.0.1", "--dir", dir, "--tls-auth-clients", "no",
		"--tls-cert-file", ca, "--tls-key-file", filepath.Join(dir, "key.pem"), "--tls-ca-cert-file", ca,
		"--appendonly", "yes", "--appendfsync", "always", "--save", "", "--maxmemory-policy", "noeviction",
		"--user", "parley", "on", ">s3cret/:", "~q:*", "&*", "+@all", "-@admin", "-@dangerous", "--user", "default", "off")
	ctx := context.Background()
	o, err := Options("rediss://parley:s3cret%2F%3A@127.0.0.1:" + port + "?ca_file=" + ca)
	if err != nil {
		t.Fatal(err)
	}
	var s *Store
	eventually(t, "the store opens", func() bool {
		s, err = Open(ctx, Config{Redis: o})
		return err == nil
	})
	t.Cleanup(func() { s.Close() })
	if err := s.Accept(ctx, aCommand("one", 1)); err != nil {
		t.Fatal(err)
	}
	turn, err := s.NextTurn(ctx) // by bell, claim and all
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Commit(ctx, turn.Lease, pipeline.Commit{Event: turn.Event.ID}); err != nil {
		t.Error(err)
	}
	if err := errors.Join(s.Tick(ctx), s.Ready(ctx)); err != nil {
		t.Error(err)
	}
	for name, address := range map[string]string{
		"wrong password":          "rediss://parley:guess@127.0.0.1:" + port + "?ca_file=" + ca,
		"unknown authority":       "rediss://parley:s3cret%2F%3A@127.0.0.1:" + port,
		"another name":            "rediss://parley:s3cret%2F%3A@localhost:" + port + "?ca_file=" + ca,
		"plain text to a TLS one": "redis://parley:s3cret%2F%3A@127.0.0.1:" + port,
	} {
		o, err := Options(address)
		if err != nil {
			t.Fatal(err)
		}
		if s, err := Open(ctx, Config{Redis: o}); err == nil {
			s.Close()
			t.Errorf("%s: opened", name)
		} else if strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: the error tells the password: %v", name, err)
		}
	}
}

func TestAuthorityRefusals(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{empty, empty + ".none"} {
		if _, err := Options("rediss://h?ca_file=" + path); err == nil || !strings.Contains(err.Error(), "ca_file") {
			t.Errorf("%s: %v, want the setting named", path, err)
		}
	}
}

// certificate makes one for 127.0.0.1 that signs itself, beside key.pem.
func certificate(t *testing.T, dir string) (path string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "parley test"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	cert, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, der []byte) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	write("key.pem", "EC PRIVATE KEY", raw)
	return write("cert.pem", "CERTIFICATE", cert)
}

// TestSentinel kills the primary under a Sentinel: intake is refused, then
// comes back on the other node with everything acknowledged. Part of make soak.
func TestSentinel(t *testing.T) {
	if os.Getenv("PARLEY_SOAK") == "" {
		t.Skip("part of make soak: PARLEY_SOAK=1")
	}
	primary, proc := startNode(t)
	replicaOf(t, primary)
	host, port, err := net.SplitHostPort(primary)
	if err != nil {
		t.Fatal(err)
	}
	watch := freePort(t)
	conf := filepath.Join(t.TempDir(), "sentinel.conf")
	text := "port " + watch + "\nbind 127.0.0.1\nsentinel monitor parley " + host + " " + port + " 1\n" +
		"sentinel down-after-milliseconds parley 500\nsentinel failover-timeout parley 3000\n"
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	startRedis(t, conf, "--sentinel")
	sentinel := client(t, "127.0.0.1:"+watch)
	ctx := context.Background()
	eventually(t, "the sentinel knows the replica", func() bool {
		info, err := sentinel.Info(ctx, "sentinel").Result()
		return err == nil && strings.Contains(info, "status=ok") && strings.Contains(info, "slaves=1")
	})
	s := store(t, "redis://127.0.0.1:"+watch+"?master_name=parley", Config{})
	if err := s.Accept(ctx, aCommand("before", 1)); err != nil {
		t.Fatal(err)
	}
	proc.Kill()
	if err := s.Accept(ctx, aCommand("during", 1)); err == nil {
		t.Error("acknowledged by nobody")
	}
	eventually(t, "intake is back", func() bool {
		s.Faults(ctx) // as serve does each minute: the new primary has no replica yet
		err := s.Accept(ctx, aCommand("after", 1))
		return err == nil || errors.Is(err, pipeline.ErrDuplicate)
	})
	turn, err := s.TakeTurn(ctx, pipeline.Key{Repo: 1, Issue: 1})
	if err != nil || turn.Event.ID != "before" {
		t.Errorf("first is %q (%v), want what was acknowledged before", turn.Event.ID, err)
	}
}
