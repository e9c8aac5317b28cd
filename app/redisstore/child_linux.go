package redisstore

import (
	"os/exec"
	"runtime"
	"syscall"
)

// underThread starts the command and runs wait. The death signal follows the
// thread that started the child, so that thread is kept until the child ends.
func underThread(cmd *exec.Cmd, wait func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM, Setpgid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	return wait()
}
