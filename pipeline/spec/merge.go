package spec

import (
	"fmt"
	"slices"
	"strings"
)

// Clash is a section that a person and we changed both. The person's text
// stays; ours becomes a suggestion.
type Clash struct {
	File, Section, Item string
	Line                int // in the merged file
	Theirs, Ours        string
}

// Merge joins what a person changed with what we regenerated, section by
// section and frontmatter key by key: whoever changed something wins, and the
// person where both did. base is what both started from; without it every
// difference counts as the person's.
func Merge(base, theirs, ours []File) (merged []File, clashes []Clash) {
	b, t := pathIndex(base), pathIndex(theirs)
	var out []File
	for _, o := range ours {
		person, there := t[o.Path]
		was, known := b[o.Path]
		switch {
		case !there && known:
			clashes = append(clashes, Clash{File: o.Path, Ours: string(o.Text)}) // they deleted it
		case !there, known && person == was:
			out = append(out, o)
		default:
			text, found := mergeFile(o.Path, was, person, string(o.Text))
			out = append(out, File{o.Path, []byte(text)})
			clashes = append(clashes, found...)
		}
	}
	mine := pathIndex(ours)
	for _, f := range theirs {
		if _, ok := mine[f.Path]; ok {
			continue
		}
		// Ours is gone: what nobody touched goes, what a person wrote or changed stays.
		if was, known := b[f.Path]; !known || was != string(f.Text) {
			out = append(out, f)
		}
	}
	return out, clashes
}

func pathIndex(files []File) map[string]string {
	m := map[string]string{}
	for _, f := range files {
		m[f.Path] = string(f.Text)
	}
	return m
}

// chunk is a piece that is merged as one: a frontmatter key, the top, or a
// section up to the next heading.
type chunk struct{ key, title, text string }

func chunks(path, text string) []chunk {
	d := readDocument(File{path, []byte(text)})
	if d.Binary || d.Cut {
		return []chunk{{key: "file", text: text}}
	}
	var out []chunk
	cut := func(key, title string, from, to int) {
		if from < to {
			out = append(out, chunk{key, title, strings.Join(d.Lines[from:to], "\n") + "\n"})
		}
	}
	for i := 0; i < d.Front.End; i++ {
		name, _, _ := strings.Cut(d.Lines[i], ":")
		key := "front " + strings.Trim(name, `'" `)
		if i == 0 || i == d.Front.End-1 {
			key = fmt.Sprint("fence ", i == 0)
		}
		cut(key, "", i, i+1)
	}
	from, key, title := d.Front.End, "top", ""
	seen := map[string]int{}
	for i, s := range d.Sections {
		cut(key, title, from, s.Line-1)
		from, title = s.Line-1, s.Title
		key = strings.Join(append(d.SectionOf(i), fmt.Sprint(s.Level)), "\x00")
		if id := firstID(s.Title); id != "" {
			key = "item " + id // an item stays itself under another title
		}
		if seen[key]++; seen[key] > 1 {
			key = fmt.Sprint(key, "\x00", seen[key])
		}
	}
	cut(key, title, from, len(d.Lines))
	return out
}

func mergeFile(path, base, theirs, ours string) (string, []Clash) {
	was, person, mine := chunkIndex(chunks(path, base)), chunks(path, theirs), chunks(path, ours)
	theirsBy := chunkIndex(person)
	var out []chunk
	var clashes []Clash
	for _, o := range mine {
		t, there := theirsBy[o.key]
		b, known := was[o.key]
		switch {
		case !there && known && b == o.text:
			// They took it out and we did not change it.
		case !there && known:
			clashes = append(clashes, Clash{File: path, Section: o.title, Ours: o.text})
		case !there, known && t == b, strings.HasPrefix(o.key, "front version"):
			out = append(out, o)
		case t == o.text, known && o.text == b:
			out = append(out, chunk{o.key, o.title, t})
		default:
			out = append(out, chunk{o.key, o.title, t})
			clashes = append(clashes, Clash{File: path, Section: o.title, Item: firstID(o.title), Theirs: t, Ours: o.text})
		}
	}
	out = insertAdded(out, person, mine, was)
	var b strings.Builder
	for _, c := range out {
		for i := range clashes {
			if clashes[i].Theirs == c.text && clashes[i].Line == 0 {
				clashes[i].Line = strings.Count(b.String(), "\n") + 1
			}
		}
		b.WriteString(c.text)
	}
	return b.String(), clashes
}

// insertAdded puts the sections a person added behind the one they follow.
func insertAdded(out, person, ours []chunk, was map[string]string) []chunk {
	mine := chunkIndex(ours)
	after := ""
	for _, c := range person {
		_, known := was[c.key]
		_, there := mine[c.key]
		if !there && !known {
			at := slices.IndexFunc(out, func(o chunk) bool { return o.key == after })
			out = slices.Insert(out, at+1, c)
		}
		after = c.key
	}
	return out
}

func chunkIndex(cs []chunk) map[string]string {
	m := map[string]string{}
	for _, c := range cs {
		m[c.key] = c.text
	}
	return m
}
