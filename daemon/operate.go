package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/replay/doubt"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Operate implements [control.API]. After a retry, send or recheck the loops run at once; pauses
// stay.
func (d *core) Operate(ctx context.Context, o entry.Order) (entry.Changed, error) {
	if o.Verb == entry.VerbMove {
		if err := d.knownAccount(o.To); err != nil {
			return entry.Changed{}, err
		}
	}
	if len(o.Verb.States()) == 0 || slices.Contains([]entry.Verb{entry.VerbUndo, entry.VerbEdit, entry.VerbFix}, o.Verb) {
		return entry.Changed{}, control.Invalid(viewing.Verbatim(fmt.Sprintf("%q is not send, retry, hold, release, recheck, settle, drop or move", o.Verb)), viewing.Message{})
	}
	did, err := d.store.Operate(ctx, o)
	if err != nil {
		return entry.Changed{}, queueFault(err)
	}
	if slices.Contains([]entry.Verb{entry.VerbRetry, entry.VerbSend, entry.VerbRecheck}, o.Verb) && !o.DryRun {
		d.wake()
	}
	return did, nil
}

// Edit implements [control.API].
func (d *core) Edit(ctx context.Context, e control.Edit) (queue.Entry, error) {
	after, err := d.store.Edit(ctx, e.ID, e.Edit)
	return after, queueFault(err)
}

// copyPrefix is the name prefix of the temporary folders with copies of the queue.
const copyPrefix = ".copy-"

// removeLeftovers removes what a killed process left in the state folder: copies of the queue and
// unfinished files of [config.WriteFile]. The caller must hold the folder's lock.
func removeLeftovers(p config.Paths) {
	for _, pattern := range []string{
		filepath.Join(p.State, copyPrefix+"*"), filepath.Join(p.State, ".*.[0-9]*"), filepath.Join(p.State, "keys", ".*.[0-9]*"),
	} {
		left, _ := filepath.Glob(pattern) // fails only for a malformed pattern
		for _, name := range left {
			_ = os.RemoveAll(name) // a leftover is harmless
		}
	}
}

