package app

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Config is the server's configuration. Every field names its YAML key, its
// environment variable, its default and what it is for; the reference in the
// README is made from these tags.
type Config struct {
	AppID         int64         `yaml:"app_id" env:"PARLEY_APP_ID" doc:"the GitHub App's id"`
	KeyFile       string        `yaml:"private_key_file" env:"PARLEY_PRIVATE_KEY_FILE" doc:"PEM file with the App's private key, readable by its owner only"`
	Secret        Secret        `yaml:"webhook_secret" env:"PARLEY_WEBHOOK_SECRET" doc:"webhook secret, 16 bytes or more"`
	SecretOld     Secret        `yaml:"webhook_secret_old" env:"PARLEY_WEBHOOK_SECRET_OLD" doc:"the former secret, accepted too while it is rotated"`
	RedisURL      Secret        `yaml:"redis_url" env:"PARLEY_REDIS_URL" doc:"redis://, rediss:// or unix:// address; several addresses behind commas are a Cluster, ?master_name= is Sentinel"`
	Data          string        `yaml:"data" env:"PARLEY_DATA" doc:"directory for a redis-server of our own, instead of redis_url"`
	GitHubURL     string        `yaml:"github_url" env:"PARLEY_GITHUB_URL" default:"https://api.github.com" doc:"API root; an Enterprise Server is https://HOST/api/v3"`
	Writes        string        `yaml:"github_writes" env:"PARLEY_GITHUB_WRITES" default:"auto" oneof:"auto graphql rest" doc:"how GitHub is written to"`
	Listen        string        `yaml:"listen" env:"PARLEY_LISTEN" default:":8080" doc:"address of the webhook listener"`
	AdminListen   string        `yaml:"admin_listen" env:"PARLEY_ADMIN_LISTEN" default:"127.0.0.1:9090" doc:"address of metrics and profiles; keep it private, empty is off"`
	Pull          time.Duration `yaml:"pull" env:"PARLEY_PULL" doc:"take deliveries from GitHub's log at this interval instead of a webhook"`
	CacheDir      string        `yaml:"cache_dir" env:"PARLEY_CACHE_DIR" doc:"directory for downloaded repository contents; default under the system's cache"`
	LogLevel      string        `yaml:"log_level" env:"PARLEY_LOG_LEVEL" default:"info" oneof:"debug info warn error" doc:"least severity that is logged"`
	Turns         int           `yaml:"turns" env:"PARLEY_TURNS" default:"8" min:"0" doc:"sessions advanced at once in this process; 0 takes deliveries in and leaves them to other replicas"`
	Jobs          int           `yaml:"jobs" env:"PARLEY_JOBS" default:"8" min:"0" doc:"tasks worked on at once in this process; 0 leaves them to other replicas"`
	JobsPerOrg    int           `yaml:"jobs_per_installation" env:"PARLEY_JOBS_PER_INSTALLATION" default:"4" min:"1" doc:"tasks of one installation worked on at once in this process"`
	Bot           string        `yaml:"bot" env:"PARLEY_BOT" doc:"login of the App's bot, such as parley[bot]; asked of GitHub when empty"`
	Labels        []string      `yaml:"labels" env:"PARLEY_LABELS" default:"lifecycle" doc:"labels that may start a session; a repository's own label must be one of them"`
	Prefixes      []string      `yaml:"branch_prefixes" env:"PARLEY_BRANCH_PREFIXES" default:"lifecycle/" doc:"what session branches may begin with; a repository's own prefix must be one of them"`
	Property      string        `yaml:"property" env:"PARLEY_PROPERTY" doc:"custom property that lets a repository in by the value on; empty lets every repository of an installation in"`
	Organisations []string      `yaml:"organisations" env:"PARLEY_ORGANISATIONS" doc:"accounts that may use this server; empty is all that install the App"`
	Sweep         time.Duration `yaml:"sweep" env:"PARLEY_SWEEP" default:"10m" doc:"how often missed deliveries and labels are looked for; 0 is never"`
	Grace         time.Duration `yaml:"grace" env:"PARLEY_GRACE" default:"30s" doc:"time to hand work back when stopping"`
	UnsafeRedis   bool          `yaml:"unsafe_redis" env:"PARLEY_UNSAFE_REDIS" doc:"start although Redis may lose or evict data"`
	Models        ModelConfig   `yaml:"models"`
}

// Secret is a string that does not print itself.
type Secret string

func (Secret) String() string { return "[secret]" }

// GoString keeps %#v from printing it.
func (Secret) GoString() string { return "[secret]" }

// MarshalText keeps encoders from printing it.
func (Secret) MarshalText() ([]byte, error) { return []byte("[secret]"), nil }

