package app

import (
	"fmt"

	"parley/app/llm"
	"parley/pipeline"
)

// LocalModel is the model of a command in a terminal: off is none, auto is
// every backend whose key is set, anything else is that backend alone. A
// backend that is not configured is refused with what it lacks.
func LocalModel(which string, lookup func(string) (string, bool)) (pipeline.Model, error) {
	if which == "off" {
		return nil, nil
	}
	env := llm.Environment{Lookup: lookup, CLIs: which != "auto"}
	backends, secrets, err := llm.FromEnvironment(env)
	if err != nil {
		return nil, fmt.Errorf("set up the models: %w", err)
	}
	if which != "auto" && which != "" {
		one, ok := backends[which]
		if !ok {
			return nil, &pipeline.Refusal{Text: "--models: " + llm.Missing(which, env) + ", or say off (rules alone) or auto (the backends whose keys are set)"}
		}
		backends = map[string]llm.Backend{which: one}
	}
	if len(backends) == 0 {
		return nil, nil
	}
	return llm.New(llm.Config{Backends: backends, Secrets: secrets}), nil
}
