//go:build !windows

package service

import "context"

// Run runs a program as its service manager wants it. Here a service is a program like
// any other.
func Run(ctx context.Context, p Program) error { return p.Run(ctx) }
