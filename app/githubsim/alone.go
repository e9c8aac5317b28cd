package githubsim

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
)

var errAlone = errors.New("the tests reach nothing but this machine")

// Alone runs a package's tests with nothing to reach but this machine: no name
// is looked up, and the transport that every client is made from dials
// loopback and sockets only. Whatever tried to reach further fails the run.
func Alone(run func() int) int {
	var mu sync.Mutex
	var tried []string
	refuse := func(what string) error {
		mu.Lock()
		defer mu.Unlock()
		tried = append(tried, what)
		return fmt.Errorf("%s: %w", what, errAlone)
	}
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(_ context.Context, _, server string) (net.Conn, error) {
		return nil, refuse("look up a name at " + server)
	}}
	tr, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		panic("the default transport is not what it was")
	}
	dial := tr.DialContext
	tr.Proxy = nil // which would carry it on
	tr.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		if !here(address) {
			return nil, refuse("dial " + address)
		}
		return dial(ctx, network, address)
	}
	code := run()
	mu.Lock()
	defer mu.Unlock()
	slices.Sort(tried)
	for _, what := range slices.Compact(tried) {
		fmt.Fprintln(os.Stderr, "a test tried to", what)
		code = max(code, 1)
	}
	return code
}

func here(address string) bool {
	host, _, err := net.SplitHostPort(address)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}
