package queue

import (
	"testing"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
)

// A number that the person typed is not what the source told.
func TestACorrectionRemembersWhatTheSourceTold(t *testing.T) {
	s := fresh(t)
	all := s.commitIDs(t, called("e1", "Alpha", 1999, -60), called("e2", "Alpha", 1999, -50))
	mistyped := viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{IMDB: "tt0000999"}}
	if _, err := s.Edit(t.Context(), all[0], entry.Edit{Media: &mistyped}); err != nil {
		t.Fatal(err)
	}
	if did := s.correct(t, all[0], theFilm(603)); did.Remembered == nil || did.Remembered.Told.IDs != (viewing.IDs{}) || did.AlsoChanged != 1 {
		t.Errorf("%+v", did)
	}
	other := called("e3", "Wholly Other", 2000, -40)
	other.Media[0].IDs.IMDB = "tt0000999"
	s.wantKeys(t, map[int64]string{all[1]: "movie:603", s.commitIDs(t, other)[0]: ""})
}

// Season and number that were found out for the wrong series are not the right one's.
func TestACorrectionTakesThePlaceThatTheSourceTold(t *testing.T) {
	s := fresh(t)
	red := viewing.Show{Title: "Show Red", Year: 2008}
	all := s.commitIDs(t, part("a", red, 4, 5, -90), part("b", red, 4, 6, -60))
	for n, l := range s.wantLookups(t, 2, all...) {
		m := theSeries(9).Apply(*l.Entry.Media)
		season, number := 1, 80+n
		m.Season, m.Episode = &season, &number
		s.found(t, Finding{Lookup: l, Media: &m, Why: viewing.Say("text", "text", "TMDB counts them in one season.")})
	}
	s.correct(t, all[0], theSeries(20))
	s.wantKeys(t, map[int64]string{all[0]: "episode:20:4:5", all[1]: "episode:20:4:6", s.commitIDs(t, part("c", red, 4, 7, -30))[0]: "episode:20:4:7"})
}

// What nobody could be asked about by then hears of the correction all the same.
func TestACorrectionWinsOverWhatIsFoundLater(t *testing.T) {
	s := fresh(t)
	all := s.commitIDs(t, called("e1", "Alpha", 1999, -90), called("e2", "Alpha", 1999, -30))
	if _, err := s.Drop(t.Context(), entry.Selection{IDs: all[:1]}, false); err != nil {
		t.Fatal(err)
	}
	s.correct(t, all[1], theFilm(603))
	if _, err := s.ReleaseHeld(t.Context(), entry.Selection{IDs: all[:1]}, false); err != nil {
		t.Fatal(err)
	}
	s.found(t, is(s.wantLookups(t, 1, all[0])[0], 999))
	s.wantKeys(t, map[int64]string{all[0]: "movie:603"})
}

// What followed a correction follows the next one, too, after the first was forgotten.
func TestACorrectionAfterOneThatWasForgotten(t *testing.T) {
	s := fresh(t)
	all := s.commitIDs(t, called("e1", "Alpha", 1999, -90), of(viewing.ClassBulk, called("e2", "Alpha", 1999, -30)))
	say := func(tmdb int64) resolve.Corrected {
		did, err := s.Correct(t.Context(), Correcting{Told: called("", "Alpha", 1999, 0).Media[0], Is: theFilm(tmdb)})
		if err != nil {
			t.Fatal(err)
		}
		return did
	}
	first := say(603)
	if err := s.ForgetCorrection(t.Context(), first.Remembered.ID); err != nil {
		t.Fatal(err)
	}
	if did := say(604); did.AlsoChanged != 2 || did.Before != nil {
		t.Errorf("%+v", did)
	}
	s.wantKeys(t, map[int64]string{all[0]: "movie:604", all[1]: "movie:604"})
}

