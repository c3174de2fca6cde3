package notify

import (
	"os/exec"
	"syscall"
)

// apart puts a program into a process group of its own, which ends as a whole.
func apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
