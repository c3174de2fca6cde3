package daemon

import (
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/viewing"
)

// entryOf is an entry in the words of the control API.
func entryOf(e queue.Entry) control.Entry {
	out := control.Entry{
		ID: e.ID, Kind: e.Kind, State: string(e.State), Reason: e.Reason, Account: e.Account,
		Source: e.Source, EventID: e.EventID, Media: e.Media, List: e.List, Priority: e.Priority,
		Class: e.Class, Count: e.Count, Attempts: e.Attempts, RemoteID: e.RemoteID,
		CreatedAt: e.CreatedAt.UTC(), SettledAt: known(e.SettledAt),
	}
	if !e.WatchedAt.IsZero() {
		t := e.WatchedAt.Time()
		out.WatchedAt = &t
	}
	if e.State == viewing.StatePending {
		out.NextAt = known(e.NextAt)
	}
	return out
}

// known is t in UTC, or nil for the zero time.
func known(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}
