//go:build !windows

package service

import (
	"context"
	"fmt"
)

// Host runs the program as its service manager wants it; mode is the value of
// [HostFlag]. Here a service is a program like any other, and mode must be
// empty.
func Host(ctx context.Context, mode string, run func(context.Context) error) error {
	if mode != "" {
		return fmt.Errorf("--%s=%s: only Windows knows it", HostFlag, mode)
	}
	return run(ctx)
}
