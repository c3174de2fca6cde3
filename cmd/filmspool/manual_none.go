//go:build !manual

package main

import "github.com/spf13/cobra"

// manualCommands returns nothing: the command that writes the man pages needs the build tag
// manual.
func (p *program) manualCommands() []*cobra.Command { return nil }
