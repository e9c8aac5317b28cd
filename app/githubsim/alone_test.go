package githubsim

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
)

func TestMain(m *testing.M) { os.Exit(Alone(m.Run)) }

// What reaches further is refused and fails the run; what stays here does not.
func TestAlone(t *testing.T) {
	resolver, dial := net.DefaultResolver, http.DefaultTransport.(*http.Transport).DialContext
	defer func() {
		net.DefaultResolver, http.DefaultTransport.(*http.Transport).DialContext = resolver, dial
	}()
	here := httptest.NewServer(http.NotFoundHandler())
	defer here.Close()
	for address, want := range map[string]int{here.URL: 0, "http://192.0.2.1": 1, "http://api.github.com": 1} {
		got := Alone(func() int {
			resp, err := http.Get(address)
			if err == nil {
				resp.Body.Close()
			}
			if refused := errors.Is(err, errAlone); refused != (want == 1) {
				t.Errorf("%s: %v", address, err)
			}
			return 0
		})
		if got != want {
			t.Errorf("%s: the run ends with %d, want %d", address, got, want)
		}
	}
}
