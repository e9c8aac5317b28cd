package githubsim

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
)

// complete turns a resolved value into JSON by its type; false passes a null
// that may not be up to the parent.
func (x *execution) complete(t *ast.Type, value any, set ast.SelectionSet, path []any) (any, bool) {
	if isNil(value) {
		return nil, !t.NonNull
	}
	if t.Elem != nil {
		list, ok := x.list(t.Elem, value, set, path)
		return list, ok || !t.NonNull
	}
	def := schema().Types[t.NamedType]
	if def.IsLeafType() {
		return leaf(value), true
	}
	if def.IsAbstractType() {
		def = schema().Types[typeName(value)]
	}
	done, ok := x.object(def, value, set, path)
	if !ok {
		return nil, !t.NonNull
	}
	return done, true
}

func (x *execution) list(elem *ast.Type, value any, set ast.SelectionSet, path []any) (any, bool) {
	rows := reflect.ValueOf(value)
	out := make([]any, rows.Len())
	for n := range rows.Len() {
		at := append(append([]any{}, path...), n)
		done, ok := x.complete(elem, rows.Index(n).Interface(), set, at)
		if !ok {
			return nil, false
		}
		out[n] = done
	}
	return out, true
}

func isNil(value any) bool {
	if value == nil {
		return true
	}
	v := reflect.ValueOf(value)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

func leaf(value any) any {
	if at, ok := value.(time.Time); ok {
		return when(at)
	}
	return value
}

// typeName is the GraphQL type of a value of the state.
func typeName(value any) string {
	switch v := value.(type) {
	case *Account:
		return v.Type
	case object:
		return v["__typename"].(string)
	}
	return typeNames()[reflect.TypeOf(value)]
}

// connection cuts a list by first, last, after and before.
func connection[T any](list []T, a args) (any, error) {
	from, to := 0, len(list)
	if n, ok := cursorAt(a["after"]); ok {
		from = min(n+1, len(list))
	}
	if n, ok := cursorAt(a["before"]); ok {
		to = max(from, min(n, len(list)))
	}
	first, hasFirst := intArg(a["first"])
	last, hasLast := intArg(a["last"])
	if !hasFirst && !hasLast {
		return nil, &typedError{"MISSING_PAGINATION_BOUNDARIES", "You must provide a `first` or `last` value to properly paginate the connection."}
	}
	if first > 100 || last > 100 {
		return nil, &typedError{"EXCESSIVE_PAGINATION", "Requesting more than 100 records on the connection exceeds the limit."}
	}
	if hasFirst {
		to = min(to, from+first)
	}
	if hasLast {
		from = max(from, to-last)
	}
	nodes, edges := []any{}, []object{}
	for n := from; n < to; n++ {
		nodes = append(nodes, list[n])
		edges = append(edges, object{"node": list[n], "cursor": cursor(n)})
	}
	info := object{"hasNextPage": to < len(list), "hasPreviousPage": from > 0, "startCursor": nil, "endCursor": nil}
	if from < to {
		info["startCursor"], info["endCursor"] = cursor(from), cursor(to-1)
	}
	return object{"nodes": nodes, "edges": edges, "pageInfo": info, "totalCount": len(list)}, nil
}

func cursor(n int) string {
	return base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "cursor:v2:%d", n))
}

func cursorAt(v any) (int, bool) {
	s, _ := v.(string)
	raw, err := base64.StdEncoding.DecodeString(s)
	if err != nil || s == "" {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimPrefix(string(raw), "cursor:v2:"))
	return n, err == nil
}

func intArg(v any) (int, bool) {
	if v == nil {
		return 0, false
	}
	n, err := strconv.Atoi(fmt.Sprint(v))
	return n, err == nil
}

func (a args) text(name string) string {
	s, _ := a[name].(string)
	return s
}

// texts reads a list of names; a single one counts as a list.
func (a args) texts(name string) []string {
	switch v := a[name].(type) {
	case []any:
		out := []string{}
		for _, s := range v {
			out = append(out, fmt.Sprint(s))
		}
		return out
	case string:
		return []string{v}
	}
	return nil
}
