//go:build !manual

package main

import "github.com/spf13/cobra"

// manualCommands are none without the tag: what they take need not be in the program.
func (p *program) manualCommands() []*cobra.Command { return nil }