// Source is where configuration is read from.
type Source struct {
	File   string // YAML, optional
	Lookup func(string) (string, bool)
}

// LoadConfig reads environment over YAML file over defaults. Every error names
// the setting and what to do; all errors are returned together.
func LoadConfig(src Source) (Config, error) {
	var c Config
	if err := eachField(&c, applyDefault); err != nil {
		return c, err
	}
	if src.File == "" {
		src.File, _ = src.Lookup("PARLEY_CONFIG")
	}
	if src.File != "" {
		if err := readYAML(src.File, &c); err != nil {
			return c, err
		}
	}
	err := eachField(&c, func(f reflect.StructField, v reflect.Value) error {
		text, ok := src.Lookup(f.Tag.Get("env"))
		if !ok || f.Tag.Get("env") == "" || text == "" && f.Type.Kind() != reflect.String {
			return nil // an empty variable says nothing, unless empty is a word
		}
		return setField(f, v, text)
	})
	return c, errors.Join(err, eachField(&c, checkField))
}

func readYAML(path string, into *Config) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("PARLEY_CONFIG: %w; name a readable YAML file", err)
	}
	defer f.Close()
	dec := yaml.NewDecoder(f)
	dec.KnownFields(true)
	if err := dec.Decode(into); err != nil {
		return fmt.Errorf("PARLEY_CONFIG: %s: %s; the README lists all settings", path, explainYAML(err))
	}
	return nil
}

var (
	yamlType  = regexp.MustCompile(`field (\S+) not found in type \S+`)
	yamlValue = regexp.MustCompile(`cannot unmarshal (?:!!\w+ )?.*? into \S+`)
)

// explainYAML says it in the words of the file: the decoder names Go types,
// and quotes values, which may be secrets.
func explainYAML(err error) string {
	text := strings.NewReplacer("yaml: unmarshal errors: ", "", "yaml: ", "").Replace(oneLine(err))
	text = yamlType.ReplaceAllString(text, "there is no setting $1")
	return yamlValue.ReplaceAllString(text, "the value is of another kind than the setting")
}

// oneLine folds YAML's multi-line complaints, so that a fault is one line.
func oneLine(err error) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(err.Error(), "\n", " ")), " ")
}

func eachField(of any, do func(reflect.StructField, reflect.Value) error) error {
	v := reflect.ValueOf(of).Elem()
	var errs []error
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Type.Kind() == reflect.Struct {
			errs = append(errs, eachField(v.Field(i).Addr().Interface(), do))
			continue
		}
		errs = append(errs, do(f, v.Field(i)))
	}
	return errors.Join(errs...)
}

func applyDefault(f reflect.StructField, v reflect.Value) error {
	if text, ok := f.Tag.Lookup("default"); ok {
		return setField(f, v, text)
	}
	return nil
}

func setField(f reflect.StructField, v reflect.Value, text string) error {
	name := settingName(f)
	switch v.Interface().(type) {
	case time.Duration:
		d, err := time.ParseDuration(text)
		if err != nil {
			return fmt.Errorf("%s: %q is not a duration; write one such as 30s or 10m", name, text)
		}
		v.SetInt(int64(d))
		return nil
	case []string:
		v.Set(reflect.ValueOf(splitList(text)))
		return nil
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("%s: %q is not true or false", name, text)
		}
		v.SetBool(b)
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		if err != nil {
			return fmt.Errorf("%s: %q is not a number", name, text)
		}
		v.SetInt(n)
	case reflect.Float64:
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return fmt.Errorf("%s: %q is not a number", name, text)
		}
		v.SetFloat(x)
	default:
		panic("config field " + f.Name + " has a type the loader does not know")
	}
	return nil
}

func checkField(f reflect.StructField, v reflect.Value) error {
	if allowed, ok := f.Tag.Lookup("oneof"); ok {
		for _, a := range strings.Fields(allowed) {
			if v.String() == a {
				return nil
			}
		}
		return fmt.Errorf("%s: %q is none of %s", settingName(f), v.String(), strings.ReplaceAll(allowed, " ", ", "))
	}
	if least, ok := f.Tag.Lookup("min"); ok {
		n, err := strconv.ParseInt(least, 10, 64)
		if err == nil && v.Int() < n {
			return fmt.Errorf("%s: %d is less than %d", settingName(f), v.Int(), n)
		}
	}
	return nil
}

func settingName(f reflect.StructField) string {
	if env := f.Tag.Get("env"); env != "" {
		return env
	}
	return f.Tag.Get("yaml")
}

func splitList(text string) []string {
	var out []string
	for _, p := range strings.Split(text, ",") {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}
