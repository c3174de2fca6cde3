package notify

import (
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/windows"
)

// apart runs a program without a window. It ends with all that it has started.
func apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true}
	cmd.Cancel = func() error {
		folder, err := windows.GetSystemDirectory()
		if err == nil {
			err = exec.Command(filepath.Join(folder, "taskkill.exe"), "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run()
		}
		if err != nil {
			return cmd.Process.Kill()
		}
		return nil
	}
}
