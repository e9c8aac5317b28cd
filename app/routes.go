package app

import (
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/gin-gonic/gin"
)

// publicRoutes is all that faces the internet: the webhook and two probes.
func (a *App) publicRoutes() http.Handler {
	gin.SetMode(gin.ReleaseMode)
	r := gin.New()
	r.SetTrustedProxies(nil) // no decision rests on an address
	r.Use(a.recovered)
	r.POST(HookPath, a.hook.serve)
	r.GET("/healthz", a.health.live)
	r.GET("/readyz", a.health.ready)
	return r
}

// adminRoutes are for the operator's own network.
func (a *App) adminRoutes() http.Handler {
	r := gin.New()
	r.SetTrustedProxies(nil)
	r.Use(a.recovered)
	r.GET("/healthz", a.health.live)
	r.GET("/readyz", a.health.ready)
	r.GET("/metrics", gin.WrapH(a.metrics.handler()))
	r.GET("/debug/pprof/*name", gin.WrapF(profile))
	return r
}

func profile(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/debug/pprof/cmdline":
		pprof.Cmdline(w, r)
	case "/debug/pprof/profile":
		pprof.Profile(w, r)
	case "/debug/pprof/symbol":
		pprof.Symbol(w, r)
	case "/debug/pprof/trace":
		pprof.Trace(w, r)
	default:
		pprof.Index(w, r)
	}
}

// recovered answers a panic with 500 and logs it without the request: gin's
// own recovery dumps headers.
func (a *App) recovered(c *gin.Context) {
	defer func() {
		if p := recover(); p != nil {
			a.log.Error().Interface("panic", p).Str("path", c.FullPath()).Msg("request ended in a panic")
			c.AbortWithStatus(http.StatusInternalServerError)
		}
	}()
	c.Next()
}

// listener bounds every wait, so that a slow sender frees its slot.
func listener(h http.Handler) *http.Server {
	return &http.Server{Handler: h,
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 12 * time.Second,
		WriteTimeout: 60 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10}
}
