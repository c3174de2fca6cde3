package page

import (
	"crypto/rand"
	"slices"
	"strconv"
	"strings"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// listsData is what was added to the watchlist and which lists were created.
type listsData struct {
	Entries []entry.Entry
	Found   []resolve.Candidate // what the words of a form may mean
}

// maxListed is how many entries of one kind are shown.
const maxListed = 50

func showLists(v *view) (any, error) {
	d := &listsData{}
	d.Found, _ = v.Result.([]resolve.Candidate)
	for _, kind := range []viewing.Kind{viewing.KindWatchlist, viewing.KindList} {
		some, err := v.api().List(v.ctx(), entry.Filter{Kind: kind, Limit: maxListed})
		if err != nil {
			return nil, err
		}
		d.Entries = append(d.Entries, some...)
	}
	slices.SortStableFunc(d.Entries, func(a, b entry.Entry) int { return int(b.ID - a.ID) })
	return d, nil
}

// addFields are the fields of the form "add", for the form that asks which item is meant.
var addFields = []string{"what", "type", "season", "episode", "to", "at"}

// Fields returns the names of the form's fields.
func (*listsData) Fields() []string { return addFields }

// addByHand adds a film, series or episode to the diary or the watchlist. Words that may
// mean several items have the page ask which.
func addByHand(v *view) error {
	m, found, err := v.item()
	switch {
	case err != nil:
		return err
	case found != nil:
		return v.result(found, nil)
	}
	event := viewing.Event{EventID: rand.Text(), Kind: viewing.KindWatchlist, Media: []viewing.Media{m}}
	if v.PostFormValue("to") == "diary" {
		event.Kind, event.Count = viewing.KindViewing, 1
		if m.Type == viewing.TV {
			return v.refuse("lists.needsEpisode")
		}
		if event.WatchedAt, err = v.watchedAt(); err != nil {
			return err
		}
		return v.add(event)
	}
	return v.addOnce(event, entry.Filter{Kind: viewing.KindWatchlist, Item: m.Key()}, func(e entry.Entry) bool {
		return e.Media != nil && e.Media.Type == m.Type && e.Media.Key() == m.Key()
	})
}

// createList creates a list at the service.
func createList(v *view) error {
	name := strings.TrimSpace(v.PostFormValue("name"))
	l := &viewing.List{Name: name, Description: v.PostFormValue("description"), Visibility: v.PostFormValue("visibility")}
	event := viewing.Event{EventID: rand.Text(), Kind: viewing.KindList, List: l}
	return v.addOnce(event, entry.Filter{Kind: viewing.KindList}, func(e entry.Entry) bool { return e.List != nil && e.List.Name == name })
}

// addOnce adds an event, unless the same is at the service or may come there.
func (v *view) addOnce(event viewing.Event, f entry.Filter, same func(entry.Entry) bool) error {
	all, err := v.api().List(v.ctx(), f)
	if err != nil {
		return err
	}
	for _, e := range all {
		if same(e) && e.State != viewing.StateDropped && e.State != viewing.StateRejected {
			return v.refuse("lists.there")
		}
	}
	return v.add(event)
}

func (v *view) add(event viewing.Event) error {
	e, err := v.api().Add(v.ctx(), event)
	if err != nil {
		return err
	}
	v.flash("lists.added", "what", v.Label(e), "id", strconv.FormatInt(e.ID, 10))
	if e.State == viewing.StateHeld {
		v.flash("lists.held")
	}
	return nil
}

// item returns the item that the form names by number, address, title or choice, or what
// a title may mean where that is not certain.
func (v *view) item() (m viewing.Media, found []resolve.Candidate, err error) {
	kind := viewing.TV
	if v.PostFormValue("type") == string(viewing.Movie) {
		kind = viewing.Movie
	}
	text := strings.TrimSpace(v.PostFormValue("what"))
	if chosen := v.PostFormValue("choose"); chosen != "" {
		text = chosen
	}
	m, err = typed.ParseMedia(kind, text)
	switch {
	case typed.IsTitle(err):
		m, found, err = v.searchTitle(kind, text)
	case err != nil:
		err = v.unread(err)
	}
	if err != nil || found != nil || m.Type != viewing.TV || v.PostFormValue("episode") == "" {
		return m, found, err
	}
	season, number, err := v.place()
	if err == nil && (season == nil || number == nil) {
		err = v.refuse("lists.needsEpisode")
	}
	return viewing.Media{Type: viewing.Episode, Show: &viewing.Show{IDs: m.IDs}, Season: season, Episode: number}, nil, err
}

func (v *view) searchTitle(kind viewing.MediaType, text string) (m viewing.Media, found []resolve.Candidate, err error) {
	wanted := control.Wanted{Kind: kind}
	wanted.Title, wanted.Year = typed.Dated(text)
	r, err := v.api().Resolve(v.ctx(), wanted)
	switch {
	case err != nil:
		return m, nil, err
	case r.Certain != nil && r.Correction == nil:
		c := resolve.Candidate{Type: kind, TMDB: r.Certain.TMDB, Title: wanted.Title, Year: wanted.Year}
		return c.Apply(viewing.Media{Type: kind}), nil, nil
	case len(r.Candidates) == 0:
		return m, nil, v.refuse("lists.nothingFound", "words", typed.Shortened(text))
	default:
		return m, r.Candidates, nil
	}
}
