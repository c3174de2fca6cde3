//go:build !windows

package service

import (
	"context"
	"fmt"
)

// Run runs the program as its service manager wants it; args are the
// program's own. Here a service is a program like any other, and of [HostFlag]
// only launchd's value may be among args.
func Run(ctx context.Context, args []string, run func(context.Context) error) error {
	if mode := hostMode(args); mode != "" && mode != HostLaunchd {
		return fmt.Errorf("--%s=%s: only Windows knows it", HostFlag, mode)
	}
	return run(ctx)
}
