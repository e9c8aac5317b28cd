package conform

import (
	"encoding/json"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// unknownFields lists fields of a request, however deep, that the description
// does not know. GitHub's schemas allow them; a typing mistake of ours they
// would hide.
func unknownFields(op *openapi3.Operation, body []byte) []string {
	var sent any
	if json.Unmarshal(body, &sent) != nil || op.RequestBody == nil {
		return nil
	}
	media := op.RequestBody.Value.Content.Get("application/json")
	if media == nil || media.Schema == nil {
		return nil
	}
	out := unknown(sent, []*openapi3.Schema{media.Schema.Value}, "")
	slices.Sort(out)
	return slices.Compact(out)
}

// unknown walks a value beside every schema that may describe it.
func unknown(value any, by []*openapi3.Schema, at string) (out []string) {
	by = alternatives(by)
	switch v := value.(type) {
	case map[string]any:
		if open(by) {
			return nil
		}
		for name, inner := range v {
			var next []*openapi3.Schema
			for _, s := range by {
				if p := s.Properties[name]; p != nil {
					next = append(next, p.Value)
				}
			}
			if len(next) == 0 {
				out = append(out, at+name)
				continue
			}
			out = append(out, unknown(inner, next, at+name+".")...)
		}
	case []any:
		var items []*openapi3.Schema
		for _, s := range by {
			if s.Items != nil {
				items = append(items, s.Items.Value)
			}
		}
		for _, inner := range v {
			out = append(out, unknown(inner, items, at)...)
		}
	}
	return out
}

// alternatives are the schemas and all that they are made of.
func alternatives(by []*openapi3.Schema) (out []*openapi3.Schema) {
	for _, s := range by {
		out = append(out, s)
		for _, group := range []openapi3.SchemaRefs{s.OneOf, s.AnyOf, s.AllOf} {
			for _, one := range group {
				out = append(out, alternatives([]*openapi3.Schema{one.Value})...)
			}
		}
	}
	return out
}

// open tells whether the schemas name no field at all, or describe fields of
// any name: then there is nothing to be strict about.
func open(by []*openapi3.Schema) bool {
	named := 0
	for _, s := range by {
		named += len(s.Properties)
		if s.AdditionalProperties.Schema != nil {
			return true
		}
	}
	return named == 0
}
