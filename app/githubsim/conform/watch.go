package conform

import (
	"os"
	"sync"
	"testing"

	"parley/app/githubsim"
)

// peersVariable is set by `make test-peers` to the directory of the peers.
const peersVariable = "PARLEY_TEST_PEERS"

var whole = sync.OnceValues(func() (*Recorder, error) { return Open(os.Getenv(peersVariable)) })

// Watch is a recorder for one test's world, which fails the test for every
// exchange that GitHub would not have had. Outside `make test-peers` it is nil,
// and nothing is recorded.
func Watch(t testing.TB) githubsim.Recorder {
	t.Helper()
	if os.Getenv(peersVariable) == "" {
		return nil
	}
	all, err := whole()
	if err != nil {
		t.Fatal(err)
	}
	r := &Recorder{router: all.router, schema: all.schema, problems: map[string]int{}, seen: map[string]int{}}
	t.Cleanup(func() {
		for _, p := range r.Problems() {
			t.Error(p)
		}
	})
	return r
}

// Need skips a test that is nothing without the peers, loudly, and says where
// they are.
func Need(t testing.TB) (peers string) {
	t.Helper()
	if peers = os.Getenv(peersVariable); peers == "" {
		t.Skip("NOT CHECKED AGAINST WHAT GITHUB PUBLISHES: run make test-peers")
	}
	return peers
}
