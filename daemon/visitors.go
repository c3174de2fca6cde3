package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/filmspool/filmspool/connector"
	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
	"github.com/filmspool/filmspool/daemon/operate"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/replay"
	"github.com/filmspool/filmspool/queue/resolve/identity"
	"github.com/filmspool/filmspool/queue/resolve/web"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

// resolve answers a browser that asks what an item is.
func (d *Daemon) resolve(ctx context.Context, source string, m viewing.Media) connector.Resolution {
	f, err := d.find(ctx, d.store.AccountsOf(source)[0], m, browserWaits)
	if err != nil {
		d.log.Error("say what an item is", "source", source, "error", err)
		return connector.Resolution{Later: true}
	}
	if item := f.item(m); item != nil {
		if f.said != nil || d.o.Config.Hold != string(rules.ApproveUncertain) {
			return connector.Resolution{Media: item}
		}
		return connector.Resolution{Candidates: f.sure(*item)} // the person says whether it is right
	}
	out := d.told(source, f)
	out.Candidates = out.Candidates[:min(len(out.Candidates), protocol.MostCandidates)]
	return out
}

// sure is what was looked up and is certain, as a candidate; none where an episode's
// own number alone is known.
func (f found) sure(item viewing.Media) []protocol.Candidate {
	is := identity.ClueOf(item)
	c := protocol.Candidate{Type: is.Kind, TMDB: is.IDs.TMDB, Title: is.Title, Year: is.Year}
	if w := f.others.Named; f.others.Item != nil && w.TMDB == c.TMDB {
		c = protocol.Candidate(w.Candidate())
	}
	if c.TMDB < 1 {
		return nil
	}
	return []protocol.Candidate{c}
}

// seek answers a browser that asks by words. Films and series take turns. What a
// person has said before decides nothing here: they may have been wrong.
func (d *Daemon) seek(ctx context.Context, source, words string, kind viewing.MediaType) (all connector.Resolution) {
	var turns [][]protocol.Candidate
	for _, k := range []viewing.MediaType{viewing.Movie, viewing.TV} {
		if kind != "" && kind != k {
			continue
		}
		out := d.told(source, d.look(ctx, d.store.AccountsOf(source)[0], viewing.Media{Type: k, Title: words}, browserWaits))
		all.Later, all.RetryAfter = all.Later || out.Later, max(all.RetryAfter, out.RetryAfter)
		turns = append(turns, slices.DeleteFunc(out.Candidates, func(c protocol.Candidate) bool { return c.Type != k }))
	}
	for n := 0; n < protocol.MostFound; n++ {
		for _, list := range turns {
			if n < len(list) && len(all.Candidates) < protocol.MostFound {
				all.Candidates = append(all.Candidates, list[n])
			}
		}
	}
	all.Later = all.Later && len(all.Candidates) == 0
	return all
}

// told is what a browser is told of an item that is not certain: each work once,
// those of the service first. While the service or the others cannot be asked, they
// may know more later.
func (d *Daemon) told(source string, f found) (out connector.Resolution) {
	if f.away != nil {
		d.log.Debug("the service is not asked what an item is", "source", source, "error", f.away)
		out.Later, out.RetryAfter = true, replay.WaitOf(f.away)
	}
	if soon, ok := errors.AsType[*web.LaterError](f.missed); ok {
		out.Later, out.RetryAfter = true, max(out.RetryAfter, soon.Wait)
	}
	add := func(c protocol.Candidate) {
		if !slices.ContainsFunc(out.Candidates, func(o protocol.Candidate) bool { return o.Type == c.Type && o.TMDB == c.TMDB }) {
			out.Candidates = append(out.Candidates, c)
		}
	}
	for _, c := range f.service.Suggestions {
		add(protocol.Candidate(c))
	}
	for _, w := range f.others.Candidates {
		add(protocol.Candidate(w.Candidate()))
	}
	return out
}

// correct remembers what a person has said in a browser, or forgets it.
func (d *Daemon) correct(ctx context.Context, source string, m protocol.Correct) (changed int, refusal *protocol.Error) {
	if m.Is == nil {
		return 0, d.notKept(source, d.store.ForgetSaid(ctx, m.Media, identity.Candidate(*m.Was)))
	}
	did, err := d.store.Correct(ctx, queue.Correcting{Told: m.Media, Is: identity.Candidate(*m.Is)})
	if err == nil && did.Remembered == nil {
		return 0, protocol.Refusal("", protocol.Refused, "without a name or a number of it, nothing can be remembered")
	}
	return int(did.AlsoChanged), d.notKept(source, err)
}

// notKept is what a browser is told where its correction could not be kept.
func (d *Daemon) notKept(source string, err error) *protocol.Error {
	if err == nil {
		return nil
	}
	d.log.Error("keep what a person said in a browser", "source", source, "error", err)
	return protocol.Refusal("", protocol.Storage, "it could not be kept; try again")
}

