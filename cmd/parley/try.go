package main

import "context"

type tryCmd struct {
	File string `arg:"" help:"Markdown file with the issue; - reads standard input."`
}

func (c tryCmd) Run(ctx context.Context, t *terminal) error {
	return badInput("%s: not readable", c.File)
}
