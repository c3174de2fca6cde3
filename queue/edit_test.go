package queue

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// movie returns the new item of an edit.
func movie(tmdb int64) *viewing.Media {
	return &viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: tmdb}}
}

func TestEditByState(t *testing.T) {
	s := openNew(t)
	allowed := map[viewing.State]viewing.State{viewing.StatePending: viewing.StatePending, viewing.StateHeld: viewing.StatePending, viewing.StateRejected: viewing.StatePending}
	for state, id := range s.oneInEachState(t) {
		before := s.entry(t, id)
		got, err := s.Edit(t.Context(), id, entry.Edit{Media: movie(77)})
		after := s.entry(t, id)
		want, ok := allowed[state]
		if !ok {
			var refusal *StateError
			if !errors.As(err, &refusal) || refusal.State != state || cmp.Diff(before, after) != "" {
				t.Errorf("edit of %s: %v", state, err)
			}
			continue
		}
		if err != nil || after.State != want || after.Reason != "" || after.Media.IDs.TMDB != 77 ||
			after.Revision != before.Revision+1 || cmp.Diff(got, after) != "" {
			t.Errorf("edit of %s: %v, then %+v", state, err, after)
		}
	}
	s.checkCounters(t)
	if _, err := s.Edit(t.Context(), 999, entry.Edit{Media: movie(1)}); !errors.Is(err, entry.ErrNotFound) {
		t.Errorf("edit of nothing: %v", err)
	}
}

func TestEditReleasesOnlyIfItSuppliesWhatIsMissing(t *testing.T) {
	ahead := viewing.At(noon().Add(time.Hour))
	past := viewing.At(noon().Add(-time.Hour))
	for name, c := range map[string]struct {
		change func(*viewing.Event)
		edit   entry.Edit
		state  viewing.State
		reason string
	}{
		"unresolved by a time":     {func(v *viewing.Event) { v.Media[0].IDs = viewing.IDs{} }, entry.Edit{WatchedAt: past}, viewing.StateHeld, "unresolved"},
		"unresolved by an id":      {func(v *viewing.Event) { v.Media[0].IDs = viewing.IDs{} }, entry.Edit{Media: movie(5)}, viewing.StatePending, ""},
		"future by a time":         {func(v *viewing.Event) { v.WatchedAt = ahead }, entry.Edit{WatchedAt: past}, viewing.StatePending, ""},
		"future by an id":          {func(v *viewing.Event) { v.WatchedAt = ahead }, entry.Edit{Media: movie(5)}, viewing.StateHeld, "future"},
		"review by a time":         {func(v *viewing.Event) { v.Class = viewing.ClassReview }, entry.Edit{WatchedAt: past}, viewing.StatePending, ""},
		"review by a time, no id":  {func(v *viewing.Event) { v.Class = viewing.ClassReview; v.Media[0].IDs = viewing.IDs{} }, entry.Edit{WatchedAt: past}, viewing.StateHeld, "unresolved"},
		"bulk by an id and a time": {func(v *viewing.Event) { v.Class = viewing.ClassBulk }, entry.Edit{Media: movie(5), WatchedAt: past}, viewing.StateHeld, "bulk"},
	} {
		t.Run(name, func(t *testing.T) {
			s := openNew(t)
			v := film("e1", 603, -10)
			c.change(&v)
			id := s.commit(t, v)[0].Entries[0]
			e, err := s.Edit(t.Context(), id, c.edit)
			if err != nil || e.State != c.state || e.Reason != c.reason {
				t.Errorf("it is %s (%s), %v; want %s (%s)", e.State, e.Reason, err, c.state, c.reason)
			}
			s.checkCounters(t)
		})
	}
}

