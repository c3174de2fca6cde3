package page

import (
	"cmp"
	"crypto/rand"
	"fmt"
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

// logData is what somebody has typed into the page "log", and what that may mean.
type logData struct {
	Found []meaning
	Lists []entry.Entry // on which it can be put
}

// meaning is a film or series that was found, with what was typed besides.
type meaning struct {
	resolve.Candidate
	Season, Episode *int
	At              *typed.Time
}

// maxFound is how many meanings of a kind are shown.
const maxFound = 8

// showLog shows what the words in the address may mean: a title, number or address, the
// place of an episode, a time. It works while somebody types, too.
func showLog(v *view) (any, error) {
	d := &logData{}
	text := strings.TrimSpace(strings.ToValidUTF8(v.Typed("what"), ""))
	if text == "" {
		return d, nil
	}
	if len(text) > maxSearched {
		v.fail(v.refuse("diary.badWords"))
		return d, nil
	}
	readings, err := typed.ParseAdd([]string{text}, time.Now())
	if err != nil {
		v.fail(v.unread(err))
		return d, nil
	}
	var trouble *viewing.Message
	for _, r := range readings {
		if d.Found, trouble, err = v.meanings(r); err != nil {
			return nil, err
		}
		if len(d.Found) > 0 {
			break
		}
	}
	if len(d.Found) == 0 && trouble != nil {
		v.fail(*trouble)
		return d, nil
	}
	if len(d.Found) == 0 {
		v.fail(v.refuse("lists.nothingFound", "words", typed.Shortened(text)))
		return d, nil
	}
	d.Lists, err = v.api().List(v.ctx(), entry.Filter{Kind: viewing.KindList, Kept: true, Limit: maxListed})
	return d, err
}

// meanings returns what one reading of the words may mean; trouble is why nobody could be
// asked.
func (v *view) meanings(r typed.Reading) (all []meaning, trouble *viewing.Message, err error) {
	named, err := typed.ParseItem(r.What)
	kinds := []viewing.MediaType{viewing.Movie, viewing.TV}
	switch {
	case r.Season != nil || named.Type == viewing.TV || named.Type == viewing.Episode:
		kinds = kinds[1:]
	case named.Type == viewing.Movie:
		kinds = kinds[:1]
	}
	for _, kind := range kinds {
		wanted := control.Wanted{Kind: kind, IDs: named.IDs, Title: r.What, Year: r.Year}
		if err == nil {
			wanted.Title = ""
		}
		found, failed := v.api().Resolve(v.ctx(), wanted)
		if failed != nil {
			return nil, nil, failed
		}
		trouble = cmp.Or(trouble, found.Trouble)
		if c := found.Correction; c != nil {
			found.Candidates = slices.Insert(found.Candidates, 0, c.Is)
		} else if c := found.Certain; c != nil && !slices.ContainsFunc(found.Candidates, func(o resolve.Candidate) bool { return o.TMDB == c.TMDB }) {
			found.Candidates = slices.Insert(found.Candidates, 0, resolve.Candidate{Type: kind, TMDB: c.TMDB, Title: wanted.Title, Year: r.Year})
		}
		for _, c := range found.Candidates[:min(len(found.Candidates), maxFound)] {
			all = append(all, meaning{c, r.Season, r.Episode, r.At})
		}
	}
	return all, trouble, nil
}

// Name returns the title of what was found, or its number.
func (m meaning) Name(v *view) string {
	if m.Candidate.Title != "" {
		return typed.Shortened(m.Candidate.Title)
	}
	return v.Say("lists.number."+string(m.Type), "id", strconv.FormatInt(m.TMDB, 10))
}

// Place returns the place of the episode: "S01E02"; "" for none.
func (m meaning) Place() string {
	if m.Season == nil || m.Episode == nil {
		return ""
	}
	return fmt.Sprintf("S%02dE%02d", *m.Season, *m.Episode)
}

// When returns when it was watched, in RFC 3339; "" for now.
func (m meaning) When() string {
	if m.At == nil {
		return ""
	}
	return m.At.Instant(time.Now()).Time().Format(time.RFC3339)
}

// logItem adds what somebody has chosen: to the diary, the watchlist or a list.
func logItem(v *view) error {
	is, ok := choiceOf(v.PostFormValue("choice"))
	if !ok {
		return v.refuse("diary.badChoice")
	}
	m := viewing.Media{Type: viewing.Movie}
	if v.PostFormValue("type") != string(viewing.Movie) {
		m.Type = viewing.TV
	}
	event := viewing.Event{EventID: rand.Text(), Kind: viewing.KindWatchlist}
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
			event.WatchedAt, err = v.watchedAt()
		}
		if err != nil {
			return err
		}
	}
	event.Media = []viewing.Media{is.Apply(m)}
	v.Next = "/log"
	return v.add(event)
}

// add adds an event. A wish or list that is there already is not added twice.
func (v *view) add(event viewing.Event) error {
	e, err := v.api().Add(v.ctx(), event)
	switch {
	case err != nil:
		return err
	case e.EventID != event.EventID:
		return v.refuse("lists.there")
	}
	v.flash("lists.added", "what", v.Label(e))
	if e.State == viewing.StateHeld {
		v.flash("lists.held")
	}
	return nil
}
