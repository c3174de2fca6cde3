package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// completionPatience bounds how long a shell waits for values.
const completionPatience = 2 * time.Second

// completeValues has the shell complete what flags and ids may be.
func (p *program) completeValues(c *cobra.Command) {
	for name, values := range map[string][]string{
		"state": states(), "kind": kinds(), "reason": viewing.Reasons(), "source": viewing.Sources(),
		"as": {string(viewing.StateDelivered), string(viewing.StateRejected), string(viewing.StateDropped)}, "visibility": {"PRIVATE", "PUBLIC"},
		"plays": {control.PlaysOne, control.PlaysAll}, "log-level": {"debug", "info", "warn", "error"},
		"watched-at": {"now", "yesterday"}, "before": {"yesterday"}, "since": nil,
		"show": nil, "movie": nil, "season": nil, "episode": nil, "base-url": nil,
	} {
		if c.LocalFlags().Lookup(name) != nil {
			// It fails only for a flag that does not exist, or is completed already.
			_ = c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
		}
	}
	switch c.CommandPath() {
	case "filmspool queue show", "filmspool queue edit", "filmspool queue undo", "filmspool queue retry", "filmspool queue hold",
		"filmspool queue release", "filmspool queue settle", "filmspool queue drop", "filmspool fix":
		c.ValidArgsFunction = p.completeIDs
	}
	for _, sub := range c.Commands() {
		p.completeValues(sub)
	}
}

// completeIDs offers the entries that a verb is for, the newest first. Only a
// running daemon is asked: a shell that completes must change nothing.
func (p *program) completeIDs(c *cobra.Command, given []string, _ string) ([]string, cobra.ShellCompDirective) {
	const none = cobra.ShellCompDirectiveNoFileComp
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
	var ids []string
	for _, state := range statesFor(c.Name()) {
		list, err := running.List(ctx, entry.Filter{State: state, Limit: 50})
		if err != nil {
			return nil, none
		}
		for _, e := range list {
			if id := fmt.Sprint(e.ID); !slices.Contains(given, id) {
				ids = append(ids, cobra.CompletionWithDesc(id, terminal.Harmless(e.Label()+", "+e.State.Words())))
			}
		}
	}
	return ids, none | cobra.ShellCompDirectiveKeepOrder
}

// statesFor are the states in which entries are that a verb is for; "" is any.
func statesFor(verb string) []viewing.State {
	switch verb {
	case "retry":
		return []viewing.State{viewing.StateRejected, viewing.StateInDoubt, viewing.StatePending}
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
