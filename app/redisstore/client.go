package redisstore

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// Options reads an address: redis://, rediss:// (TLS) or unix://, with user
// and password for an ACL user. Several hosts behind commas are a Cluster;
// with ?master_name= they are Sentinels, whose own user and password are
// ?sentinel_user= and ?sentinel_password=. With rediss://, ?ca_file= names the
// authority that signed Redis's certificate, when the system does not know it.
func Options(address string) (*redis.UniversalOptions, error) {
	scheme, rest, _ := strings.Cut(address, "://")
	if scheme == "unix" {
		return unixOptions(address)
	}
	if scheme != "redis" && scheme != "rediss" {
		return nil, errors.New("the address must begin with redis://, rediss:// or unix://")
	}
	rest, query, _ := strings.Cut(rest, "?")
	rest, db, _ := strings.Cut(rest, "/")
	user, hosts, found := cutLast(rest, "@")
	if !found {
		user, hosts = "", rest
	}
	q, err := url.ParseQuery(query)
	if err != nil {
		return nil, errors.New("the address has a query that cannot be read")
	}
	o := tuned(&redis.UniversalOptions{
		MasterName: q.Get("master_name"), SentinelUsername: q.Get("sentinel_user"), SentinelPassword: q.Get("sentinel_password"),
	})
	for _, host := range strings.Split(hosts, ",") {
		if _, _, err := net.SplitHostPort(host); err != nil {
			host = net.JoinHostPort(strings.Trim(host, "[]"), "6379")
		}
		o.Addrs = append(o.Addrs, host)
	}
	if err := credentials(o, user); err != nil {
		return nil, err
	}
	if scheme == "rediss" {
		name, _, _ := net.SplitHostPort(o.Addrs[0])
		o.TLSConfig = &tls.Config{ServerName: name, MinVersion: tls.VersionTLS12}
		if len(o.Addrs) > 1 {
			o.TLSConfig.ServerName = "" // each node has its own
		}
		if o.TLSConfig.RootCAs, err = authority(q.Get("ca_file")); err != nil {
			return nil, err
		}
	}
	o.IsClusterMode = q.Get("cluster") == "true"
	if db != "" {
		if o.DB, err = strconv.Atoi(db); err != nil {
			return nil, fmt.Errorf("the database %q in the address is not a number", db)
		}
	}
	return o, nil
}

// authority reads a certificate file; without one the system's are used.
func authority(path string) (*x509.CertPool, error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("ca_file: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("ca_file: %s holds no certificate in PEM form", path)
	}
	return pool, nil
}

func unixOptions(address string) (*redis.UniversalOptions, error) {
	one, err := redis.ParseURL(address)
	if err != nil {
		return nil, errors.New("the unix:// address cannot be read")
	}
	return tuned(&redis.UniversalOptions{Addrs: []string{one.Addr}, Username: one.Username, Password: one.Password, DB: one.DB}), nil
}

func credentials(o *redis.UniversalOptions, user string) (err error) {
	name, password, _ := strings.Cut(user, ":")
	if o.Username, err = url.PathUnescape(name); err != nil {
		return errors.New("the user in the address is not escaped")
	}
	if o.Password, err = url.PathUnescape(password); err != nil {
		return errors.New("the password in the address is not escaped")
	}
	return nil
}

// tuned sets what intake depends on. Without ContextTimeoutEnabled a context's
// end is not seen while a reply is awaited; and repeating is decided per
// script, never by the client.
func tuned(o *redis.UniversalOptions) *redis.UniversalOptions {
	o.ContextTimeoutEnabled = true
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout = time.Second, time.Second, time.Second
	o.MaxRetries = -1
	o.PoolSize = 64
	o.DialerRetries = 1
	return o
}

// quiet keeps go-redis from writing to standard error: what fails is an error
// here, and is reported once, where it stops.
type quiet struct{}

func (quiet) Printf(context.Context, string, ...any) {}

func init() { redis.SetLogger(quiet{}) }

// broken tells a lost connection from an answer.
func broken(err error) bool {
	var n net.Error
	return errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) || errors.As(err, &n)
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return "", s, false
	}
	return s[:i], s[i+len(sep):], true
}
