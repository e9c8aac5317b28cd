package app

import (
	"errors"
	"reflect"
	"slices"
	"strings"
)

// reloaded are the settings that change without a restart.
var reloaded = []string{"PARLEY_PRIVATE_KEY_FILE", "PARLEY_WEBHOOK_SECRET", "PARLEY_WEBHOOK_SECRET_OLD", "PARLEY_ORGANISATIONS",
	"PARLEY_LABELS", "PARLEY_BRANCH_PREFIXES"}

// Reload takes over what may change while the process serves: the webhook
// secrets, the App's key, the accounts, labels and branch prefixes. All of it
// is checked first; on an error nothing has changed. Other settings that
// differ are named in the log.
func (a *App) Reload(cfg Config) error {
	if err := cfg.CheckServe(); err != nil {
		return err
	}
	if cfg.AppID != a.cfg.AppID {
		return errors.New("PARLEY_APP_ID: another App needs a restart")
	}
	key, err := cfg.readKey()
	if err != nil {
		return err
	}
	if err := a.github.SetKeys(key); err != nil {
		return err
	}
	a.change(func(l *live) { l.take(cfg) })
	a.redact.add(cfg.secrets())
	e := a.log.Info()
	if later := differing(a.cfg, cfg); len(later) > 0 {
		e = e.Str("need_restart", strings.Join(later, ", "))
	}
	e.Msg("settings read again")
	return nil
}

// differing names the settings that are not the same and not reloaded.
func differing(was, is Config) []string {
	before := values(was)
	var names []string
	for name, v := range values(is) {
		if !reflect.DeepEqual(v, before[name]) && !slices.Contains(reloaded, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func values(of Config) map[string]any {
	out := map[string]any{}
	_ = eachField(&of, func(f reflect.StructField, v reflect.Value) error { // which never fails
		out[settingName(f)] = v.Interface()
		return nil
	})
	return out
}
