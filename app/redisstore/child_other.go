//go:build !linux

package redisstore

import "os/exec"

// underThread starts the command and runs wait.
func underThread(cmd *exec.Cmd, wait func() error) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	return wait()
}
