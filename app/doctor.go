package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"parley/app/githubapi"
	"parley/app/llm"
	"parley/app/redisstore"
	"parley/pipeline"
)

// Symptom is one thing the doctor looked at. An empty Remedy is good news.
type Symptom struct {
	What   string `json:"what"`
	Says   string `json:"says"`
	Remedy string `json:"remedy,omitempty"`
	// Note is worth knowing and no fault.
	Note bool `json:"note,omitempty"`
}

// Doctor examines an installation. It changes nothing.
type Doctor struct {
	Config Config
	Lookup func(string) (string, bool)
	HTTP   http.RoundTripper
	Now    func() time.Time
	// Models asks each backend one tiny question, which costs money.
	Models bool

	found []Symptom
}

func (d *Doctor) good(what, format string, args ...any) {
	d.found = append(d.found, Symptom{What: what, Says: fmt.Sprintf(format, args...)})
}

func (d *Doctor) bad(what, remedy, format string, args ...any) {
	d.found = append(d.found, Symptom{What: what, Says: fmt.Sprintf(format, args...), Remedy: remedy})
}

// Examine looks at everything and names the remedy for every fault.
func (d *Doctor) Examine(ctx context.Context) []Symptom {
	if d.Now == nil {
		d.Now = time.Now
	}
	d.settings()
	d.redis(ctx)
	if client := d.github(ctx); client != nil {
		d.hook(ctx, client)
		d.installations(ctx, client)
	}
	d.models(ctx)
	return d.found
}

func (d *Doctor) settings() {
	err := d.Config.CheckServe()
	if err == nil {
		d.good("settings", "complete")
		return
	}
	for _, line := range strings.Split(err.Error(), "\n") {
		name, says, _ := strings.Cut(line, ": ")
		fault, remedy := says, says
		if i := strings.LastIndex(says, "; "); i >= 0 {
			fault, remedy = says[:i], says[i+len("; "):]
		}
		d.bad(name, remedy, "%s", fault)
	}
}

func (d *Doctor) redis(ctx context.Context) {
	address := string(d.Config.RedisURL)
	if d.Config.Data != "" {
		address = redisstore.SocketURL(d.Config.Data)
	}
	if address == "" {
		return // the settings said so
	}
	options, err := redisstore.Options(address)
	if err != nil {
		d.bad("redis", "write it as redis://host:6379/0", "PARLEY_REDIS_URL: %v", err)
		return
	}
	store, err := redisstore.Open(ctx, redisstore.Config{Redis: options, Unsafe: true})
	if err != nil {
		d.bad("redis", d.redisRemedy(err), "%v", err)
		return
	}
	defer store.Close()
	faults, err := store.Faults(ctx)
	if err != nil {
		d.bad("redis", "let the user run INFO, or look at its log", "%v", err)
		return
	}
	for _, f := range faults {
		d.bad("redis "+f.Setting, f.Remedy, "%s is %s", f.Setting, f.Is)
	}
	if err := store.Ready(ctx); err != nil {
		d.bad("redis", d.redisRemedy(err), "it takes no writes: %v", err)
	} else if len(faults) == 0 {
		d.good("redis", "answers, keeps what it acknowledges, evicts nothing")
	}
}

// redisAnswers are what Redis says by the word its answer begins with.
var redisAnswers = []struct{ word, remedy string }{
	{"OOM", "it is full: raise its maxmemory, or give it a machine of its own"},
	{"NOAUTH", "put the password into PARLEY_REDIS_URL: redis://:PASSWORD@HOST:6379/0"},
	{"WRONGPASS", "correct the user and the password in PARLEY_REDIS_URL"},
	{"NOPERM", "give the user all commands on the keys q:*"},
	{"READONLY", "name the primary in PARLEY_REDIS_URL, or Sentinel; this one is a replica"},
}

