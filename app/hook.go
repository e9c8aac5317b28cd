package app

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"regexp"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/palantir/go-githubapp/githubapp"
	"github.com/rs/zerolog"

	"parley/handlers"
	"parley/pipeline"
)

const (
	// maxBody is GitHub's own cap on a payload.
	maxBody = 25 << 20
	// maxReserved is what a promised length is trusted with; nearly all
	// payloads fit.
	maxReserved = 64 << 10
	// storeTime leaves room to answer within two seconds when Redis hangs.
	storeTime = 1800 * time.Millisecond
)

var (
	eventName    = regexp.MustCompile(`^[a-z_]{1,64}$`)
	deliveryName = regexp.MustCompile(`^[0-9A-Za-z-]{8,64}$`)
	signature    = regexp.MustCompile(`^sha256=[0-9a-f]{64}$`)
)

// hook is the webhook route: guards, then go-githubapp's dispatcher, whose
// default scheduler runs the handler in the request. A handler does one round
// trip to Redis, so 200 means stored.
type hook struct {
	live     func() *live
	draining atomic.Bool
	log      zerolog.Logger
	// quiet is what the dispatcher logs to: it has a line for every delivery.
	quiet   zerolog.Logger
	metrics *metrics
}

// refusal is an answer with its code; reason is what is counted.
type refusal struct {
	code   int
	reason string
	text   string
}

var (
	badMedia     = refusal{http.StatusUnsupportedMediaType, "media", "send application/json"}
	badEvent     = refusal{http.StatusBadRequest, "malformed", "X-GitHub-Event is missing or malformed"}
	badDelivery  = refusal{http.StatusBadRequest, "malformed", "X-GitHub-Delivery is missing or malformed"}
	badSignature = refusal{http.StatusUnauthorized, "bad_sig", "X-Hub-Signature-256 is missing or wrong"}
	badBody      = refusal{http.StatusBadRequest, "malformed", "the body was cut off"}
	tooSlow      = refusal{http.StatusRequestTimeout, "slow", "the body did not arrive in time"}
	tooLarge     = refusal{http.StatusRequestEntityTooLarge, "too_large", "the body is over 25 MiB"}
	stopping     = refusal{http.StatusServiceUnavailable, "draining", "stopping; send it again"}
)

func (h *hook) serve(c *gin.Context) {
	start := time.Now()
	r := c.Request
	if refused := h.guard(r); refused != nil {
		h.refuse(c.Writer, r, *refused)
		return
	}
	body, refused := readBody(c.Writer, r)
	if refused != nil {
		h.refuse(c.Writer, r, *refused)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	now := h.live()
	ctx, cancel := context.WithTimeout(h.quiet.WithContext(r.Context()), storeTime)
	defer cancel()
	h.dispatcher(now.events, pickSecret(now, body, r)).ServeHTTP(c.Writer, r.WithContext(ctx))
	h.metrics.ackSeconds.Observe(time.Since(start).Seconds())
}

// readBody takes the body in before the time for storing it begins, so that a
// slow sender is not taken for a slow Redis.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, *refusal) {
	in := http.MaxBytesReader(w, r.Body, maxBody)
	var body bytes.Buffer
	if r.ContentLength > 0 {
		body.Grow(int(min(r.ContentLength, maxReserved)) + bytes.MinRead)
	}
	_, err := body.ReadFrom(in)
	var large *http.MaxBytesError
	var slow net.Error
	switch {
	case err == nil:
		return body.Bytes(), nil
	case errors.As(err, &large):
		return nil, &tooLarge
	case errors.As(err, &slow) && slow.Timeout():
		return nil, &tooSlow
	}
	return nil, &badBody
}

func (h *hook) guard(r *http.Request) *refusal {
	if h.draining.Load() {
		return &stopping
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" || r.Header.Get("Content-Encoding") != "" {
		return &badMedia
	}
	if !eventName.MatchString(r.Header.Get("X-GitHub-Event")) {
		return &badEvent
	}
	if !deliveryName.MatchString(r.Header.Get("X-GitHub-Delivery")) {
		return &badDelivery
	}
	if !signature.MatchString(r.Header.Get("X-Hub-Signature-256")) {
		return &badSignature
	}
	if r.ContentLength > maxBody {
		return &tooLarge
	}
	return nil
}

// pickSecret is the current secret, unless a rotation is under way and the
// body was signed with the old one. The dispatcher verifies what is picked.
func pickSecret(now *live, body []byte, r *http.Request) Secret {
	if now.secretOld != "" && !signedWith(now.secret, body, r.Header.Get("X-Hub-Signature-256")) {
		return now.secretOld
	}
	return now.secret
}

func signedWith(secret Secret, body []byte, sent string) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return hmac.Equal([]byte("sha256="+hex.EncodeToString(mac.Sum(nil))), []byte(sent))
}

// dispatcher is cheap to make: a map of a dozen handlers. Making it per
// delivery is what lets secrets be reloaded.
func (h *hook) dispatcher(to []githubapp.EventHandler, secret Secret) http.Handler {
	if len(secret) < minSecret { // go-github accepts unsigned bodies when the secret is empty
		panic("webhook dispatcher without a secret")
	}
	return githubapp.NewEventDispatcher(to, string(secret),
		githubapp.WithErrorCallback(h.answerError),
		githubapp.WithResponseCallback(h.answer))
}

func (h *hook) answer(w http.ResponseWriter, r *http.Request, event string, handled bool) {
	result := "stored"
	code := http.StatusOK
	if !handled && event != "ping" {
		result, code = "ignored", http.StatusAccepted
	}
	h.metrics.delivery(event, result)
	w.WriteHeader(code)
}

func (h *hook) answerError(w http.ResponseWriter, r *http.Request, err error) {
	var invalid githubapp.ValidationError
	switch {
	case errors.Is(err, pipeline.ErrDuplicate):
		h.metrics.delivery(r.Header.Get("X-GitHub-Event"), "duplicate")
		w.WriteHeader(http.StatusOK)
	case errors.Is(err, handlers.ErrIgnored):
		h.metrics.delivery(r.Header.Get("X-GitHub-Event"), "ignored")
		w.WriteHeader(http.StatusAccepted)
	case errors.Is(err, handlers.ErrMalformed):
		h.refuse(w, r, refusal{http.StatusBadRequest, "malformed", "the payload is not what GitHub sends"})
	case errors.Is(err, handlers.ErrNoInstallation):
		h.log.Warn().Str("delivery", r.Header.Get("X-GitHub-Delivery")).Msg("a repository's own webhook points here; remove it and install the App, parley doctor shows where")
		h.refuse(w, r, refusal{http.StatusUnprocessableEntity, "no_installation", "no installation in the payload; this is a repository webhook, install the App instead"})
	case errors.As(err, &invalid): // go-github's own text can echo what was sent
		h.refuse(w, r, badSignature)
	default:
		h.log.Error().Err(err).Str("delivery", r.Header.Get("X-GitHub-Delivery")).Msg("delivery not stored")
		h.refuse(w, r, refusal{http.StatusServiceUnavailable, "not_stored", "not stored; send it again"})
	}
}

func (h *hook) refuse(w http.ResponseWriter, r *http.Request, why refusal) {
	h.metrics.delivery(r.Header.Get("X-GitHub-Event"), why.reason)
	if why.code == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "5")
	}
	http.Error(w, why.text, why.code)
}