// takeBackEvent takes back what a source has reported: what has not left is
// dropped, what was delivered is undone by [control.Undo].
func (d *Daemon) takeBackEvent(ctx context.Context, source, eventID string) (removed bool, refusal *protocol.Error) {
	ids, err := d.store.EntriesOf(ctx, source, strings.ToLower(eventID))
	switch {
	case errors.Is(err, entry.ErrNotFound):
		return false, protocol.Refusal("", protocol.NotFound, "no such event of this browser is known here")
	case err != nil:
		d.log.Error("look for an event to take back", "source", source, "error", err)
		return false, protocol.Refusal("", protocol.Storage, "the queue could not be read; try again")
	case len(ids) == 0:
		return false, refusedUndo("another source saw the same playback, so it stays")
	}
	var gone, kept []string  // the accounts
	for _, id := range ids { // what one account refuses keeps no other from it
		x, err := d.store.Explain(ctx, id)
		left := false
		if err == nil {
			left, err = d.takeBackEntry(ctx, source, x)
		}
		if err == nil {
			gone = append(gone, x.Entry.Account)
		} else {
			kept = append(kept, x.Entry.Account)
			refusal = cmp.Or(refusal, d.plain(source, err))
		}
		removed = removed || left
	}
	gone = slices.DeleteFunc(gone, func(a string) bool { return slices.Contains(kept, a) })
	if refusal != nil && len(gone) > 0 {
		refusal.Message = fmt.Sprintf("it is gone from the account %s; elsewhere: %s",
			strings.Join(slices.Compact(gone), ", "), strings.Replace(refusal.Message, "nothing was changed; ", "", 1))
	}
	return removed && refusal == nil, refusal
}

// takeBackEntry takes one entry back and says whether the service had it.
func (d *Daemon) takeBackEntry(ctx context.Context, source string, x entry.Explanation) (removed bool, err error) {
	id := x.Entry.ID
	for _, seen := range x.Events {
		if seen.Source != source {
			return false, control.Refused("another source saw the same playback, so it stays", "")
		}
	}
	switch x.Entry.State {
	case viewing.StateDropped:
		return false, nil
	case viewing.StateDelivered:
		done, err := d.operator().Undo(ctx, control.Undo{ID: id})
		return done.Removed, err
	case viewing.StatePending, viewing.StateHeld, viewing.StateRejected:
		_, err := d.store.Drop(ctx, entry.Selection{IDs: []int64{id}}, false)
		return false, operate.Fault(err)
	case viewing.StateSending:
		return false, control.Refused("it is being sent just now; try again in a moment", "")
	case viewing.StateInDoubt:
		return false, control.Refused("it is not clear whether the service has it", fmt.Sprintf("filmspool queue show %d", id))
	default:
		return false, control.Refused("it is one with another viewing of the same playback", fmt.Sprintf("filmspool queue show %d", id))
	}
}

// plain is an error as a browser is told it: what a person can read, and the
// rest in the log.
func (d *Daemon) plain(source string, err error) *protocol.Error {
	var fault *control.Fault
	if !errors.As(err, &fault) {
		d.log.Error("take an event back", "source", source, "error", err)
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

// connectorStatus is what a paired browser may know.
func (d *Daemon) connectorStatus(ctx context.Context) connector.Status {
	s, v, err := d.judged(ctx, control.HealthAsked{})
	if err != nil {
		return connector.Status{}
	}
	out := connector.Status{
		Online: true, Pending: s.Counts.Pending + s.Counts.Sending, Attention: control.NeedUser(s.Counts),
	}
	for _, p := range pressing(v) {
		out.Problems += p.Text + "\n"
	}
	for _, a := range s.Accounts {
		if a.Unused {
			continue
		}
		out.Online = out.Online && a.State == account.OK
		if a.State == account.Attention {
			out.Attention++
		}
		if a.LastDelivered != nil && a.LastDelivered.After(out.LastDelivered) {
			out.LastDelivered = *a.LastDelivered
		}
	}
	return out
}

// connectorProblems are what a paired browser is told of, in its language.
func (d *Daemon) connectorProblems(ctx context.Context, language string) (all []protocol.Problem) {
	_, v, err := d.judged(ctx, control.HealthAsked{Language: language})
	if err != nil {
		return nil
	}
	for _, p := range pressing(v) {
		all = append(all, protocol.Problem{Code: p.Code, Severity: string(p.Severity), Text: p.Text, Act: p.Act.Text})
	}
	return all
}

// pressing are the problems that a browser shows. What waits in browsers they show by
// themselves.
func pressing(v health.Verdict) []control.Problem {
	all := slices.DeleteFunc(health.Roots(v.Problems), func(p control.Problem) bool {
		return p.Severity == control.Note || p.Code == health.BrowserAsks || p.Code == health.BrowsersAsk
	})
	return all[:min(len(all), protocol.MostProblems)]
}
