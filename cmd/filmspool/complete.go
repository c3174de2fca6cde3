package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/report"
	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// completionPatience bounds how long a shell waits for values.
const completionPatience = 2 * time.Second

// completeValues has the shell complete what flags and arguments may be: a file
// only where one is wanted.
func (p *program) completeValues(c *cobra.Command) {
	values := map[string][]string{
		"state": states(), "kind": kinds(), "reason": viewing.Reasons(), "source": viewing.Sources(),
		"as": {string(viewing.StateDelivered), string(viewing.StateRejected), string(viewing.StateDropped)}, "visibility": {"PRIVATE", "PUBLIC"},
		"plays": {control.PlaysOne, control.PlaysAll}, "log-level": {"debug", "info", "warn", "error"},
		"watched-at": {"now", "yesterday"}, "before": {"yesterday"}, "since": {"yesterday"},
	}
	for _, name := range usage.Flags(c) {
		complete := cobra.FixedCompletions(values[name], cobra.ShellCompDirectiveNoFileComp)
		switch name {
		case "config", "state-dir":
			continue
		case "account":
			complete = p.completeAccounts
		}
		// It fails only for a flag of the whole program, which has it already.
		_ = c.RegisterFlagCompletionFunc(name, complete)
	}
	switch c.CommandPath() {
	case "filmspool queue show", "filmspool queue edit", "filmspool queue undo", "filmspool queue retry", "filmspool queue hold",
		"filmspool queue release", "filmspool queue settle", "filmspool queue drop", "filmspool queue move", "filmspool fix":
		c.ValidArgsFunction = p.completing(idsFor)
	case "filmspool clients revoke":
		c.ValidArgsFunction = p.completing(clientIDs)
	case "filmspool rules remove":
		c.ValidArgsFunction = p.completing(correctionIDs)
	case "filmspool pause":
		c.ValidArgsFunction = cobra.FixedCompletions([]string{"until"}, cobra.ShellCompDirectiveNoFileComp)
	default:
		if !c.HasSubCommands() && !strings.Contains(c.Use, "FILE") && !strings.Contains(c.Use, "FOLDER") {
			c.ValidArgsFunction = cobra.NoFileCompletions
		}
	}
	for _, sub := range c.Commands() {
		p.completeValues(sub)
	}
}

// completing offers what the running daemon answers. No other is asked: a shell
// that completes must change nothing.
func (p *program) completing(find func(context.Context, *cobra.Command, control.API) ([]string, error)) cobra.CompletionFunc {
	return func(c *cobra.Command, given []string, _ string) ([]string, cobra.ShellCompDirective) {
		const none = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
		o, err := p.options()
		if err != nil {
			return nil, none
		}
		ctx, cancel := context.WithTimeout(c.Context(), completionPatience)
		defer cancel()
		running, err := daemon.Find(ctx, o.Paths)
		if err != nil {
			return nil, none
		}
		defer running.Close()
		found, err := find(ctx, c, running.API)
		if err != nil {
			return nil, none
		}
		return slices.DeleteFunc(found, func(line string) bool {
			id, _, _ := strings.Cut(line, "\t")
			return slices.Contains(given, id)
		}), none
	}
}

// described is a value to offer, and what it is.
func described(value any, is string) string {
	return cobra.CompletionWithDesc(fmt.Sprint(value), terminal.Harmless(is))
}

// idsFor are the entries that a verb is for, the newest first.
func idsFor(ctx context.Context, c *cobra.Command, ctl control.API) (ids []string, err error) {
	for _, state := range statesFor(c.Name()) {
		list, err := ctl.List(ctx, entry.Filter{State: state, Limit: 50})
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			ids = append(ids, described(e.ID, e.Label()+", "+e.State.Words()))
		}
	}
	return ids, nil
}

// clientIDs are the browsers and the programs.
func clientIDs(ctx context.Context, _ *cobra.Command, ctl control.API) (ids []string, err error) {
	all, err := ctl.Clients(ctx)
	for _, k := range all {
		ids = append(ids, described(k.ID, k.Label))
	}
	return ids, err
}

// correctionIDs are what was remembered.
func correctionIDs(ctx context.Context, _ *cobra.Command, ctl control.API) (ids []string, err error) {
	all, err := ctl.Corrections(ctx)
	for _, r := range all {
		ids = append(ids, described(r.ID, fmt.Sprintf("%s is %s", report.Told(r.Told), r.Is)))
	}
	return ids, err
}

// completeAccounts offers the accounts of the configuration.
func (p *program) completeAccounts(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	o, err := p.options()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return slices.Sorted(maps.Keys(o.Config.Accounts)), cobra.ShellCompDirectiveNoFileComp
}

// statesFor are the states in which entries are that a verb is for; "" is any.
func statesFor(verb string) []viewing.State {
	switch verb {
	case "retry":
		return []viewing.State{viewing.StateRejected, viewing.StateInDoubt, viewing.StatePending}
	case "move":
		return []viewing.State{viewing.StateHeld, viewing.StatePending}
	case "hold":
		return []viewing.State{viewing.StatePending}
	case "release":
		return []viewing.State{viewing.StateHeld, viewing.StateDropped}
	case "settle":
		return []viewing.State{viewing.StateInDoubt}
	case "drop":
		return []viewing.State{viewing.StateHeld, viewing.StateRejected, viewing.StateInDoubt, viewing.StatePending}
	case "edit", "fix":
		return []viewing.State{viewing.StateHeld, viewing.StateRejected, viewing.StatePending}
	case "undo":
		return []viewing.State{viewing.StateDelivered}
	default:
		return []viewing.State{""}
	}
}
