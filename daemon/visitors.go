package daemon

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/filmspool/filmspool/connector"
	"github.com/filmspool/filmspool/connector/pairing"
	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/replay"
	"github.com/filmspool/filmspool/queue/viewing"
)

// resolve tells what an item is: a correction says it, or else the service of the
// source's account is asked.
func (d *Daemon) resolve(ctx context.Context, source string, m viewing.Media) connector.Resolution {
	a := d.account(d.store.AccountOf(source))
	if a == nil {
		return connector.Resolution{Later: true}
	}
	if said, err := d.store.CorrectionFor(ctx, m); err == nil && said != nil {
		is := said.Is.Apply(m)
		return connector.Resolution{Media: &is}
	}
	found, err := a.loop.Ask(ctx, m)
	if err != nil {
		d.log.Debug("not asked what an item is", "source", source, "err", err)
		return connector.Resolution{Later: true, RetryAfter: replay.WaitOf(err)}
	}
	out := connector.Resolution{Media: found.Media}
	for _, s := range found.Suggestions[:min(len(found.Suggestions), protocol.MostCandidates)] {
		out.Candidates = append(out.Candidates, protocol.Candidate{Type: viewing.MediaType(s.Type), TMDB: s.TMDB, Title: s.Title, Year: s.Year})
	}
	return out
}

// takeBackEvent takes back what a source has reported: what has not left is
// dropped, what was delivered is undone by [control.Undo].
func (d *Daemon) takeBackEvent(ctx context.Context, source, eventID string) (removed bool, refusal *protocol.Error) {
	ids, err := d.store.EntriesOf(ctx, source, strings.ToLower(eventID))
	switch {
	case errors.Is(err, entry.ErrNotFound):
		return false, protocol.Refusal("", protocol.NotFound, "no such event of this browser is known here")
	case err != nil:
		d.log.Error("look for an event to take back", "source", source, "err", err)
		return false, protocol.Refusal("", protocol.Storage, "the queue could not be read; try again")
	case len(ids) == 0:
		return false, refusedUndo("another source saw the same playback, so it stays")
	}
	for _, id := range ids {
		gone, err := d.takeBackEntry(ctx, source, id)
		if err != nil {
			return false, d.plain(source, err)
		}
		removed = removed || gone
	}
	return removed, nil
}

// takeBackEntry takes one entry back and says whether the service had it.
func (d *Daemon) takeBackEntry(ctx context.Context, source string, id int64) (removed bool, err error) {
	x, err := d.store.Explain(ctx, id)
	if err != nil {
		return false, err
	}
	for _, seen := range x.Events {
		if seen.Source != source {
			return false, refused("another source saw the same playback, so it stays", "")
		}
	}
	switch x.Entry.State {
	case viewing.StateDropped:
		return false, nil
	case viewing.StateDelivered:
		done, err := d.Control().Undo(ctx, control.Undo{ID: id})
		return done.Removed, err
	case viewing.StatePending, viewing.StateHeld, viewing.StateRejected:
		_, err := d.store.Drop(ctx, queue.Selection{IDs: []int64{id}}, false)
		return false, operatorFault(err)
	case viewing.StateSending:
		return false, refused("it is being sent just now; try again in a moment", "")
	case viewing.StateInDoubt:
		return false, refused("it is not clear whether the service has it", fmt.Sprintf("filmspool queue show %d", id))
	default:
		return false, refused("it is one with another viewing of the same playback", fmt.Sprintf("filmspool queue show %d", id))
	}
}

// plain is an error as a browser is told it: what a person can read, and the
// rest in the log.
func (d *Daemon) plain(source string, err error) *protocol.Error {
	var fault *control.Fault
	if !errors.As(err, &fault) {
		d.log.Error("take an event back", "source", source, "err", err)
		return protocol.Refusal("", protocol.Internal, "Filmspool made a mistake; its log says more")
	}
	_, why, found := strings.Cut(fault.Message, ": ") // after "undo entry 7"
	if !found || !strings.HasPrefix(fault.Message, "undo entry ") {
		why = fault.Message
	}
	if fault.Hint != "" {
		why += " (" + fault.Hint + ")"
	}
	return refusedUndo(why)
}

func refusedUndo(why string) *protocol.Error { return protocol.Refusal("", protocol.Refused, why) }

// browserSource is a paired browser or a program as a source of the status.
func browserSource(k pairing.Client) control.Source {
	s := control.Source{
		Name: kindOf(k) + ":" + k.ID, Kind: kindOf(k), State: account.OK, LastSeen: known(k.LastSeen), Detail: k.Label,
	}
	if k.Waiting > 0 {
		s.State, s.Waiting = account.Attention, k.Waiting
		s.Hint = "click Filmspool's button in that browser, and answer there"
	}
	return s
}

// inBrowsers is one sentence and one hint about what waits in browsers for a
// person; "" when nothing does.
func inBrowsers(sources []control.Source) (words, hint string) {
	viewings, browsers := 0, 0
	for _, s := range sources {
		if s.Waiting > 0 {
			viewings, browsers = viewings+s.Waiting, browsers+1
			words, hint = sentence(viewingsWait(s.Waiting, "the browser "+s.Detail)), s.Hint
		}
	}
	if browsers > 1 {
		words = sentence(viewingsWait(viewings, fmt.Sprintf("%d browsers", browsers)))
		hint = "click Filmspool's button in each of them, and answer there"
	}
	return words, hint
}

func viewingsWait(n int, where string) string {
	if n == 1 {
		return "1 viewing waits in " + where + " for your answer"
	}
	return fmt.Sprintf("%d viewings wait in %s for your answer", n, where)
}
