// Package command is the slash-command grammar: the text a reader sees in,
// commands or hints out. It is pure, and it errs on the side of silence: a
// line that some reader may not see, or may see differently, is no command.
package command
