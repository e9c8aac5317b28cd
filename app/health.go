package app

import (
	"context"
	"net/http"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
)

// health collects what keeps the process from being ready, by name.
type health struct {
	mu     sync.Mutex
	faults map[string]string
	// probe asks Redis, fresh for every /readyz.
	probe func(context.Context) error
}

func newHealth(probe func(context.Context) error) *health {
	return &health{faults: map[string]string{}, probe: probe}
}

// set records a fault; an empty text clears it.
func (h *health) set(name, text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if text == "" {
		delete(h.faults, name)
		return
	}
	h.faults[name] = text
}

func (h *health) list() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := make([]string, 0, len(h.faults))
	for name, text := range h.faults {
		out = append(out, name+": "+text)
	}
	sort.Strings(out)
	return out
}

// live answers as long as the process serves at all.
func (h *health) live(c *gin.Context) { c.String(http.StatusOK, "ok\n") }

// ready says why not, one line per fault.
func (h *health) ready(c *gin.Context) {
	ctx, cancel := context.WithTimeout(c.Request.Context(), 2*time.Second)
	defer cancel()
	faults := h.list()
	if err := h.probe(ctx); err != nil {
		faults = append(faults, "redis: "+oneLine(err))
	}
	if len(faults) > 0 {
		c.String(http.StatusServiceUnavailable, strings.Join(faults, "\n")+"\n")
		return
	}
	c.String(http.StatusOK, "ready\n")
}
