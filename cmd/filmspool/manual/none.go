//go:build !manual

package manual

import "github.com/spf13/cobra"

// Commands are none without the tag.
func Commands(string) []*cobra.Command { return nil }
