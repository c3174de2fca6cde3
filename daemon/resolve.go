package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
	"github.com/filmspool/filmspool/daemon/locale"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/replay"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/resolve/tmdb"
	"github.com/filmspool/filmspool/queue/resolve/wikidata"
	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// provider is Wikidata or TMDB, if the user enabled it.
type provider struct {
	name, address string
	open          func() (resolve.Fetcher, error)
	detail        viewing.Message                  // which data it gets
	remedy        viewing.Message                  // for the user, when it refuses our requests
	client        atomic.Pointer[resolve.Provider] // nil if it cannot be used
	problem, hint viewing.Message                  // why it cannot be used, and the remedy
}

// openProviders opens the enabled providers once. A provider with a problem is shown in the
// status and not used. If none is enabled, cached answers are removed.
func (d *core) openProviders(ctx context.Context) {
	if d.providersOpen {
		return
	}
	d.providersOpen = true
	if set := d.o.Config.Resolve.Wikidata; set.Enabled {
		open := func() (resolve.Fetcher, error) { return wikidata.New(set.Endpoint, d.o.Version) }
		d.providers = append(d.providers, &provider{name: "Wikidata", address: set.Endpoint, open: open, detail: viewing.Say("asked.wikidata")})
	}
	if d.o.Config.Resolve.TMDB.Enabled {
		d.providers = append(d.providers, d.tmdbProvider())
	} else if err := os.RemoveAll(d.picturesDir()); err != nil {
		d.log.Warn("pictures not removed", "folder", d.picturesDir(), "error", err)
	}
	folder := filepath.Join(d.o.Paths.State, "answers")
	if len(d.providers) == 0 {
		if err := os.RemoveAll(folder); err != nil {
			d.log.Warn("answers not removed", "folder", folder, "error", err)
		}
		return
	}
	var keys []string
	for _, p := range d.providers {
		keys = append(keys, (&resolve.Provider{Name: p.name, Address: p.address}).CacheKey())
	}
	cache, fresh, err := resolve.OpenCache(folder, keys...)
	d.answers = cache
	for _, p := range d.providers {
		if err != nil {
			p.problem, p.hint = viewing.MessagesOf(err)[0], viewing.Say("hint.lookAtFolder", "path", d.o.Paths.State)
		} else if asker, err := p.open(); err != nil {
			p.problem, p.hint = viewing.MessagesOf(err)[0], p.remedy
		} else {
			d.useProvider(p, asker)
		}
	}
	if fresh {
		d.resolveAgain(ctx)
	}
}

// tmdbProvider returns the configured TMDB provider.
func (d *core) tmdbProvider() *provider {
	address := d.o.Config.Resolve.TMDB.BaseURL
	open := func() (resolve.Fetcher, error) {
		token, _, err := d.keys.TMDB()
		switch {
		case err != nil:
			return nil, err
		case token.IsZero():
			return nil, viewing.Say("asked.noToken")
		}
		return tmdb.New(address, token.Reveal())
	}
	return &provider{name: "TMDB", address: address, open: open, detail: viewing.Say("asked.tMDB"), remedy: control.Command("filmspool login --tmdb")}
}

// useProvider replaces the client of a provider.
func (d *core) useProvider(p *provider, asker resolve.Fetcher) {
	p.client.Store(&resolve.Provider{
		Name: p.name, Address: p.address, Fetcher: asker, Cache: d.answers, Log: d.log.With("part", "identity"),
	})
}

// chain returns the providers that can be used now.
func (d *core) chain() (c resolve.Chain) {
	for _, p := range d.providers {
		if client := p.client.Load(); client != nil {
			c = append(c, client)
		}
	}
	return c
}

// status returns the provider as a source of the status.
func (p *provider) status() control.Source {
	s := control.Source{Name: strings.ToLower(p.name), Kind: "resolver", State: account.OK, Details: []viewing.Message{p.detail}}
	problem, hint := p.problem, p.hint
	if client := p.client.Load(); client != nil {
		trouble := client.LastError()
		if trouble == nil {
			return s
		}
		problem, hint = viewing.MessagesOf(trouble)[0], p.remedy
		if later, ok := errors.AsType[*resolve.UnavailableError](trouble); ok {
			problem = later.Why
		}
		if !errors.Is(trouble, resolve.ErrRefused) {
			s.State, s.Details = account.Offline, []viewing.Message{viewing.Say("asked.later").Because(problem)}
			return s
		}
	}
	s.State, s.Hint, s.Details = account.Attention, hint, []viewing.Message{problem}
	s.Troubles = []control.Problem{{Code: health.SourceTroubled, About: p.name, What: &problem}}
	return s
}