func TestEditRejectsInvalidValues(t *testing.T) {
	s := openNew(t)
	wish := film("wish", 2, 0)
	wish.Kind, wish.WatchedAt, wish.Count = viewing.KindWatchlist, viewing.Instant{}, 0
	list := viewing.Event{Kind: viewing.KindList, EventID: "list", List: &viewing.List{Name: "Noir"}}
	outcomes := s.commit(t, film("film", 1, -10), wish, list)
	for name, c := range map[string]struct {
		of    int
		edit  entry.Edit
		field string
	}{
		"nothing":              {0, entry.Edit{}, "field.nothing"},
		"no identifier":        {0, entry.Edit{Media: &viewing.Media{Type: viewing.Movie, Title: "Alpha"}}, "media"},
		"series as a viewing":  {0, entry.Edit{Media: &viewing.Media{Type: viewing.TV, IDs: viewing.IDs{TMDB: 1}}}, "media.type"},
		"negative":             {0, entry.Edit{Media: movie(-5)}, "media"},
		"ahead":                {0, entry.Edit{WatchedAt: viewing.At(noon().Add(time.Minute))}, "watchedAt"},
		"time of a wish":       {1, entry.Edit{WatchedAt: viewing.At(noon().Add(-time.Hour))}, "watchedAt"},
		"time of a list":       {2, entry.Edit{WatchedAt: viewing.At(noon().Add(-time.Hour))}, "watchedAt"},
		"media of a list":      {2, entry.Edit{Media: movie(1)}, "media"},
		"episode on watchlist": {1, entry.Edit{Media: &viewing.Media{Type: viewing.Episode, IDs: viewing.IDs{TMDB: 1}}}, "media.type"},
	} {
		id := outcomes[c.of].Entries[0]
		before := s.entry(t, id)
		_, err := s.Edit(t.Context(), id, c.edit)
		if !errors.Is(err, viewing.ErrInvalid) || !strings.Contains(err.Error(), c.field) {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(before, s.entry(t, id)); diff != "" {
			t.Errorf("%s was refused, yet:\n%s", name, diff)
		}
	}
}

func TestEditKeepsUnsetFields(t *testing.T) {
	old := viewing.Media{
		Type: viewing.Episode, IDs: viewing.IDs{TMDB: 9}, Title: "Pilot", Season: pointer(1), Episode: pointer(2),
		Show: &viewing.Show{IDs: viewing.IDs{TMDB: 1396}, Title: "Show Red"},
	}
	nameless := viewing.Media{Type: viewing.Episode, Show: &viewing.Show{Title: "Show Red"}, Title: "Pilot", Season: pointer(1), Episode: pointer(2)}
	show := &viewing.Show{IDs: viewing.IDs{TMDB: 7}}
	for name, c := range map[string]struct {
		old, edit, want viewing.Media
	}{
		"only the number": {
			old,
			viewing.Media{Type: viewing.Episode, Episode: pointer(3)},
			viewing.Media{Type: viewing.Episode, Show: old.Show, Season: pointer(1), Episode: pointer(3)},
		},
		"only the series": {
			old,
			viewing.Media{Type: viewing.Episode, Show: show},
			viewing.Media{Type: viewing.Episode, Show: show, Season: pointer(1), Episode: pointer(2)},
		},
		"the series of what had a title only": {nameless, viewing.Media{Type: viewing.Episode, Show: show}, viewing.Media{
			Type: viewing.Episode, Title: "Pilot", Season: pointer(1), Episode: pointer(2),
			Show: &viewing.Show{IDs: viewing.IDs{TMDB: 7}, Title: "Show Red"},
		}},
		"another type": {old, *movie(5), *movie(5)},
	} {
		got := fillIdentity(c.edit, &c.old)
		if diff := cmp.Diff(c.want, *got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
	if show.Title != "" {
		t.Error("the caller's series was changed")
	}
}

func TestEditWinsOverAnAmendment(t *testing.T) {
	s := openNew(t)
	id := s.commit(t, film("e1", 603, -10))[0].Entries[0]
	s.edit(t, id, entry.Edit{Media: movie(604)})
	s.amend(t, viewing.Amendment{EventID: "e1", Media: identified(605), Reason: viewing.Say("the library knows it now")})
	x := s.explained(t, id)
	if x.Entry.Media.IDs.TMDB != 604 {
		t.Errorf("it is %d now", x.Entry.Media.IDs.TMDB)
	}
	if last := x.Steps[len(x.Steps)-1]; last.Code != "noted.item" || last.Cause == nil || last.Cause.Code != "the library knows it now" {
		t.Errorf("last step %+v", last)
	}
}