// Backup implements [control.API]. The copy is made next to the queue, which may be the only
// writable folder, and removed after it was written to w.
func (d *core) Backup(ctx context.Context, w io.Writer) error {
	defer d.startJob()()
	dir, err := os.MkdirTemp(d.o.Paths.State, copyPrefix)
	if err != nil {
		return fmt.Errorf("back up: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "copy.db")
	if err := d.store.Backup(ctx, file); err != nil {
		return err
	}
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("back up: %w", err)
	}
	defer f.Close()
	if _, err := io.Copy(w, f); err != nil {
		return fmt.Errorf("back up: %w", err)
	}
	return nil
}

// Pause implements [control.API].
func (d *core) Pause(ctx context.Context, p control.Pause) ([]control.Account, error) {
	now := time.Now()
	timed := !p.Until.IsZero()
	switch {
	case p.Drop && !timed:
		return nil, control.Invalid(viewing.Say("fault.pauseEnd"), control.Command("filmspool pause 2h --drop"))
	case timed && !p.Until.After(now):
		return nil, control.Invalid(viewing.Say("fault.pauseOver"), control.Command("filmspool pause 2h"))
	}
	return d.setPause(ctx, p.Account, func(a *account.Row) {
		if timed || a.Pause.Reason != account.PausedUser || !a.Pause.Until.IsZero() {
			a.Pause = account.ByUser(now, p.Until.Local(), p.Drop)
		}
	})
}

// Resume implements [control.API]. It ends pauses that the loop does not probe by itself; other
// obstacles are retried at once.
func (d *core) Resume(ctx context.Context, p control.Pause) ([]control.Account, error) {
	return d.setPause(ctx, p.Account, func(a *account.Row) {
		if !a.Pause.EndsByProbe() {
			a.Pause = account.Pause{}
		}
	})
}

// knownAccount returns an error if the configuration does not have the account.
func (d *core) knownAccount(name string) error {
	if slices.Contains(d.accountNames(), name) {
		return nil
	}
	return control.NotFound(viewing.Say("fault.noAccount", "name", name), viewing.Say("hint.oneOf", "names", strings.Join(d.accountNames(), ", ")))
}

// setPause changes the pause of one account, or of all for "", and wakes the loops.
func (d *core) setPause(ctx context.Context, only string, change func(*account.Row)) ([]control.Account, error) {
	names := d.accountNames()
	if only != "" {
		if err := d.knownAccount(only); err != nil {
			return nil, err
		}
		names = []string{only}
	}
	list := []control.Account{}
	for _, name := range names {
		var after account.Row
		err := d.store.UpdateAccount(ctx, name, func(a *account.Row) {
			change(a)
			after = *a
		})
		if err != nil {
			return nil, err
		}
		list = append(list, control.Account{ // the other fields come from the loop
			Name: name, State: after.Pause.State(), Reason: after.Pause.Problem, Hint: after.Pause.Hint, Drops: after.Pause.Drops,
			BaseURL: after.BaseURL, LastDelivered: control.OptionalTime(after.LastDelivered), PausedUntil: control.OptionalTime(after.Pause.Until),
		})
	}
	d.wake()
	return list, nil
}

// Add implements [control.API].
func (d *core) Add(ctx context.Context, v viewing.Event) (queue.Entry, error) {
	if e, err := d.existingEntry(ctx, v); err != nil || e.ID != 0 {
		return e, err
	}
	d.titles.fetchNow(ctx, v.Media) // for the answer
	outcomes, err := d.store.Commit(ctx, viewing.Batch{Source: viewing.SourceCLI, Events: []viewing.Event{v}})
	if err != nil {
		return queue.Entry{}, queueFault(err)
	}
	if len(outcomes) != 1 || len(outcomes[0].Entries) == 0 {
		return queue.Entry{}, control.Invalid(viewing.Say("fault.notAdded").Because(viewing.Verbatim(outcomes[0].Reason)), viewing.Message{})
	}
	x, err := d.explain(ctx, outcomes[0].Entries[0])
	return x.Entry, err
}

// Days implements [control.API]. It uses this machine's time zone.
func (d *core) Days(ctx context.Context, n int) ([]entry.Day, error) {
	now := time.Now()
	return d.store.Days(ctx, time.Date(now.Year(), now.Month(), now.Day()-n+1, 0, 0, 0, 0, time.Local), n)
}

// Year implements [control.API]. It uses this machine's time zone.
func (d *core) Year(ctx context.Context, year int) (entry.Year, error) {
	y, err := d.store.Year(ctx, year, time.Local)
	return y, queueFault(err)
}

// existingEntry returns an entry for the same watchlist or list item if each account of the
// command line already has one, else an entry with id 0. It ignores viewings.
func (d *core) existingEntry(ctx context.Context, v viewing.Event) (found queue.Entry, err error) {
	f := entry.Filter{Kind: v.Kind}
	switch {
	case v.Kind == viewing.KindWatchlist && len(v.Media) == 1:
		f.Item = v.Media[0].Key()
	case v.Kind == viewing.KindList && v.List != nil:
	default:
		return found, nil
	}
	for _, f.Account = range d.store.AccountsOf(viewing.SourceCLI) {
		all, err := d.List(ctx, f)
		if err != nil {
			return found, err
		}
		i := slices.IndexFunc(all, func(e queue.Entry) bool {
			if e.State == viewing.StateDropped || e.State == viewing.StateRejected {
				return false
			}
			if v.List != nil {
				return e.List != nil && e.List.Name == v.List.Name
			}
			return e.Media != nil && e.Media.Type == v.Media[0].Type && (f.Item != "" || e.Media.IDs.IMDB == v.Media[0].IDs.IMDB)
		})
		if i < 0 {
			return queue.Entry{}, nil
		}
		found = all[i]
	}
	return found, nil
}

// List implements [control.API].
func (d *core) List(ctx context.Context, f entry.Filter) ([]queue.Entry, error) {
	list, limit := []queue.Entry{}, f.Limit
	for limit == 0 || len(list) < limit {
		f.Limit = min(cmp.Or(limit, math.MaxInt)-len(list), maxPage)
		page, err := d.store.Entries(ctx, f)
		if err == nil {
			err = d.store.FillTitles(ctx, page)
		}
		if err != nil {
			return nil, queueFault(err)
		}
		list = append(list, page...)
		if len(page) < f.Limit {
			break
		}
		last := page[len(page)-1].Position()
		if f.Past = last; !f.ByTime {
			f.Past, f.Below = entry.Position{}, last.ID
		}
	}
	if len(list) <= maxShown {
		d.titles.request(list...)
	}
	return list, nil
}

const (
	maxPage  = 1000 // entries per query
	maxShown = 150  // longer lists are not read by a person and need no titles
)

// Acknowledge implements [control.API].
func (d *core) Acknowledge(ctx context.Context, id int64) error {
	err := d.store.Acknowledge(ctx, id)
	if errors.Is(err, entry.ErrNotFound) {
		return control.NotFound(viewing.Say("fault.noNotice", "id", fmt.Sprint(id)), control.Command("filmspool status"))
	}
	return err
}

// Corrections implements [control.API].
func (d *core) Corrections(ctx context.Context) ([]resolve.Correction, error) {
	return d.store.Corrections(ctx)
}

// ForgetCorrection implements [control.API].
func (d *core) ForgetCorrection(ctx context.Context, id int64) error {
	err := d.store.ForgetCorrection(ctx, id)
	if errors.Is(err, entry.ErrNotFound) {
		return control.NotFound(viewing.Say("fault.noCorrection", "id", fmt.Sprint(id)), control.Command("filmspool fix --list"))
	}
	return err
}

// Undo implements [control.API]. The service's DELETE removes all viewings of an item, so it is
// sent only if the complete history contains exactly one viewing of the item and that is ours.
func (d *core) Undo(ctx context.Context, u control.Undo) (control.Undone, error) {
	x, err := d.store.Explain(ctx, u.ID)
	if err != nil {
		return control.Undone{}, queueFault(err)
	}
	e := x.Entry
	if e.State != viewing.StateDelivered {
		return control.Undone{}, queueFault(&queue.StateError{Verb: "undo", ID: u.ID, State: e.State, Reason: e.Reason})
	}
	if e.Kind != viewing.KindViewing {
		f := cannotUndo(e, viewing.Say("fault.undoViewings"))
		f.Hint = viewing.Say("hint.takeAway")
		return control.Undone{}, f
	}
	service, done, err := d.serviceClient(ctx, e.Account)
	if err != nil {
		return control.Undone{}, err
	}
	defer done()
	there, err := d.mayUndo(ctx, service, e)
	if err != nil {
		return control.Undone{}, err
	}
	out := control.Undone{Entry: e, DryRun: u.DryRun, Removed: there}
	if u.DryRun {
		return out, nil
	}
	if there {
		v := service.DeleteHistory(ctx, *e.Media)
		switch {
		case v.Outcome == tracker.Delivered:
		case v.Status == http.StatusNotFound, v.Status == http.StatusMethodNotAllowed, v.Status == http.StatusNotImplemented:
			return control.Undone{}, cannotUndo(e, viewing.Say("fault.undoNothing"))
		case v.Outcome == tracker.InDoubt:
			return control.Undone{}, cannotUndo(e, viewing.Say("fault.undoGone"))
		default:
			return control.Undone{}, cannotUndo(e, v.Problem)
		}
	}
	out.Entry, err = d.store.RecordUndo(ctx, u.ID)
	return out, queueFault(err)
}

// mayUndo reports whether the service has the entry's viewing and it can be deleted. false
// without an error means that the service does not have it. An error says why it cannot be
// deleted.
func (d *core) mayUndo(ctx context.Context, service *tracker.Client, e queue.Entry) (there bool, err error) {
	account, err := d.store.Account(ctx, e.Account)
	if err != nil {
		return false, err
	}
	if e.SettledAt.Before(account.MovedAt) {
		return false, cannotUndo(e, viewing.Say("fault.undoMoved"))
	}
	claims, err := d.store.Claims(ctx, e.Account, []string{e.Media.Key()})
	if err != nil {
		return false, err
	}
	others := 0
	for _, claim := range claims {
		if claim.ID != e.ID && claim.State == viewing.StateDelivered {
			others++
		}
	}
	reading, err := service.AllHistory(ctx, e.Media.Type)
	if errors.Is(err, tracker.ErrNoEndpoint) {
		return false, cannotUndo(e, viewing.Say("fault.undoHidden"))
	}
	if v, ok := tracker.VerdictOf(err); ok {
		return false, cannotUndo(e, v.Problem)
	}
	if err != nil {
		return false, err
	}
	there, why := undoable(e, doubt.Precision(account.Keeps), reading, others)
	if why.Code != "" {
		return false, cannotUndo(e, why)
	}
	return there, nil
}

// undoable reports whether the history contains exactly one viewing of the entry's item and that
// is the entry's. If it must not be deleted, why says so. others is the number of our other
// delivered entries for the item.
func undoable(e queue.Entry, keeps doubt.Precision, r tracker.Reading, others int) (there bool, why viewing.Message) {
	var alike []string
	unclear, ours := 0, false
	for _, h := range r.Items {
		switch h.Compare(*e.Media) {
		case tracker.Same:
			alike = append(alike, h.WatchedAt.Local().Format(time.DateTime))
			ours = keeps.Same(h.WatchedAt, e.WatchedAt.Time())
		case tracker.Unclear:
			unclear++
		}
	}
	switch {
	case r.Bound:
		return false, viewing.Say("fault.undoLong")
	case !r.Complete:
		return false, viewing.Say("fault.undoChanged")
	case unclear > 0:
		return false, viewing.Say("fault.undoUnclear", "n", fmt.Sprint(unclear))
	case len(alike) > 1:
		return false, viewing.Say("fault.undoAll", "n", fmt.Sprint(len(alike)), "times", strings.Join(alike, ", "))
	case len(alike) == 1 && others > 0:
		return false, viewing.Say("fault.undoWhose")
	case len(alike) == 1 && !ours:
		return false, viewing.Say("fault.undoNotOurs", "at", alike[0])
	default:
		return len(alike) == 1, viewing.Message{}
	}
}

func cannotUndo(e queue.Entry, why viewing.Message) *control.Fault {
	return control.Refused(entryMessage("fault.undo", e.ID).Because(why), viewing.Say("hint.stillThere"))
}

// explain returns everything known about an entry and, unless it is pending, the next step for
// the user.
func (d *core) explain(ctx context.Context, id int64) (out control.Explanation, err error) {
	out.Explanation, err = d.store.Explain(ctx, id)
	if errors.Is(err, entry.ErrNotFound) {
		return out, control.NotFound(entryMessage("fault.noEntry", id), control.Command("filmspool diary"))
	}
	if err == nil {
		out.Candidates, err = d.store.Candidates(ctx, id)
	}
	if err == nil {
		entitled := []queue.Entry{out.Entry, out.Ahead}
		err = d.store.FillTitles(ctx, entitled)
		out.Entry, out.Ahead = entitled[0], entitled[1]
		d.titles.request(out.Entry)
		d.titles.rememberPosters(out.Candidates)
	}
	out.Why, out.Hint = control.Advice(out.Entry)
	return out, err
}

// Explain implements [control.API]. For a pending entry it says what the entry waits for: the
// most general obstacle first.
func (d *Daemon) Explain(ctx context.Context, id int64) (control.Explanation, error) {
	x, err := d.explain(ctx, id)
	if err != nil || x.State != viewing.StatePending {
		return x, err
	}
	if t, ok := d.store.Trouble(); ok {
		x.Why, x.Hint = t.Message(), storageHint(t, d.o.Paths.State)
		return x, nil
	}
	if d.accounts[x.Account] == nil {
		x.Why, x.Hint = viewing.Say("why.noAccount", "name", x.Account), control.Command("filmspool config show")
		return x, nil
	}
	status, err := d.accountStatus(ctx, x.Account)
	x.Why, x.Hint = control.WaitingFor(x.Explanation, status, time.Now())
	return x, err
}

// entryMessage returns a message about the entry with this id.
func entryMessage(code string, id int64) viewing.Message {
	return viewing.Say(code, "id", strconv.FormatInt(id, 10))
}

// storageHint returns the remedy for a queue that cannot be written.
func storageHint(t sqlite.Trouble, folder string) viewing.Message {
	if t.Full() {
		return viewing.Say("hint.freeSpace", "path", folder)
	}
	return viewing.Say("hint.makeWritable", "path", folder)
}

// queueFault converts an error of the queue into a fault of the control API, with the remedy.
func queueFault(err error) error {
	var state *queue.StateError
	var missing entry.Missing
	switch {
	case errors.As(err, &state):
		var hint viewing.Message
		if state.ID != 0 { // 0 if filters selected the entry
			if _, hint = control.Advice(entry.Entry{ID: state.ID, State: state.State, Reason: state.Reason}); hint.Code == "" {
				hint = control.Command("filmspool show %d", state.ID)
			}
		}
		return control.Refused(stateMessage(state), hint)
	case errors.Is(err, entry.ErrState), errors.Is(err, viewing.ErrInvalid):
		return control.Invalid(viewing.MessagesOf(err)[0], viewing.Message{})
	case errors.As(err, &missing):
		return control.NotFound(entryMessage("fault.noEntry", int64(missing)), control.Command("filmspool diary"))
	case errors.Is(err, entry.ErrSelection):
		return control.Invalid(viewing.Say("fault.noSelection"), viewing.Say("hint.select"))
	default:
		return err
	}
}

// stateMessage explains why the state of an entry does not allow a verb.
func stateMessage(e *queue.StateError) viewing.Message {
	m := viewing.Say("fault.locked", "verb", e.Verb, "id", strconv.FormatInt(e.ID, 10), "state", string(e.State))
	switch {
	case e.ID == 0:
		m.Code = "fault.lockedAll"
	case e.Why.Code != "":
		m.Code = "fault.lockedWhy"
		return m.Because(e.Why)
	case e.Reason != "":
		m.Code, m.Args["reason"] = "fault.lockedFor", e.Reason
	}
	return m
}
