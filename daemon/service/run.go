//go:build !windows

package service

import "context"

// Run runs a program as a service. Here a service is an ordinary process.
func Run(ctx context.Context, p Program) error { return p.Run(ctx) }
