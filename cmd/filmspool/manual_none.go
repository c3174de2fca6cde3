//go:build !manual

package main

import "github.com/spf13/cobra"

// manualCommands are none: only a program built with the tag "manual" can
// write its own manual, so that nobody else carries what that takes.
func (p *program) manualCommands() []*cobra.Command { return nil }