// resolveAgain makes all unresolved entries be resolved again with the current providers.
func (d *core) resolveAgain(ctx context.Context) {
	for name := range d.o.Config.Accounts {
		if err := d.store.RetryLookups(ctx, name); err != nil {
			d.log.Warn("unresolved entries are not resolved again", "account", name, "error", err)
		}
	}
}

// Resolve implements [control.API].
func (d *core) Resolve(ctx context.Context, m viewing.Media) (control.Resolution, error) {
	d.openProviders(ctx)
	correction, err := d.store.CorrectionFor(ctx, m)
	if err != nil {
		return control.Resolution{}, err
	}
	english := locale.In(locale.English)
	if correction != nil {
		m, _ = correction.Apply(m)
	}
	if correction != nil && m.Identified() {
		why := english.Message(viewing.Say("resolve.corrected", "is", correction.Work.String())) + "."
		return control.Resolution{Candidates: []resolve.Candidate{}, By: "correction", Why: why, Correction: correction, Certain: control.CertainOf(m)}, nil
	}
	decision, trouble := d.resolve(ctx, viewing.DefaultAccount, resolve.Evidence{Media: m})
	r := control.ResolutionOf(decision, english.Message(decision.Message())+".")
	switch {
	case trouble == nil || decision.Item != nil:
	case errors.Is(trouble, replay.ErrNotNow):
		why := viewing.Say("fault.notAsked").Because(historyProblem(trouble))
		r.Trouble, r.Why = &why, english.Message(why)+"."
	default:
		r.Why += " " + strings.TrimSuffix(trouble.Error(), ".") + "."
	}
	return r, nil
}

// resolveTimeout limits the resolution of one item.
const resolveTimeout = 2 * time.Minute

// resolve identifies an item with an account's service and the providers. It records nothing.
func (d *core) resolve(ctx context.Context, account string, e resolve.Evidence) (decision resolve.Decision, err error) {
	ctx, cancel := context.WithTimeout(ctx, resolveTimeout)
	defer cancel()
	if a := d.accounts[account]; a != nil {
		decision, err = a.loop.Identify(ctx, e)
		if errors.Is(err, replay.ErrNotNow) && decision.By != "" {
			err = nil // the providers were asked
		}
	} else {
		var decided []resolve.Decision
		decided, err = d.chain().Decide(ctx, []resolve.Evidence{e})
		decision = decided[0]
		if err == nil && decision.By == "" { // neither the service nor a provider was asked
			err = fmt.Errorf("%w: %w", replay.ErrNotNow, viewing.Say("fault.notRunning"))
		}
	}
	d.titles.rememberPosters(decision.Candidates)
	return decision, err
}

// Fix implements [control.API].
func (d *core) Fix(ctx context.Context, f control.Fix) (out control.Fixed, err error) {
	x, err := d.explain(ctx, f.ID)
	if err != nil {
		return out, err
	}
	if err := queue.Correctable(x.Entry); err != nil {
		return out, queueFault(err)
	}
	readings := typed.ParseFix(f.What)
	if len(readings) > 0 {
		r := &readings[0]
		f.Season, f.Episode = cmp.Or(f.Season, r.Season), cmp.Or(f.Episode, r.Episode)
		if is := x.Entry.Media.Show; r.What == "" && is != nil { // only season and episode: of the same series
			r.What, r.Year = is.Title, is.Year
			if is.IDs.TMDB > 0 {
				r.What = strconv.FormatInt(is.IDs.TMDB, 10)
			}
		}
	}
	m := *x.Entry.Media
	m.Season, m.Episode = cmp.Or(f.Season, m.Season), cmp.Or(f.Episode, m.Episode)
	x.Entry.Media = &m
	switch {
	case m.Type != viewing.Episode && (f.Season != nil || f.Episode != nil):
		return out, control.Invalid(entryMessage("fault.noEpisode", f.ID), control.Command("filmspool fix %d NUMBER", f.ID))
	case m.Type == viewing.Episode && m.Title == "" && (m.Season == nil || m.Episode == nil):
		return out, control.Invalid(entryMessage("fault.placeless", f.ID), control.Command("filmspool fix %d NUMBER S01E02", f.ID))
	}
	out = control.Fixed{Entry: x.Entry, Candidates: []resolve.Candidate{}, Season: f.Season, Episode: f.Episode}
	if f.Is == nil {
		return out, d.findCandidates(ctx, readings, &out)
	}
	if f.Is.Type != resolve.ClueOf(m).Kind {
		return out, control.Invalid(entryMessage("fault.otherKind", f.ID), entryMessage("hint.addAgain", f.ID))
	}
	f.Is.Title = typed.Shortened(f.Is.Title)
	if out.CorrectionResult, err = d.store.Correct(ctx, queue.CorrectionRequest{Entry: f.ID, Is: *f.Is, Season: f.Season, Episode: f.Episode, DryRun: f.DryRun}); err != nil {
		return out, queueFault(err)
	}
	x, err = d.explain(ctx, f.ID)
	out.Entry = x.Entry
	return out, err
}

