// Package command is the slash-command grammar: the text a reader sees in,
// commands or hints out.
package command