func (d *Doctor) redisRemedy(err error) string {
	for _, a := range redisAnswers {
		if strings.Contains(err.Error(), a.word) {
			return a.remedy
		}
	}
	if d.Config.Data != "" {
		return "start parley serve --data; its redis-server runs only beside it"
	}
	return "start it, or correct PARLEY_REDIS_URL"
}

func (d *Doctor) github(ctx context.Context) *githubapi.Client {
	if _, err := d.Config.Key(); err != nil || d.Config.AppID <= 0 {
		return nil // the settings said so
	}
	key, err := d.Config.readKey()
	if err != nil {
		return nil
	}
	client, err := githubapi.New(githubapi.Config{BaseURL: d.Config.GitHubURL, AppID: d.Config.AppID, Keys: [][]byte{key}, HTTP: d.HTTP,
		ParseSettings: ParseSettings, Now: d.Now, CacheDir: d.Config.CacheDir})
	if err != nil {
		d.bad("github", "correct PARLEY_GITHUB_URL", "%v", err)
		return nil
	}
	about, err := client.App(ctx)
	var answered *githubapi.Error
	switch {
	case about.Skew.Abs() > 30*time.Second:
		d.bad("clock", "set the clock by NTP; GitHub refuses App tokens from the future or the past", "this machine's clock is %s off", about.Skew.Round(time.Second))
		return nil
	case errors.As(err, &answered) && answered.Status > 0:
		d.bad("app", "the key must belong to the App with this id; download a new one from the App's settings", "GitHub does not know App %d by this key: %v", d.Config.AppID, err)
		return nil
	case err != nil:
		d.bad("github", "check PARLEY_GITHUB_URL, the proxy and the firewall", "%s does not answer: %v", d.Config.GitHubURL, err)
		return nil
	}
	d.good("clock", "within %s of GitHub's", about.Skew.Abs().Round(time.Second))
	d.app(about)
	return client
}

func (d *Doctor) app(about githubapi.App) {
	d.good("app", "%s", about.Slug)
	for _, g := range Grants {
		if !enough(about.Permissions[g.Name], g.Level) {
			d.bad("permission "+g.Name, fmt.Sprintf("set %s to %s in the App's settings; each account must accept it", g.Name, g.Level),
				"the App has %q and needs %q: %s; without it %s", about.Permissions[g.Name], g.Level, g.For, g.Without)
		}
	}
	for _, e := range Events {
		if !slices.Contains(about.Events, e) {
			d.bad("event "+e, "subscribe to it in the App's settings", "the App is not subscribed to %s", e)
		}
	}
}

var permissionOrder = []string{"", "read", "write", "admin"}

func enough(has, needs string) bool {
	return slices.Index(permissionOrder, has) >= slices.Index(permissionOrder, needs)
}

// hook compares the webhook's setting with ours and looks at how it fared.
func (d *Doctor) hook(ctx context.Context, client *githubapi.Client) {
	if d.Config.Pull > 0 {
		d.good("webhook", "not needed: deliveries are pulled every %s", d.Config.Pull)
		return
	}
	h, err := client.Hook(ctx)
	if err != nil {
		d.bad("webhook", "give the App a webhook in its settings, or run parley serve --pull 10s", "GitHub says: %v", err)
		return
	}
	if h.URL == "" || !strings.HasSuffix(h.URL, HookPath) {
		d.bad("webhook address", "set it to https://YOUR-HOST"+HookPath+" in the App's settings", "it is %q", h.URL)
	}
	if h.ContentType != "json" {
		d.bad("webhook content type", "set it to application/json in the App's settings", "it is %q", h.ContentType)
	}
	notes, _, err := client.Deliveries(ctx, "")
	if err != nil || len(notes) == 0 {
		d.found = append(d.found, Symptom{What: "webhook deliveries", Says: "none yet", Note: true})
		return
	}
	d.deliveries(notes)
}

// recentDeliveries are what the last word on the webhook rests on: what was
// mended since must not be complained of for a hundred deliveries more.
const recentDeliveries = 10

