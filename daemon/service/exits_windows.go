package service

import "golang.org/x/sys/windows"

// exits takes hold of processes that are to end; what it returns waits until
// they have, ten seconds each at most. One that is gone, or that this user may
// not look at, is not waited for.
func exits(pids ...int) (wait func()) {
	var held []windows.Handle
	for _, pid := range pids {
		if pid <= 0 {
			continue
		}
		if h, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid)); err == nil {
			held = append(held, h)
		}
	}
	return func() {
		for _, h := range held {
			_, _ = windows.WaitForSingleObject(h, 10_000)
			_ = windows.CloseHandle(h)
		}
	}
}
