package page

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// listsRoom is where a person adds by hand: to the diary, to the watchlist, a list.
func listsRoom() room {
	return room{path: "/lists", name: "lists", menu: true, show: showLists, acts: map[string]act{"add": addByHand, "create": createList}}
}

// listsData is what was added from here, and what the words of a form may mean.
type listsData struct {
	Entries []entry.Entry
	Found   []resolve.Candidate
}

// mostShown bounds how many entries of one kind are shown.
const mostShown = 50

func showLists(v *visit) (any, error) {
	d := &listsData{}
	d.Found, _ = v.Shown.([]resolve.Candidate) // nil where nothing was looked for
	for _, kind := range []viewing.Kind{viewing.KindWatchlist, viewing.KindList} {
		some, err := v.api().List(v.ctx(), entry.Filter{Kind: kind, Limit: mostShown})
		if err != nil {
			return nil, err
		}
		d.Entries = append(d.Entries, some...)
	}
	slices.SortStableFunc(d.Entries, func(a, b entry.Entry) int { return int(b.ID - a.ID) })
	return d, nil
}

// addByHand adds a film, series or episode: to the diary, or to the watchlist. Words
// that may mean several have the page ask which.
func addByHand(v *visit) error {
	m, err := v.meant()
	if err != nil || v.preview {
		return err
	}
	event := viewing.Event{EventID: rand.Text(), Kind: viewing.KindWatchlist, Media: []viewing.Media{m}}
	if v.PostFormValue("to") == "diary" {
		event.Kind, event.Count = viewing.KindViewing, 1
		if m.Type == viewing.TV {
			return v.refuse("lists.needsEpisode")
		}
		if event.WatchedAt, err = v.ended(); err != nil {
			return err
		}
		return v.add(event)
	}
	switch there, err := v.wished(m); {
	case err != nil:
		return err
	case there:
		return v.refuse("lists.there")
	}
	return v.add(event)
}

// createList creates a list at the service, unless there is one of that name.
func createList(v *visit) error {
	name := strings.TrimSpace(v.PostFormValue("name"))
	l := &viewing.List{Name: name, Description: v.PostFormValue("description"), Visibility: v.PostFormValue("visibility")}
	all, err := v.api().List(v.ctx(), entry.Filter{Kind: viewing.KindList})
	if err != nil {
		return err
	}
	for _, e := range all {
		if e.List != nil && e.List.Name == name && counts(e) {
			return v.refuse("lists.there")
		}
	}
	return v.add(viewing.Event{EventID: rand.Text(), Kind: viewing.KindList, List: l})
}

// counts reports whether an entry is, or may come to be, at the service.
func counts(e entry.Entry) bool {
	return e.State != viewing.StateDropped && e.State != viewing.StateRejected
}

// wished reports whether the same wish was added from here already.
func (v *visit) wished(m viewing.Media) (bool, error) {
	all, err := v.api().List(v.ctx(), entry.Filter{Kind: viewing.KindWatchlist, Item: m.Key()})
	return slices.ContainsFunc(all, func(e entry.Entry) bool {
		return counts(e) && e.Media != nil && e.Media.Type == m.Type && e.Media.Key() == m.Key()
	}), err
}

// add commits an event, and tells what became of it.
func (v *visit) add(event viewing.Event) error {
	e, err := v.api().Add(v.ctx(), event)
	if err != nil {
		return err
	}
	v.tell("lists.added", "what", v.Label(e), "id", strconv.FormatInt(e.ID, 10))
	if e.State == viewing.StateHeld {
		v.tell("lists.held")
	}
	return nil
}

// ended is when a viewing ended, as the form says; now where it is silent.
func (v *visit) ended() (viewing.Instant, error) {
	now := time.Now()
	text := v.PostFormValue("at")
	if text == "" {
		return viewing.At(now.Truncate(time.Second)), nil
	}
	t, err := typed.ParseTime(text, now)
	if err != nil {
		return viewing.Instant{}, v.misread(err)
	}
	return t.Instant(now), nil
}

// misread is what a person is told of a text that is not understood.
func (v *visit) misread(err error) error {
	if m, ok := errors.AsType[viewing.Message](err); ok {
		return &refusal{v.Message(m)}
	}
	return err
}

// meant is the item that a form names: by number, by address, by words of which one
// alone is certain, or by the choice that a person has made. Else it asks.
func (v *visit) meant() (m viewing.Media, err error) {
	kind := viewing.MediaType(v.PostFormValue("type"))
	if kind != viewing.Movie {
		kind = viewing.TV
	}
	text := strings.TrimSpace(v.PostFormValue("what"))
	if chosen := v.PostFormValue("choose"); chosen != "" {
		text = chosen
	}
	m, err = typed.ParseMedia(kind, text)
	if typed.IsTitle(err) {
		m, err = v.search(v.ctx(), text, kind)
	}
	if err != nil || v.preview {
		return m, v.misread(err)
	}
	if m.Type == viewing.TV && v.PostFormValue("episode") != "" {
		return v.episode(m)
	}
	return m, nil
}

// search asks what words mean. What is not certain is shown to choose from.
func (v *visit) search(ctx context.Context, text string, kind viewing.MediaType) (m viewing.Media, err error) {
	wanted := control.Wanted{Kind: kind}
	wanted.Title, wanted.Year = typed.Dated(text)
	r, err := v.api().Resolve(ctx, wanted)
	switch {
	case err != nil:
		return m, err
	case r.Certain != nil && r.Correction == nil:
		return resolve.Candidate{Type: kind, TMDB: r.Certain.TMDB, Title: wanted.Title, Year: wanted.Year}.Apply(viewing.Media{Type: kind}), nil
	case len(r.Candidates) == 0:
		return m, v.refuse("lists.nothingFound", "words", typed.Shortened(text))
	}
	v.Shown, v.preview = r.Candidates, true
	return m, nil
}

// episode is an episode of a series, as the form places it.
func (v *visit) episode(series viewing.Media) (viewing.Media, error) {
	season, err := strconv.Atoi(v.PostFormValue("season"))
	number, err2 := strconv.Atoi(v.PostFormValue("episode"))
	if err != nil || err2 != nil {
		return series, v.refuse("lists.needsEpisode")
	}
	return viewing.Media{Type: viewing.Episode, Show: &viewing.Show{IDs: series.IDs}, Season: &season, Episode: &number}, nil
}
