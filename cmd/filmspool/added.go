package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/report"
	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
	"github.com/filmspool/filmspool/daemon/service"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// addition is an event that was typed.
type addition struct {
	v      viewing.Event
	asJSON bool
	again  bool // also when the same is there already
}

// wanting is how words that a person typed become a film or series.
type wanting struct {
	kind   viewing.MediaType // movie or tv; of an episode, its series is looked for
	flag   string            // that says it; "" for an argument
	choose int               // the candidate that --choose names; 0 for none
}

func chooseFlag(c *cobra.Command) *int {
	return c.Flags().Int("choose", 0, "of what the words find, it is this one, counted from 1")
}

// meant reads which film or series is meant. Words are looked for. They count where
// one alone is certain, or is chosen.
func (p *program) meant(ctx context.Context, text string, w wanting) (m viewing.Media, err error) {
	m, err = typed.ParseMedia(w.kind, text)
	if !typed.IsTitle(err) || len(text) > maxSearched {
		return m, usage.In(w.flag, err)
	}
	kind := w.kind
	if kind == viewing.Episode {
		kind = viewing.TV
	}
	var found control.Resolution
	asked := p.instance(ctx, daemon.Offline, func(ctl control.API) (err error) {
		wanted := control.Wanted{Kind: kind}
		wanted.Title, wanted.Year = typed.Dated(text)
		found, err = ctl.Resolve(ctx, wanted)
		return err
	})
	all := slices.DeleteFunc(found.Candidates, func(c resolve.Candidate) bool { return c.Type != kind })
	if said := found.Correction; said != nil && said.Told.Year == 0 { // another one may have that title
		found.Certain, all = nil, append([]resolve.Candidate{said.Is}, all...)
	}
	choice := &typed.Error{Problem: "it is not certain which one is meant; nothing is added", Next: "add --choose N, or give the number in its address"}
	switch {
	case asked != nil:
		return m, asked
	case found.Certain != nil:
		return typed.ParseMedia(w.kind, strconv.FormatInt(found.Certain.TMDB, 10))
	case len(all) == 0:
		return m, usage.In(w.flag, err)
	case w.choose > 0 && w.choose <= len(all):
		return typed.ParseMedia(w.kind, strconv.FormatInt(all[w.choose-1].TMDB, 10))
	case w.choose != 0:
		choice.Problem = fmt.Sprintf("--choose %d: there are only %d to choose from", w.choose, len(all))
		return m, choice
	default:
		return m, cmp.Or[error](report.Candidates(p.stdout, all), choice)
	}
}

// commit hands an event to the instance and tells what became of it.
func (p *program) commit(ctx context.Context, a addition) error {
	a.v.EventID = rand.Text()
	if err := usage.Event(a.v); err != nil {
		return err
	}
	o, err := p.options()
	if err != nil {
		return err
	}
	accounts := rules.Settings{Routes: o.Config.SourceRoutes()}.AccountsOf(viewing.SourceCLI)
	return p.instance(ctx, daemon.Offline, func(ctl control.API) error {
		e, err := a.earlier(ctx, ctl, accounts)
		if err != nil {
			return err
		}
		if e != nil {
			return p.sayThere(*e, a.asJSON)
		}
		added, err := ctl.Add(ctx, a.v)
		if err != nil {
			return err
		}
		return p.sayAdded(ctx, ctl, added, a.asJSON)
	})
}

// earlier is an entry that asks for the same wish or list already, where each of
// the accounts has one; nil for none. The same film may be watched often: of
// viewings there is none.
func (a addition) earlier(ctx context.Context, ctl control.API, accounts []string) (found *queue.Entry, err error) {
	if a.again || a.v.Kind == viewing.KindViewing {
		return nil, nil
	}
	q := entry.Filter{Kind: a.v.Kind}
	if len(a.v.Media) > 0 {
		q.Item = a.v.Media[0].Key()
	}
	for _, q.Account = range accounts {
		list, err := ctl.List(ctx, q)
		if err != nil {
			return nil, err
		}
		n := slices.IndexFunc(list, func(e queue.Entry) bool {
			return e.State != viewing.StateDropped && e.State != viewing.StateRejected && a.same(e)
		})
		if n < 0 {
			return nil, nil
		}
		found = &list[n]
	}
	return found, nil
}

