package app

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"
)

// eraseEvery keeps the promise that nothing of an account is left a day after
// it uninstalled the app.
const eraseEvery = 6 * time.Hour

// eraseGone removes what is cached for installations that are no more; their
// sessions went with the event that told of it.
func (a *App) eraseGone(ctx context.Context) error {
	installations, err := a.github.Installations(ctx)
	if err != nil {
		return err
	}
	listed := map[string]bool{}
	for _, in := range installations {
		listed[strconv.FormatInt(in.ID, 10)] = true
	}
	var errs []error
	for _, prefix := range []string{"answer:", "spent:session:", editingKeys} {
		errs = append(errs, a.store.Erase(ctx, prefix, func(key string) bool {
			in, _, _ := strings.Cut(strings.TrimPrefix(key, prefix), ":")
			return !listed[in]
		}))
	}
	return errors.Join(errs...)
}
