package app_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"sync"
)

// sent keeps every text the App sent to GitHub for people to read, those that
// were written over since among them. Files' contents are not such texts.
type sent struct {
	mu   sync.Mutex
	list []string
}

// contents are the keys under which requests carry files.
var contents = map[string]bool{"content": true, "contents": true}

// watch reads each request that writes before it is served.
func (s *sent) watch(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		if req.Method != http.MethodGet {
			raw, err := io.ReadAll(req.Body)
			if err != nil {
				http.Error(rw, err.Error(), http.StatusBadRequest)
				return
			}
			req.Body = io.NopCloser(bytes.NewReader(raw))
			var call struct{ Variables any }
			if json.Unmarshal(raw, &call) != nil || call.Variables == nil {
				_ = json.Unmarshal(raw, &call.Variables) // REST sends its fields bare, or nothing
			}
			s.mu.Lock()
			s.take(call.Variables)
			s.mu.Unlock()
		}
		next.ServeHTTP(rw, req)
	})
}

func (s *sent) take(value any) {
	switch v := value.(type) {
	case string:
		s.list = append(s.list, v)
	case []any:
		for _, item := range v {
			s.take(item)
		}
	case map[string]any:
		for key, item := range v {
			if !contents[key] {
				s.take(item)
			}
		}
	}
}

func (s *sent) texts() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.list...)
}
