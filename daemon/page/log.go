package page

import (
	"cmp"
	"crypto/rand"
	"strings"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// logData is the data of the page "log".
type logData struct {
	Found []meaning
	Lists []entry.Entry // the lists it can be added to
}

// meaning is a film or series that was found, with the typed episode and time.
type meaning struct{ control.Meaning }

// maxFound is how many results of a kind are shown.
const maxFound = 8

// showLog shows the search results for the words in the query: a title, number or address, the
// place of an episode, a time. The page's script calls it while a person types.
func showLog(v *view) (any, error) {
	d := &logData{}
	text := strings.TrimSpace(strings.ToValidUTF8(v.Typed("what"), ""))
	if text == "" {
		return d, nil
	}
	if len(text) > maxSearched {
		return d, v.refuse("diary.badWords")
	}
	readings, err := typed.ParseAdd(strings.Fields(text), time.Now())
	if err != nil {
		return d, v.unread(err)
	}
	named, _ := typed.ParseItem(readings[0].What)
	kinds := []viewing.MediaType{viewing.Movie, viewing.TV}
	switch {
	case readings[0].Season != nil || named.Type == viewing.TV || named.Type == viewing.Episode:
		kinds = kinds[1:]
	case named.Type == viewing.Movie:
		kinds = kinds[:1]
	}
	var trouble *viewing.Message
	for _, kind := range kinds {
		found, why, err := v.api().Meanings(v.ctx(), readings, kind)
		if err != nil {
			return nil, err
		}
		trouble = cmp.Or(trouble, why)
		for _, m := range found[:min(len(found), maxFound)] {
			d.Found = append(d.Found, meaning{m})
		}
	}
	switch {
	case len(d.Found) > 0:
	case trouble != nil:
		return d, v.unread(*trouble)
	default:
		return d, v.refuse("lists.nothingFound", "words", typed.Shortened(text))
	}
	d.Lists, err = v.api().List(v.ctx(), entry.Filter{Kind: viewing.KindList, Kept: true, Limit: maxListed})
	return d, err
}

// Place returns the place of the episode: "S01E02"; "" for none.
func (m meaning) Place() string { return placeOf(m.Season, m.Episode) }

// Viewing returns an entry with the time that was typed; the zero Entry for now.
func (m meaning) Viewing() (e entry.Entry) {
	if m.At != nil {
		at := m.At.Instant(time.Now())
		e.Kind, e.WatchedAt, e.DayOnly = viewing.KindViewing, entry.Moment{Instant: at}, at.Precision == viewing.Day
	}
	return e
}

// logItem adds the chosen result to the diary, the watchlist or a list.
func logItem(v *view) error {
	is, ok := choiceOf(v.PostFormValue("choice"))
	if !ok {
		return v.refuse("diary.badChoice")
	}
	m := viewing.Media{Type: viewing.Movie}
	if v.PostFormValue("type") != string(viewing.Movie) {
		m.Type = viewing.TV
	}
	event := viewing.Event{Kind: viewing.KindWatchlist}
	var err error
	switch to := v.PostFormValue("to"); to {
	case "watchlist":
	case "list":
		event.Kind, event.InList = viewing.KindListItem, v.PostFormValue("list")
	default:
		event.Kind, event.Count = viewing.KindViewing, 1
		if m.Type == viewing.TV {
			m.Type = viewing.Episode
			if m.Season, m.Episode, err = v.place(); err == nil && (m.Season == nil || m.Episode == nil) {
				err = v.refuse("lists.needsEpisode")
			}
		}
		if err == nil {
			event.WatchedAt, err = v.watchedAt(v.PostFormValue("at"))
		}
		if err != nil {
			return err
		}
	}
	event.Media = []viewing.Media{is.Apply(m)}
	v.Next = "/log"
	return v.add(event)
}

// add adds an event. It refuses an item of the watchlist, or a list, that exists already.
func (v *view) add(event viewing.Event) error {
	event.EventID = rand.Text()
	e, err := v.api().Add(v.ctx(), event)
	switch {
	case err != nil:
		return err
	case e.EventID != event.EventID:
		return v.refuse("lists.there")
	}
	v.flash("lists.added", "what", v.Label(e))
	if e.State == viewing.StateHeld {
		if err := v.load(); err != nil {
			return err
		}
		if e.Reason != viewing.ReasonUnresolved || !v.Status.IsLocal() {
			v.flash("lists.held")
		}
	}
	return nil
}
