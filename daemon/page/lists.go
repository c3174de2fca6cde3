package page

import (
	"crypto/rand"
	"strconv"
	"strings"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// watchlistData is what a person wishes to watch, and the lists.
type watchlistData struct {
	Wishes []item
	Lists  []shelf
}

// shelf is a list with what was put on it from here.
type shelf struct {
	item
	Items []item
}

// maxListed is how many entries of one kind are shown.
const maxListed = 200

func showWatchlist(v *view) (any, error) {
	d := &watchlistData{}
	var all [3][]entry.Entry
	for i, kind := range []viewing.Kind{viewing.KindWatchlist, viewing.KindList, viewing.KindListItem} {
		var err error
		if all[i], err = v.api().List(v.ctx(), entry.Filter{Kind: kind, Kept: true, Limit: maxListed}); err != nil {
			return nil, err
		}
	}
	d.Wishes = v.items(all[0])
	for _, l := range all[1] {
		one := shelf{item: v.Item(l)}
		for _, e := range all[2] {
			if e.After == l.ID || e.List != nil && e.List.Name == l.List.Name {
				one.Items = append(one.Items, v.Item(e))
			}
		}
		d.Lists = append(d.Lists, one)
	}
	return d, nil
}

// watchedWish adds a viewing, of now, of a film on the watchlist.
func watchedWish(v *view) error {
	x, err := v.explain()
	if err != nil {
		return err
	}
	if x.Media == nil || x.Media.Type != viewing.Movie {
		return v.refuse("lists.needsEpisode")
	}
	at := viewing.At(time.Now().Truncate(time.Second))
	return v.add(viewing.Event{EventID: rand.Text(), Kind: viewing.KindViewing, Count: 1, Media: []viewing.Media{*x.Media}, WatchedAt: at})
}

// logData is what the form "log" shows.
type logData struct {
	Found []resolve.Candidate // what the words of the form may mean
}

func showLog(v *view) (any, error) {
	d := &logData{}
	d.Found, _ = v.Result.([]resolve.Candidate)
	return d, nil
}

// addFields are the fields of the form "add", for the form that asks which item is meant.
var addFields = []string{"what", "type", "season", "episode", "to", "at"}

// Fields returns the names of the form's fields.
func (*logData) Fields() []string { return addFields }

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
