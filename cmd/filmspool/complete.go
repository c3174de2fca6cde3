package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// completionTimeout is how long a shell waits for values.
const completionTimeout = time.Second

// completeValues sets the completion of flag values, and disables that of files for commands
// without a file argument.
func (p *program) completeValues(c *cobra.Command) {
	values := map[string][]string{
		"state": states(), "kind": kinds, "reason": viewing.Reasons(), "source": viewing.Sources(),
		"format": control.ExportForms, "log-level": {"debug", "info", "warn", "error"},
	}
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		complete := cobra.FixedCompletions(values[f.Name], cobra.ShellCompDirectiveNoFileComp)
		switch f.Name {
		case "config", "state-dir":
			return
		case "account", "from", "to":
			complete = p.completeAccounts
		}
		_ = c.RegisterFlagCompletionFunc(f.Name, complete) // fails only for a flag that already has one
	})
	if c.ValidArgsFunction == nil && !c.HasSubCommands() && !strings.Contains(c.Use, "FILE") && !strings.Contains(c.Use, "PATH") {
		c.ValidArgsFunction = cobra.NoFileCompletions
	}
	for _, sub := range c.Commands() {
		p.completeValues(sub)
	}
}

// completeIDs completes entries to which a verb applies. It only asks a running daemon, changes
// nothing and prints no errors.
func (p *program) completeIDs(verb entry.Verb) cobra.CompletionFunc {
	return func(c *cobra.Command, given []string, _ string) (ids []string, _ cobra.ShellCompDirective) {
		ctx, cancel := context.WithTimeout(c.Context(), completionTimeout)
		defer cancel()
		_ = p.instance(ctx, nil, func(ctl control.API) error {
			for _, state := range verb.States() {
				all, err := ctl.List(ctx, entry.Filter{State: state, Limit: 50})
				if err != nil {
					return err
				}
				for _, e := range all {
					if id := fmt.Sprint(e.ID); !slices.Contains(given, id) && slices.Contains(e.Actions(time.Now()), verb) {
						ids = append(ids, cobra.CompletionWithDesc(id, terminal.Sanitize(p.label(e))))
					}
				}
			}
			return nil
		})
		return ids, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// completeAccounts completes the configured accounts.
func (p *program) completeAccounts(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	o, err := p.options()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return slices.Sorted(maps.Keys(o.Config.Accounts)), cobra.ShellCompDirectiveNoFileComp
}
