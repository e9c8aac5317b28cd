package app

import "time"

// ModelConfig is the models section of the configuration. Keys are read from
// the vendors' own variables; without any, everything runs on rules.
type ModelConfig struct {
	// Chains are the backends per perspective or role, first choice first; a
	// slot that is not named uses the built-in order.
	Chains      map[string][]string `yaml:"chains" doc:"backends per perspective or role, first choice first"`
	Names       map[string]string   `yaml:"names" doc:"model per backend"`
	Only        string              `yaml:"only" doc:"ask this one backend and no other"`
	CLIs        bool                `yaml:"clis" env:"PARLEY_MODEL_CLIS" doc:"use the vendors' command-line tools found on PATH as backends too"`
	CallTimeout time.Duration       `yaml:"call_timeout" env:"PARLEY_MODEL_CALL_TIMEOUT" default:"60s" doc:"longest wait for one answer"`
	Parallel    int                 `yaml:"parallel" env:"PARLEY_MODEL_PARALLEL" default:"8" min:"1" doc:"calls to one backend at once"`
	Session     float64             `yaml:"session_usd" env:"PARLEY_BUDGET_SESSION" default:"2" doc:"dollars one session may cost"`
	Repository  float64             `yaml:"repository_usd" env:"PARLEY_BUDGET_REPOSITORY" default:"20" doc:"dollars one repository may cost a day"`
	Account     float64             `yaml:"installation_usd" env:"PARLEY_BUDGET_INSTALLATION" default:"50" doc:"dollars one installation may cost a day"`
	Day         float64             `yaml:"day_usd" env:"PARLEY_BUDGET_DAY" default:"200" doc:"dollars this server may cost a day"`
	Cache       time.Duration       `yaml:"cache" env:"PARLEY_MODEL_CACHE" default:"168h" doc:"how long an answer is kept for an unchanged artifact"`
}
