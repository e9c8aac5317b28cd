package spec

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Front is a document's frontmatter. Nested keys are joined by a dot.
type Front struct {
	Fields []Field
	End    int    // line of the closing fence; 0 when there is no frontmatter
	Err    string // why it could not be read
}

// Field is one frontmatter entry.
type Field struct {
	Name   string
	Line   int
	Values []string
	List   bool
}

// Has tells whether the key is there.
func (f Front) Has(name string) bool { return f.field(name) != nil }

// Get is the key's only or first value.
func (f Front) Get(name string) string {
	if e := f.field(name); e != nil && len(e.Values) > 0 {
		return e.Values[0]
	}
	return ""
}

// List is the key's values.
func (f Front) List(name string) []string {
	if e := f.field(name); e != nil {
		return e.Values
	}
	return nil
}

// Line is where the key stands, 1 where it does not.
func (f Front) Line(name string) int {
	if e := f.field(name); e != nil {
		return e.Line
	}
	return 1
}

func (f Front) field(name string) *Field {
	for i := range f.Fields {
		if f.Fields[i].Name == name {
			return &f.Fields[i]
		}
	}
	return nil
}

const (
	frontLimit  = 64 << 10
	frontDepth  = 4
	frontFields = 400
)

// readFront takes the frontmatter off the lines; the second result is the
// number of lines it occupies.
func readFront(lines []string) (f Front, n int) {
	if len(lines) < 2 || strings.TrimRight(lines[0], " \t") != "---" {
		return Front{}, 0
	}
	size := 0
	for i := 1; i < len(lines) && size < frontLimit; i++ {
		if t := strings.TrimRight(lines[i], " \t"); t == "---" || t == "..." {
			f = parseFront(strings.Join(lines[1:i], "\n"))
			f.End = i + 1
			return f, i + 1
		}
		size += len(lines[i]) + 1
	}
	return Front{}, 0
}

func parseFront(text string) (f Front) {
	// The YAML library reports malformed input by error, but it has panicked on
	// odd bytes before, and these bytes come from anybody.
	defer func() {
		if r := recover(); r != nil {
			f = Front{Err: fmt.Sprint("frontmatter is not YAML: ", r)}
		}
	}()
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(text), &root); err != nil {
		return Front{Err: err.Error()}
	}
	if len(root.Content) == 0 {
		return Front{}
	}
	if root.Content[0].Kind != yaml.MappingNode {
		return Front{Err: "frontmatter is not a mapping"}
	}
	f.flatten("", root.Content[0], 0)
	return f
}

func (f *Front) flatten(prefix string, m *yaml.Node, depth int) {
	for i := 0; i+1 < len(m.Content) && len(f.Fields) < frontFields; i += 2 {
		key, value := m.Content[i], m.Content[i+1]
		name := prefix + key.Value
		field := Field{Name: name, Line: key.Line + 1} // the fence is line 1
		switch value.Kind {
		case yaml.ScalarNode:
			if value.Tag != "!!null" {
				field.Values = []string{value.Value}
			}
		case yaml.SequenceNode:
			field.List = true
			for _, v := range value.Content {
				if v.Kind == yaml.ScalarNode && len(field.Values) < frontFields {
					field.Values = append(field.Values, v.Value)
				}
			}
		case yaml.MappingNode:
			if depth < frontDepth {
				f.Fields = append(f.Fields, field)
				f.flatten(name+".", value, depth+1)
				continue
			}
		}
		f.Fields = append(f.Fields, field)
	}
}

// head reads the keys every phase document carries.
func (f Front) head() Head {
	number := func(name string) int {
		n, err := strconv.Atoi(f.Get(name))
		if err != nil {
			return 0
		}
		return n
	}
	return Head{
		SessionID: f.Get("session_id"), Phase: number("phase"), DocumentType: f.Get("document_type"),
		Status: f.Get("status"), GeneratedAt: f.Get("generated_at"), Steps: f.List("stepsCompleted"),
		Version: number("version"), Language: f.Get("language"), Dependencies: f.List("dependencies"), Retired: f.List("retired"),
	}
}
