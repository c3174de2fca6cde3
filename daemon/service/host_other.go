//go:build !windows

package service

import (
	"context"
	"fmt"
)

// Run runs the program as its service manager wants it. Here a service is a
// program like any other, and no value of [HostFlag] that is Windows' own may be
// among its arguments.
func Run(ctx context.Context, p Program) error {
	if mode := hostMode(p.Args); mode != "" && mode != HostLaunchd && mode != HostInit {
		return fmt.Errorf("--%s=%s: only Windows knows it", HostFlag, mode)
	}
	return p.Run(ctx, Host{Ready: func() {}})
}