// same reports whether an entry asks for the same. Another place on the
// watchlist is another wish.
func (a addition) same(e queue.Entry) bool {
	switch {
	case a.v.List != nil:
		return e.List != nil && e.List.Name == a.v.List.Name
	case e.Media == nil || e.Media.Type != a.v.Media[0].Type:
		return false
	case a.v.Priority != nil && (e.Priority == nil || *e.Priority != *a.v.Priority):
		return false
	case a.v.Media[0].Key() != "":
		return e.Media.Key() == a.v.Media[0].Key()
	default:
		return e.Media.IDs.IMDB == a.v.Media[0].IDs.IMDB
	}
}

// sayThere tells of an entry that asks for the same. Scripts get its id, as they
// would have got that of a new one.
func (p *program) sayThere(e queue.Entry, asJSON bool) error {
	place := "is on the watchlist already"
	if e.Kind == viewing.KindList {
		place = "was created already"
	}
	if e.State != viewing.StateDelivered {
		place = "is queued already"
	}
	p.stderr.Printf("%s %s: entry %d, %s. Nothing is added.\nhint:  to add it all the same: --again\n",
		e.Label(), place, e.ID, e.Standing())
	switch {
	case asJSON:
		return p.stdout.JSON(e)
	case !p.stdout.IsTerminal():
		p.stdout.Println(e.ID)
	}
	return nil
}

// sayAdded tells what was added and where it goes. A script reads the id of it on
// the standard output, and nothing else.
func (p *program) sayAdded(ctx context.Context, ctl control.API, e queue.Entry, asJSON bool) error {
	switch {
	case asJSON:
		p.sayKept(e)
		return p.stdout.JSON(e)
	case !p.stdout.IsTerminal():
		p.sayKept(e)
		p.stdout.Println(e.ID)
		return nil
	}
	when := ""
	if !e.WatchedAt.IsZero() {
		when = ", watched " + report.Watched(e)
	}
	verb := "Queued"
	if e.State != viewing.StatePending {
		verb = terminal.Capital(e.Standing())
	}
	p.stdout.Printf("%s as entry %d: %s%s.\n", verb, e.ID, e.Label(), when)
	if e.State != viewing.StatePending {
		p.sayNext(e)
		return nil
	}
	p.sayWaiting(ctx, ctl)
	return nil
}

// sayKept tells a script's log of an entry that does not leave by itself.
func (p *program) sayKept(e queue.Entry) {
	if e.State == viewing.StatePending {
		return
	}
	p.stderr.Printf("%s: %s; see filmspool queue explain %d\n", e.State, e.Reason, e.ID)
	p.sayNext(e)
}

// sayNext tells what lets an entry go that is kept back.
func (p *program) sayNext(e queue.Entry) {
	next := fmt.Sprintf("to let it go: filmspool queue release %d", e.ID)
	switch e.Reason {
	case viewing.ReasonFuture:
		next = fmt.Sprintf("its time lies ahead; to correct it: filmspool queue edit %d --watched-at TIME", e.ID)
	case viewing.ReasonUnresolved:
		next = fmt.Sprintf("the service is asked what it is; to say it yourself: filmspool queue edit %d --help", e.ID)
	}
	p.stderr.Hint(next)
}

// sayWaiting tells a person how many entries wait, and for what.
func (p *program) sayWaiting(ctx context.Context, ctl control.API) {
	s, err := ctl.Status(ctx)
	if err != nil {
		return // the entry is on disk, which is what was asked for
	}
	if s.Listen != "" {
		health.Tell(p.stdout.Speech(), &s)
		p.stdout.Println(s.Summary)
		p.stdout.Hint(s.Hint)
		return
	}
	p.stdout.Printf("Filmspool is not running: %s until it does.\nhint:  %s\n", waitingWords(s.Counts.Pending), service.StartHint(p.choice.System))
}

// waitingWords counts what waits.
func waitingWords(n int64) string {
	if n == 1 {
		return "1 entry waits"
	}
	return fmt.Sprintf("%d entries wait", n)
}
