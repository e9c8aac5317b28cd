package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

func (c completionCmd) Run(t *terminal, k *kong.Context) error {
	write := map[string]func([]offer) string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}[c.Shell]
	_, err := fmt.Fprint(t.out, write(offers(k.Model.Node)))
	return err
}

// offer is what may follow a command.
type offer struct {
	path  string   // "queue check"; empty is parley itself
	words []string // commands, and the values of an argument with a fixed set of them
	flags []*kong.Flag
}

// offers lists what may follow every command, a command before those below it.
func offers(n *kong.Node) []offer {
	o := offer{path: place(n)}
	for _, group := range n.AllFlags(true) {
		o.flags = append(o.flags, group...)
	}
	var below []offer
	for _, child := range n.Children {
		o.words = append(o.words, child.Name)
		below = append(below, offers(child)...)
		if child == n.DefaultCmd { // its flags are taken without its name
			o.flags = append(o.flags, child.Flags...)
		}
	}
	for _, arg := range n.Positional {
		if arg.Enum != "" {
			o.words = append(o.words, arg.EnumSlice()...)
		}
	}
	return append([]offer{o}, below...)
}

// match sets $offer to what may come after the words in $before: it follows
// them down the commands, then looks at the place and the last word. Its lines
// serve bash and zsh.
func match(all []offer) string {
	var known []string
	cases := ""
	for _, o := range all {
		words, after := slices.Clone(o.words), ""
		for _, f := range o.flags {
			words = append(words, "--"+f.Name)
			if f.Enum != "" {
				after += fmt.Sprintf("    %q) offer=%q ;;\n", o.path+" --"+f.Name, strings.Join(f.EnumSlice(), " "))
			}
		}
		// What is deeper stands above, since "queue "* matches below queue too.
		cases = after + fmt.Sprintf("    %q*) offer=%q ;;\n", o.path+" ", strings.Join(words, " ")) + cases
		if o.path != "" {
			known = append(known, fmt.Sprintf("%q", o.path))
		}
	}
	return `  local w at="" last="" offer=""
  for w in "${before[@]}"; do
    last=$w
    case "${at:+$at }$w" in
      ` + strings.Join(known, "|") + `) at="${at:+$at }$w" ;;
    esac
  done
  case "$at $last" in
` + cases + `  esac
`
}

func bashCompletion(all []offer) string {
	return `_parley() {
  local before=("${COMP_WORDS[@]:1:COMP_CWORD-1}")
` + match(all) + `  COMPREPLY=($(compgen -W "$offer" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _parley parley
`
}

func zshCompletion(all []offer) string {
	return `#compdef parley
_parley() {
  local before=("${(@)words[2,CURRENT-1]}")
` + match(all) + `  compadd -- ${=offer} || _files
}
if [ "$funcstack[1]" = _parley ]; then _parley; else compdef _parley parley; fi
`
}

func fishCompletion(all []offer) string {
	var known []string
	var cases strings.Builder
	for _, o := range all {
		known = append(known, fmt.Sprintf("%q", o.path))
		here := fmt.Sprintf("complete -c parley -n 'test (__parley_at) = %q'", o.path)
		if len(o.words) > 0 {
			fmt.Fprintf(&cases, "%s -f -a %q\n", here, strings.Join(o.words, " "))
		}
		for _, f := range o.flags {
			value := ""
			switch {
			case f.Enum != "":
				value = fmt.Sprintf(" -x -a %q", strings.Join(f.EnumSlice(), " "))
			case !f.IsBool():
				value = " -r"
			}
			fmt.Fprintf(&cases, "%s -l %s%s\n", here, f.Name, value)
		}
	}
	return `function __parley_at
  set -l at ""
  for w in (commandline -opc)[2..-1]
    set -l next (string trim "$at $w")
    contains -- $next ` + strings.Join(known, " ") + `; and set at $next
  end
  echo $at
end
` + cases.String()
}
