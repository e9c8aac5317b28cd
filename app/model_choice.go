package app

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/app/llm"
	"parley/pipeline"
)

// LocalModel is the model of a command in a terminal: off is none, auto is
// every backend whose key is set, anything else is that backend alone. A
// backend that is not configured is refused with what there is.
func LocalModel(which string, lookup func(string) (string, bool)) (pipeline.Model, error) {
	if which == "off" {
		return nil, nil
	}
	backends, secrets, err := llm.FromEnvironment(llm.Environment{Lookup: lookup, CLIs: which != "auto"})
	if err != nil {
		return nil, fmt.Errorf("set up the models: %w", err)
	}
	if which != "auto" && which != "" {
		one, ok := backends[which]
		if !ok {
			return nil, &pipeline.Refusal{Text: fmt.Sprintf("model %q is not configured: set its key, or use off or auto; there is %s",
				which, orNone(slices.Sorted(maps.Keys(backends))))}
		}
		backends = map[string]llm.Backend{which: one}
	}
	if len(backends) == 0 {
		return nil, nil
	}
	return llm.New(llm.Config{Backends: backends, Secrets: secrets}), nil
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