// findCandidates searches for what the user typed and stores the candidates in out.
func (d *core) findCandidates(ctx context.Context, readings []typed.Reading, out *control.Fixed) error {
	var m viewing.Media
	var trouble error
	for _, r := range readings {
		var err error
		if m, err = parseItem(*out.Entry.Media, r); err != nil {
			return err
		}
		d.openProviders(ctx)
		out.Searched = m.Title != ""
		decision, wrong := d.resolve(ctx, out.Entry.Account, resolve.Evidence{Media: m})
		if all := decision.CandidatesOf(m.Type); len(all) > 0 {
			out.Candidates = all
			if decision.Item != nil {
				out.Certain = &all[0]
			}
			return nil
		}
		trouble = wrong
	}
	message := viewing.Say("fault.nobodyKnows")
	switch {
	case errors.Is(trouble, replay.ErrNotNow):
		message = viewing.Say("fault.notAsked").Because(historyProblem(trouble))
	case trouble != nil:
		message = viewing.Say("fault.nothingFound").Because(viewing.MessagesOf(trouble)[0])
	}
	id := fmt.Sprint(out.Entry.ID)
	hint := viewing.Say("hint.fixNumber", "id", id)
	if m.Title != "" {
		hint = viewing.Say("hint.fixNumberAt", "id", id, "url", "https://www.themoviedb.org/search?query="+url.QueryEscape(m.Title))
	}
	return control.NotFound(message, hint)
}

// parseItem returns the film or series that a reading names by number, or the title to search
// for.
func parseItem(is viewing.Media, r typed.Reading) (m viewing.Media, err error) {
	clue := resolve.ClueOf(is)
	m = viewing.Media{Type: clue.Kind, Year: clue.Year}
	id, title := tvdbAddress(r.What)
	switch {
	case id > 0 && m.Type == viewing.TV:
		m.IDs.TVDB = id
		return m, nil
	case title != "":
		m.Title = title
		return m, nil
	}
	named, err := typed.ParseMedia(is.Type, r.What)
	refused, isRefused := errors.AsType[viewing.Message](err)
	switch {
	case typed.IsTitle(err):
		m.Title, m.Year = r.What, cmp.Or(r.Year, m.Year)
		return m, nil
	case isRefused:
		return m, control.Invalid(refused, viewing.Message{})
	case named.Show != nil:
		named.IDs = named.Show.IDs
	}
	return viewing.Media{Type: m.Type, IDs: named.IDs}, err
}

// tvdbAddress parses an address of thetvdb.com and returns the number of the series, or the words
// of its title.
func tvdbAddress(text string) (id int64, words string) {
	parts := regexp.MustCompile(`(?i)^(?:https?://)?(?:www\.)?thetvdb\.com/(?:dereferrer/series/(\d+)|series/([\w-]+)|movies?/([\w-]+))/?$`).FindStringSubmatch(strings.TrimSpace(text))
	if parts == nil {
		return 0, ""
	}
	id, _ = strconv.ParseInt(parts[1], 10, 64) // 0 for none
	return id, strings.ReplaceAll(parts[2]+parts[3], "-", " ")
}
