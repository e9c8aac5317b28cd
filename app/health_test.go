package app

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/google/go-cmp/cmp"
)

// /readyz says why not, a line for each reason, and forgets what is mended.
func TestReadySaysWhyNot(t *testing.T) {
	var down error
	h := newHealth(func(context.Context) error { return down })
	r := gin.New()
	r.GET("/readyz", h.ready)
	ask := func() (string, int) {
		w := httptest.NewRecorder()
		r.ServeHTTP(w, httptest.NewRequest("GET", "/readyz", nil))
		return w.Body.String(), w.Code
	}
	for _, step := range []struct {
		do   func()
		says string
		code int
	}{
		{func() {}, "ready\n", http.StatusOK},
		{func() { h.set("stopping", "the process is stopping") }, "stopping: the process is stopping\n", http.StatusServiceUnavailable},
		{func() { down = errors.New("no\nanswer") }, "stopping: the process is stopping\nredis: no answer\n", http.StatusServiceUnavailable},
		{func() { h.set("stopping", ""); down = nil }, "ready\n", http.StatusOK},
	} {
		step.do()
		says, code := ask()
		if diff := cmp.Diff(step.says, says); diff != "" || code != step.code {
			t.Errorf("%d, want %d: %s", code, step.code, diff)
		}
	}
}
