package app

import (
	"errors"
	"os"
)

// Reload takes over what may change while the process serves: the webhook
// secrets, the App's key and the accounts. All of it is checked first; on an
// error nothing has changed.
func (a *App) Reload(cfg Config) error {
	if err := cfg.CheckServe(); err != nil {
		return err
	}
	key, err := os.ReadFile(cfg.KeyFile)
	if err != nil {
		return err
	}
	if cfg.AppID != a.cfg.AppID {
		return errors.New("PARLEY_APP_ID: another App needs a restart")
	}
	if err := a.github.SetKeys(key); err != nil {
		return err
	}
	a.secrets.Store(&[2]Secret{cfg.Secret, cfg.SecretOld})
	a.accounts.Store(&cfg.Organisations)
	a.log.Info().Msg("settings read again")
	return nil
}