func (d *Doctor) deliveries(notes []githubapi.DeliveryNote) {
	recent := notes[:min(len(notes), recentDeliveries)]
	var failed []string
	for _, n := range recent {
		if n.Status != "OK" {
			failed = append(failed, fmt.Sprintf("%d %s", n.StatusCode, n.Status))
		}
	}
	newest := recent[0]
	switch {
	case newest.StatusCode == http.StatusUnauthorized:
		d.bad("webhook secret", "make the App's webhook secret and PARLEY_WEBHOOK_SECRET the same", "the newest delivery was refused for its signature, as were %d of the last %d", len(failed), len(recent))
	case newest.Status != "OK" || len(failed)*2 > len(recent):
		d.bad("webhook reachability", "let GitHub reach the server from outside, or run parley serve --pull 10s", "%d of the last %d deliveries failed: %s", len(failed), len(recent), failed[0])
	default:
		d.good("webhook", "%d of the last %d deliveries arrived", len(recent)-len(failed), len(recent))
	}
}

// installations looks for accounts that have not accepted a new permission and
// for workflows that would run on every commit of a session.
func (d *Doctor) installations(ctx context.Context, client *githubapi.Client) {
	all, err := client.Installations(ctx)
	if err != nil {
		d.bad("installations", "read what GitHub says; githubstatus.com tells whether it is its own fault", "%v", err)
		return
	}
	if len(all) == 0 {
		d.bad("installations", "install the App on an account: its public page has the button", "the App is installed nowhere")
	}
	for _, in := range all {
		if in.Suspended != nil {
			d.bad("installation "+in.Account.Login, "an owner of the account can unsuspend it", "it is suspended")
			continue
		}
		var short []string
		for _, g := range Grants {
			if !enough(in.Permissions[g.Name], g.Level) {
				short = append(short, g.Name+": "+g.Level)
			}
		}
		if len(short) > 0 {
			d.bad("installation "+in.Account.Login, "an owner must accept the new permissions in the account's settings", "it has not granted %s", strings.Join(short, ", "))
			continue // GitHub gives no token for less
		}
		d.workflows(ctx, client, in)
	}
}

func (d *Doctor) models(ctx context.Context) {
	backends, _, err := llm.FromEnvironment(llm.Environment{Lookup: d.Lookup, Models: d.Config.Models.Names, CLIs: d.Config.Models.CLIs})
	if err != nil {
		d.bad("models", "correct the key or address", "%v", err)
		return
	}
	if len(backends) == 0 {
		d.found = append(d.found, Symptom{What: "models", Says: "none configured: everything runs on rules", Note: true})
		return
	}
	for name := range backends {
		if !d.Models {
			d.good("model "+name, "configured; --models asks it one question")
			continue
		}
		only := llm.New(llm.Config{Backends: map[string]llm.Backend{name: backends[name]}, Chains: map[string][]string{"doctor": {name}}, CallTimeout: 30 * time.Second})
		reply, err := only.Ask(ctx, pipeline.Prompt{Slot: "doctor", Version: "1", System: "Answer in one word.", Task: "Say pong.", MaxTokens: 200})
		if errors.Is(err, pipeline.ErrNoModel) {
			last := reply.Trail[len(reply.Trail)-1]
			d.bad("model "+name, cmp.Or(modelRemedies[last.Class], "choose another model in models.names"), "%s: %s", last.Class, last.Detail)
			continue
		}
		d.good("model "+name, "answers in %d ms", reply.TookMS)
	}
}

var modelRemedies = map[string]string{
	"auth": "the key is wrong or revoked; set a new one", "429": "the account's quota is used up; raise it or wait",
	"timeout": "it does not answer; check the address, the proxy and the firewall", "5xx": "the vendor's service is down, or the address is wrong",
	"refused": "the model's name is not known to this account; set models.names", "empty": "the model gives no text; choose another",
}