// What another source saw as well stays where that one has it.
func TestACorrectionLeavesWhatAnotherSourceToldItself(t *testing.T) {
	s := fresh(t)
	s.correct(t, s.commitIDs(t, called("e0", "Alpha", 1999, -600))[0], theFilm(603))
	one := s.commitIDs(t, called("e1", "Alpha", 1999, -60))[0]
	if _, err := s.Commit(t.Context(), viewing.Batch{Source: "kodi:1", Events: []viewing.Event{film("k1", 603, -60)}}); err != nil {
		t.Fatal(err)
	}
	s.correct(t, s.commitIDs(t, called("e2", "Beta", 1999, -300))[0], theFilm(604)) // of another name: nothing to do with it
	did, err := s.Correct(t.Context(), Correcting{Told: called("", "Alpha", 1999, 0).Media[0], Is: theFilm(604)})
	if err != nil || did.AlsoChanged != 1 {
		t.Errorf("%+v, %v", did, err)
	}
	s.wantKeys(t, map[int64]string{one: "movie:603"})
	if !s.hasStep(t, one, "noted.corrected", theFilm(604).String()) {
		t.Errorf("%+v", s.explained(t, one).Steps)
	}
}

// A person says that S03E01 of a site is S02E01. The others of that season are in the
// site's count as well, so none of them follows, and nothing is remembered.
func TestACorrectionOfAPlaceIsOfOneEntryAlone(t *testing.T) {
	s := fresh(t)
	red := viewing.Show{Title: "Show Red"}
	own := func(id string, number, minute int) viewing.Event {
		v := at(part(id, red, 3, number, minute), "netflix", "7014")
		v.Media[0].Site.Numbering = viewing.SiteNumbering
		return v
	}
	all := s.commitIDs(t, own("e1", 1, -90), own("e2", 2, -60))
	did, err := s.Correct(t.Context(), Correcting{Entry: all[0], Is: theSeries(7), Season: new(2), Episode: new(1)})
	if err != nil || did != (resolve.Corrected{}) {
		t.Errorf("%+v, %v", did, err)
	}
	s.wantKeys(t, map[int64]string{all[0]: "episode:7:2:1", all[1]: "", s.commitIDs(t, own("e3", 3, -5))[0]: ""})
	// Without a place, the next one leaves that place, and is of this entry alone, too.
	if did := s.correct(t, all[0], theSeries(8)); did != (resolve.Corrected{}) {
		t.Errorf("%+v", did)
	}
	s.wantKeys(t, map[int64]string{all[0]: "episode:8:2:1", all[1]: ""})
	// The place that was told is no other place.
	did, err = s.Correct(t.Context(), Correcting{Entry: all[1], Is: theSeries(7), Season: new(3), Episode: new(2)})
	if err != nil || did.Remembered == nil || did.AlsoChanged != 1 {
		t.Errorf("%+v, %v", did, err)
	}
}

// What was watched together is one playback: the entry of the other account gets the
// item and the place that a person gave to the first one.
func TestTogetherIsFixedWhereNothingIsRemembered(t *testing.T) {
	s := couple(t)
	fix := func(c Correcting, others int64) {
		t.Helper()
		if did, err := s.Correct(t.Context(), c); err != nil || did.Remembered != nil || did.AlsoChanged != others {
			t.Errorf("%+v, %v", did, err)
		}
	}
	episode := s.told(t, chrome, part("e", viewing.Show{Title: "Show Red", Year: 2008}, 1, 13, -30)).Entries
	fix(Correcting{Entry: episode[0], Is: theSeries(7), Season: new(2), Episode: new(3)}, 1)
	s.wantKeys(t, map[int64]string{episode[0]: "episode:7:2:3", episode[1]: "episode:7:2:3"})
	double := film("b", 603, -60)
	double.Media = append(double.Media, viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 609}})
	films := s.told(t, chrome, double).Entries
	fix(Correcting{Entry: films[0], Is: theFilm(604)}, 1)
	s.wantKeys(t, map[int64]string{films[0]: "movie:604", films[1]: "movie:609", films[2]: "movie:604", films[3]: "movie:609"})
	// The other account's entry has not been decided about by a person: it follows again.
	fix(Correcting{Entry: films[0], Is: theFilm(605)}, 1)
	fix(Correcting{Entry: films[2], Is: theFilm(606)}, 0) // a person has decided about the first
	s.wantKeys(t, map[int64]string{films[0]: "movie:605", films[2]: "movie:606"})
	s.checkCounters(t)
}
