package main

import (
	"fmt"
	"reflect"
	"sort"
	"strings"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help stands under the flags.
func (completionCmd) Help() string {
	return "Examples:\n  source <(parley completion bash)\n  parley completion zsh > \"${fpath[1]}/_parley\"\n  parley completion fish > ~/.config/fish/completions/parley.fish"
}

func (c completionCmd) Run(t *terminal) error {
	words := map[string][]string{}
	collect(reflect.TypeFor[cli](), "", words)
	paths := make([]string, 0, len(words))
	for p := range words {
		paths = append(paths, p)
	}
	sort.Strings(paths)
	write := map[string]func([]string, map[string][]string) string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}[c.Shell]
	_, err := fmt.Fprint(t.out, write(paths, words))
	return err
}

// collect lists, per command path, its commands and flags, from the same
// structs the parser reads.
func collect(of reflect.Type, path string, into map[string][]string) {
	for i := range of.NumField() {
		f := of.Field(i)
		name := f.Tag.Get("name")
		if name == "" {
			name = kebab(f.Name)
		}
		if _, isCmd := f.Tag.Lookup("cmd"); isCmd {
			into[path] = append(into[path], name)
			sub := strings.TrimSpace(path + " " + name)
			if _, ok := into[sub]; !ok {
				into[sub] = nil
			}
			collect(f.Type, sub, into)
			continue
		}
		if f.Anonymous {
			collect(f.Type, path, into)
			continue
		}
		if _, isArg := f.Tag.Lookup("arg"); !isArg {
			into[path] = append(into[path], "--"+name)
		}
	}
}

func kebab(name string) string {
	var b strings.Builder
	for i, r := range name {
		upper := r >= 'A' && r <= 'Z'
		if upper && i > 0 && !(name[i-1] >= 'A' && name[i-1] <= 'Z') {
			b.WriteByte('-')
		}
		b.WriteRune(r)
	}
	return strings.ToLower(b.String())
}

func bashCompletion(paths []string, words map[string][]string) string {
	var b strings.Builder
	b.WriteString("_parley() {\n  local path=\"\" w\n  for w in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do case $w in -*) ;; *) path=\"${path:+$path }$w\" ;; esac; done\n  case $path in\n")
	for _, p := range paths {
		fmt.Fprintf(&b, "    %q) COMPREPLY=($(compgen -W %q -- \"${COMP_WORDS[COMP_CWORD]}\")) ;;\n", p, strings.Join(words[p], " "))
	}
	b.WriteString("    *) COMPREPLY=() ;;\n  esac\n  [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- \"${COMP_WORDS[COMP_CWORD]}\"))\n}\ncomplete -F _parley parley\n")
	return b.String()
}

func zshCompletion(paths []string, words map[string][]string) string {
	return "#compdef parley\nautoload -U +X bashcompinit && bashcompinit\n" + bashCompletion(paths, words)
}

func fishCompletion(paths []string, words map[string][]string) string {
	var b strings.Builder
	b.WriteString("function __parley_path\n  set -l out\n  for w in (commandline -opc)[2..-1]\n    string match -q -- '-*' $w; or set -a out $w\n  end\n  echo \"$out\"\nend\n")
	for _, p := range paths {
		for _, w := range words[p] {
			if flag, ok := strings.CutPrefix(w, "--"); ok {
				fmt.Fprintf(&b, "complete -c parley -n 'test (__parley_path) = %q' -l %s\n", p, flag)
				continue
			}
			fmt.Fprintf(&b, "complete -c parley -f -n 'test (__parley_path) = %q' -a %s\n", p, w)
		}
	}
	return b.String()
}
