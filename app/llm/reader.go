package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
)

var thinking = regexp.MustCompile(`(?is)<(think|thinking|reasoning)>.*?(</(think|thinking|reasoning)>|\z)`)

// stripThinking drops what local models say to themselves before they answer.
func stripThinking(text string) string {
	return strings.TrimSpace(thinking.ReplaceAllString(text, ""))
}

var wholeFence = regexp.MustCompile("(?s)^```[a-zA-Z]*\n(.*)\n```$")

// stripFence takes a document out of the one fence it was wrapped in.
func stripFence(text string) string {
	text = strings.TrimSpace(text)
	if m := wholeFence.FindStringSubmatch(text); m != nil && !strings.Contains(m[1], "\n```\n\n") {
		return m[1]
	}
	return text
}

// readObject finds the outermost JSON object in an answer: fences, prose before
// and after it are passed over. Duplicate keys are refused, an object that is
// cut off is never completed, and no field is made up. A wrong echo is refused;
// echoed says that the right one is there.
func readObject(text, echo string) (object string, echoed bool, err error) {
	start := strings.IndexByte(text, '{')
	if start < 0 {
		return "", false, errors.New("there is no JSON object in the answer")
	}
	dec := json.NewDecoder(strings.NewReader(text[start:]))
	dec.UseNumber()
	var raw json.RawMessage
	if err := dec.Decode(&raw); err != nil {
		return "", false, fmt.Errorf("the JSON does not parse: %w", err)
	}
	if err := noDuplicates(raw); err != nil {
		return "", false, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return "", false, errors.New("the answer is not a JSON object")
	}
	said, echoed := fields["boundary_echo"]
	if echoed {
		var got string
		if json.Unmarshal(said, &got) != nil || got != echo {
			return "", false, fmt.Errorf("boundary_echo must be %q", echo)
		}
		delete(fields, "boundary_echo")
	}
	out, err := json.Marshal(fields)
	return string(out), echoed, err
}

// maxDepth bounds what a hostile answer can make the reader walk.
const maxDepth = 64

func noDuplicates(raw []byte) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	type level struct {
		object  bool
		wantKey bool
		seen    map[string]bool
	}
	var stack []level
	valueDone := func() {
		if n := len(stack); n > 0 && stack[n-1].object {
			stack[n-1].wantKey = true
		}
	}
	for {
		tok, err := dec.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the JSON does not parse: %w", err)
		}
		switch v := tok.(type) {
		case json.Delim:
			switch v {
			case '{', '[':
				if len(stack) >= maxDepth {
					return fmt.Errorf("the JSON is nested deeper than %d", maxDepth)
				}
				stack = append(stack, level{object: v == '{', wantKey: v == '{', seen: map[string]bool{}})
			default:
				stack = stack[:len(stack)-1]
				valueDone()
			}
		case string:
			top := len(stack) - 1
			if top >= 0 && stack[top].object && stack[top].wantKey {
				if stack[top].seen[v] {
					return fmt.Errorf("the key %q stands twice", v)
				}
				stack[top].seen[v], stack[top].wantKey = true, false
				continue
			}
			valueDone()
		default:
			valueDone()
		}
	}
}
