package queue

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
)

// titledFilm returns a viewing of a film with title and year only.
func titledFilm(id, title string, year, minute int) viewing.Event {
	v := film(id, 1, minute)
	v.Media = []viewing.Media{{Type: viewing.Movie, Title: title, Year: year}}
	return v
}

// showEpisode returns a viewing of an episode of a series.
func showEpisode(id string, show viewing.Show, season, number, minute int) viewing.Event {
	v := film(id, 1, minute)
	v.Media = []viewing.Media{{Type: viewing.Episode, Show: &show, Season: &season, Episode: &number}}
	return v
}

// theFilm and theSeries return candidates.
func theFilm(tmdb int64) resolve.Candidate {
	return resolve.Candidate{Type: viewing.Movie, TMDB: tmdb, Title: "Alpha One", Year: 1999}
}

func theSeries(tmdb int64) resolve.Candidate {
	return resolve.Candidate{Type: viewing.TV, TMDB: tmdb, Title: "Show Red", Year: 2008}
}

func (o *opened) correct(t testing.TB, id int64, is resolve.Candidate) resolve.CorrectionResult {
	t.Helper()
	did, err := o.Correct(t.Context(), CorrectionRequest{Entry: id, Is: is})
	if err != nil {
		t.Fatal(err)
	}
	return did
}

// wantKeys checks the items of entries.
func (o *opened) wantKeys(t testing.TB, want map[int64]string) {
	t.Helper()
	for id, key := range want {
		if got := o.entry(t, id).Media.Key(); got != key {
			t.Errorf("entry %d is %q, want %q", id, got, key)
		}
	}
}

// hasStep reports whether an entry has a step with a code and a title.
func (o *opened) hasStep(t testing.TB, id int64, code, title string) bool {
	t.Helper()
	return slices.ContainsFunc(o.explained(t, id).Steps, func(s entry.Step) bool { return s.Code == code && s.Args["title"] == title })
}

func TestCorrectionAppliesToSimilarEntries(t *testing.T) {
	s := openNew(t)
	red := viewing.Show{Title: "Show Red", Year: 2008, IDs: viewing.IDs{TVDB: 77}}
	blue := viewing.Show{Title: "Show Red", Year: 2008, IDs: viewing.IDs{TVDB: 78}}
	all := s.commitIDs(t, showEpisode("e1", red, 1, 1, -90), showEpisode("e2", red, 1, 2, -60), showEpisode("e3", blue, 1, 1, -30), titledFilm("f", "Show Red", 2008, -10))
	did := s.correct(t, all[0], theSeries(7))
	if did.AlsoChanged != 1 || did.Before != nil || did.Remembered == nil || did.Remembered.Entries != 2 || did.Remembered.Reported.IDs.TVDB != 77 {
		t.Errorf("%+v", did)
	}
	later := s.commitIDs(t, showEpisode("e4", red, 2, 1, -5))[0]
	s.wantKeys(t, map[int64]string{all[0]: "episode:7:1:1", all[1]: "episode:7:1:2", all[2]: "", all[3]: "", later: "episode:7:2:1"})
	for _, id := range []int64{all[0], all[1], later} {
		if e := s.entry(t, id); e.State != viewing.StatePending || !s.hasStep(t, id, "corrected", `"Show Red" (2008; series tmdb 7)`) {
			t.Errorf("entry %+v, %+v", e, s.explained(t, id).Steps)
		}
	}
	list, err := s.Corrections(t.Context())
	if err != nil || len(list) != 1 || list[0].Entries != 3 || list[0].Work != theSeries(7) {
		t.Errorf("%+v, %v", list, err)
	}
	s.checkCounters(t)
}

// TestCorrectionOfEpisodesWithoutNumbers: such an episode gets its series from a correction, and
// is looked up again: its title may identify it.
func TestCorrectionOfEpisodesWithoutNumbers(t *testing.T) {
	s := openNew(t)
	nameless := func(id, title string, minute int) viewing.Event {
		v := showEpisode(id, viewing.Show{Title: "Rot"}, 0, 0, minute)
		v.Media[0].Title, v.Media[0].Season, v.Media[0].Episode = title, nil, nil
		return v
	}
	all := s.commitIDs(t, nameless("a", "The First", -90), nameless("b", "The Second", -60))
	if err := s.RecordLookups(t.Context(), []LookupResult{{Lookup: Lookup{Entry: s.entry(t, all[1])}}}); err != nil { // it was asked in vain
		t.Fatal(err)
	}
	if did := s.correct(t, all[0], theSeries(7)); did.AlsoChanged != 1 || did.Remembered.Entries != 2 {
		t.Errorf("%+v", did)
	}
	all = append(all, s.commitIDs(t, nameless("c", "The Third", -30))...)
	due, err := s.Lookups(t.Context(), viewing.DefaultAccount, 10)
	if err != nil || len(due) != 3 {
		t.Fatalf("%+v, %v", due, err)
	}
	for i, id := range all {
		e, number := s.entry(t, id), i+1
		if e.State != viewing.StateHeld || e.Reason != viewing.ReasonUnresolved || e.Media.Show.IDs.TMDB != 7 || e.Media.Show.Title != "Show Red" {
			t.Errorf("entry %+v", e)
		}
		is := *e.Media
		is.Season, is.Episode = &number, &number
		if err := s.RecordLookups(t.Context(), []LookupResult{{Lookup: Lookup{Entry: e}, Media: &is}}); err != nil {
			t.Fatal(err)
		}
	}
	if did := s.correct(t, all[0], theSeries(7)); did.AlsoChanged != 0 { // the same answer again
		t.Errorf("%+v", did)
	}
	s.wantKeys(t, map[int64]string{all[0]: "episode:7:1:1", all[1]: "episode:7:2:2", all[2]: "episode:7:3:3"})
	if did := s.correct(t, all[1], theSeries(8)); did.AlsoChanged != 2 { // another one: they are asked about again
		t.Errorf("%+v", did)
	}
	s.wantKeys(t, map[int64]string{all[0]: "", all[2]: ""})
	s.checkCounters(t)
}

// atSite adds a site's number to the item of a viewing.
func atSite(v viewing.Event, site, number string) viewing.Event {
	v.Media[0].Site = &viewing.Site{Name: site, Title: number}
	if v.Media[0].Type == viewing.Episode {
		v.Media[0].Site = &viewing.Site{Name: site, Title: v.EventID, Series: number}
	}
	return v
}

// TestCorrectionByTheSitesNumber: it has precedence over the title and is sufficient without one.
// The correction does not apply to the title alone.
func TestCorrectionByTheSitesNumber(t *testing.T) {
	s := openNew(t)
	red, none := viewing.Show{Title: "Show Red"}, viewing.Show{}
	all := s.commitIDs(t,
		atSite(showEpisode("e1", red, 1, 1, -90), "netflix", "7014"), atSite(showEpisode("e2", none, 1, 2, -60), "netflix", "7014"), showEpisode("e3", red, 1, 3, -50),
		atSite(showEpisode("e4", red, 1, 4, -40), "netflix", "7015"), atSite(showEpisode("e5", none, 1, 5, -30), "hulu", "7014"), atSite(titledFilm("f", "", 0, -20), "netflix", "7014"),
	)
	if did := s.correct(t, all[0], theSeries(7)); did.AlsoChanged != 1 || did.Remembered.Reported.Site.Series != "7014" || did.Remembered.Entries != 2 {
		t.Errorf("%+v", did)
	}
	later := s.commitIDs(t, atSite(showEpisode("l1", none, 2, 1, -9), "netflix", "7014"), atSite(showEpisode("l2", viewing.Show{Title: "Rot"}, 2, 2, -8), "netflix", "7014"), showEpisode("l3", red, 2, 3, -7))
	s.wantKeys(t, map[int64]string{
		all[1]: "episode:7:1:2", all[2]: "", all[3]: "", all[4]: "", all[5]: "",
		later[0]: "episode:7:2:1", later[1]: "episode:7:2:2", later[2]: "",
	})
	if did := s.correct(t, all[3], theSeries(8)); did.AlsoChanged != 0 {
		t.Errorf("the other of that title: %+v", did)
	}
	s.wantKeys(t, map[int64]string{all[0]: "episode:7:1:1", all[3]: "episode:8:1:4", later[1]: "episode:7:2:2"})
	s.checkCounters(t)
}

// correctReported corrects an item as of an entry that no longer exists.
func (o *opened) correctReported(t testing.TB, reported viewing.Media, is resolve.Candidate) (did resolve.CorrectionResult) {
	t.Helper()
	err := o.write(t.Context(), "test", func(t *tx) error {
		correction, ok := t.saveCorrection(CorrectionRequest{Is: is}, reported, reported, &did)
		if ok {
			did.Remembered = &correction
			t.correctSimilar(correction, 0, &did)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return did
}

// TestCorrectionOfEpisodesWithoutASeason: one correction covers waiting and later episodes, by
// the site's number of the series.
func TestCorrectionOfEpisodesWithoutASeason(t *testing.T) {
	s := openNew(t)
	counted := func(id string, number, minute int) viewing.Event {
		v := atSite(showEpisode(id, viewing.Show{Title: "Show Red"}, 0, number, minute), "crunchyroll", "GSPOOL01")
		v.Media[0].Season = nil
		return v
	}
	all := s.commitIDs(t, counted("e1", 66, -90), counted("e2", 67, -60))
	season, number := 3, 16
	did, err := s.Correct(t.Context(), CorrectionRequest{Entry: all[0], Is: theSeries(7), Season: &season, Episode: &number})
	if err != nil || did.AlsoChanged != 1 {
		t.Errorf("%+v, %v", did, err)
	}
	later := s.commitIDs(t, counted("e3", 68, -30))[0]
	s.wantKeys(t, map[int64]string{all[0]: "episode:7:3:16", all[1]: "episode:7:3:17", later: "episode:7:3:18"})
	s.checkCounters(t)
}

// TestLaterCorrectionReplacesTheFirst: waiting entries are corrected again. Sent entries, and
// those that a person has changed or held, stay as they are.
func TestLaterCorrectionReplacesTheFirst(t *testing.T) {
	s := openNew(t)
	var events []viewing.Event
	for n := range 8 {
		events = append(events, titledFilm(fmt.Sprint("e", n), "Alpha", 1999, -300+30*n))
	}
	all := s.commitIDs(t, events[:7]...)
	s.edit(t, all[6], entry.Edit{WatchedAt: viewing.At(noon().Add(-time.Minute))})
	s.edit(t, all[5], entry.Edit{Media: &identified(9)[0]})
	s.correct(t, all[0], theFilm(603))
	s.sendOne(t, all[0])
	s.do(t, entry.VerbHold, all[1:2]...)
	s.do(t, entry.VerbDrop, all[2:3]...)
	did := s.correct(t, all[3], theFilm(604))
	if did.Before == nil || did.Before.TMDB != 603 || did.AlsoChanged != 1 {
		t.Errorf("%+v", did)
	}
	last := s.commitIDs(t, events[7])[0]
	s.wantKeys(t, map[int64]string{
		all[0]: "movie:603", all[1]: "movie:603", all[2]: "movie:603", all[3]: "movie:604", all[4]: "movie:604", all[5]: "movie:9", all[6]: "", last: "movie:604",
	})
	s.checkCounters(t)
}

// TestCorrectionsThatAreNotStored: if the reported item is unreliable, has no clue, or has
// another TMDB id.
func TestCorrectionsThatAreNotStored(t *testing.T) {
	doubtful, nameless, wrong := titledFilm("e1", "Alpha", 1999, -60), film("e1", 9, -60), film("e1", 9, -60)
	doubtful.Media[0].Unsure = true
	nameless.Media[0].Title, nameless.Media[0].Year = "", 0
	wrong.Media[0].Title, wrong.Media[0].Year = "Alpha", 1999
	for name, v := range map[string]viewing.Event{"not trusted": doubtful, "nameless": nameless, "with a number": wrong} {
		t.Run(name, func(t *testing.T) {
			s := openNew(t)
			id := s.commitIDs(t, v)[0]
			for _, tmdb := range []int64{603, 604} {
				if did := s.correct(t, id, theFilm(tmdb)); did.Remembered != nil || did.AlsoChanged > 0 {
					t.Errorf("%+v", did)
				}
				s.wantKeys(t, map[int64]string{id: fmt.Sprint("movie:", tmdb)})
			}
			if list, err := s.Corrections(t.Context()); err != nil || len(list) > 0 {
				t.Errorf("%+v, %v", list, err)
			}
			if again := s.commitIDs(t, titledFilm("e2", "Alpha", 1999, -10))[0]; s.entry(t, again).Media.Identified() {
				t.Error("another one follows")
			}
		})
	}
}

// TestCorrectionOfAnIdentifiedSeries: entries that a lookup has identified as the wrong series
// are corrected, too.
func TestCorrectionOfAnIdentifiedSeries(t *testing.T) {
	s := openNew(t)
	red, blue := viewing.Show{Title: "Show Red", Year: 2008}, viewing.Show{Title: "Show Blue", Year: 2008}
	bulk, numbered := withClass(viewing.ClassBulk, showEpisode("f", red, 1, 6, -35)), showEpisode("d", red, 1, 4, -30)
	numbered.Media[0].Show = &viewing.Show{Title: "Show Red", Year: 2008, IDs: viewing.IDs{TMDB: 9}}
	all := s.commitIDs(t, showEpisode("a", red, 1, 1, -90), showEpisode("b", red, 1, 2, -60), showEpisode("c", blue, 1, 3, -45), showEpisode("e", red, 1, 5, -40), bulk, numbered)
	for _, l := range s.wantLookups(t, 5, all[:5]...) {
		m := theSeries(9).Apply(*l.Entry.Media)
		s.recordLookups(t, LookupResult{Lookup: l, Media: &m, Why: viewing.Say("text", "text", "The service knows it.")})
	}
	s.sendOne(t, all[3])
	if did := s.correct(t, all[0], theSeries(7)); did.AlsoChanged != 2 {
		t.Errorf("%+v", did)
	}
	s.wantKeys(t, map[int64]string{
		all[0]: "episode:7:1:1", all[1]: "episode:7:1:2", all[2]: "episode:9:1:3", all[3]: "episode:9:1:5", all[4]: "episode:7:1:6", all[5]: "episode:9:1:4",
	})
	s.checkCounters(t)
}

// TestCorrectionKeepsContradictedEntriesHeld: entries whose id and title contradict the
// correction, or that are unreliable, are not changed.
func TestCorrectionKeepsContradictedEntriesHeld(t *testing.T) {
	s := openNew(t)
	numbered := func(id, title string, year, minute int) viewing.Event {
		v := titledFilm(id, title, year, minute)
		v.Media[0].IDs.IMDB = "tt0133093"
		return v
	}
	broken := numbered("c", "Alpha", 1999, -20)
	broken.Media[0].Unsure = true
	all := s.commitIDs(t, numbered("a", "Alpha", 1999, -90), numbered("b", "Beta", 2010, -60), broken)
	s.correct(t, all[0], theFilm(603))
	all = append(all, s.commitIDs(t, numbered("d", "Beta", 2010, -5), numbered("e", "Alphaville", 1999, -2))...)
	s.wantKeys(t, map[int64]string{all[0]: "movie:603", all[1]: "", all[2]: "", all[3]: "", all[4]: "movie:603"})
}

// TestForgottenCorrection: a correction applies to entries that were reported alike; forgetting
// it changes only later events.
func TestForgottenCorrection(t *testing.T) {
	s := openNew(t)
	id := s.commitIDs(t, titledFilm("e1", "Alpha", 1999, -60))[0]
	did := s.correctReported(t, viewing.Media{Type: viewing.Movie, Title: "ALPHA", Year: 1999}, theFilm(603))
	if did.AlsoChanged != 1 || did.Remembered == nil {
		t.Errorf("%+v", did)
	}
	s.wantKeys(t, map[int64]string{id: "movie:603"})
	found, err := s.CorrectionFor(t.Context(), viewing.Media{Type: viewing.Movie, Title: "alpha", Year: 1999})
	if err != nil || found == nil || found.Work.TMDB != 603 || found.Entries != 1 {
		t.Errorf("%+v, %v", found, err)
	}
	if err := s.ForgetCorrection(t.Context(), found.ID); err != nil {
		t.Fatal(err)
	}
	s.wantKeys(t, map[int64]string{id: "movie:603", s.commitIDs(t, titledFilm("e2", "Alpha", 1999, -10))[0]: ""})
	if err := s.ForgetCorrection(t.Context(), found.ID); !errors.Is(err, entry.ErrNotFound) {
		t.Error(err)
	}
}

func TestCorrectRejectsInvalidRequests(t *testing.T) {
	s := openNew(t)
	all := s.commitIDs(t, titledFilm("e1", "Alpha", 1999, -60), film("e2", 5, -30))
	s.sendOne(t, all[1])
	for name, c := range map[string]struct {
		with CorrectionRequest
		want error
	}{
		"no such entry":      {CorrectionRequest{Entry: 99, Is: theFilm(1)}, entry.ErrNotFound},
		"delivered":          {CorrectionRequest{Entry: all[1], Is: theFilm(1)}, entry.ErrState},
		"a film as a series": {CorrectionRequest{Entry: all[0], Is: theSeries(1)}, viewing.ErrInvalid},
		"no number":          {CorrectionRequest{Entry: all[0], Is: resolve.Candidate{Type: viewing.Movie}}, viewing.ErrInvalid},
	} {
		if _, err := s.Correct(t.Context(), c.with); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.wantKeys(t, map[int64]string{all[0]: "", all[1]: "movie:5"})
}

// TestCorrectedEntriesAreMergedAsDuplicates: two entries that a correction makes the same item
// are merged, whether it was made before or after they were committed.
func TestCorrectedEntriesAreMergedAsDuplicates(t *testing.T) {
	for _, first := range []bool{true, false} {
		s := openNew(t)
		say := func() { s.correctReported(t, titledFilm("", "Alpha", 1999, 0).Media[0], theFilm(603)) }
		if first {
			say()
		}
		id := s.commitFrom(t, chrome, titledFilm("a", "Alpha", 1999, -60)).Entries[0]
		s.commitFrom(t, living, film("b", 603, -60))
		s.commitFrom(t, player, titledFilm("c", "Alpha", 1999, -60))
		if !first {
			say()
		}
		counts := s.checkCounters(t)
		if counts.Pending != 1 || counts.Held != 0 {
			t.Errorf("reported first: %v; %+v, entry %+v", first, counts, s.entry(t, id))
		}
	}
}

// TestAmendedItemIsCorrectedAgain: corrections apply to the new item of an amendment.
func TestAmendedItemIsCorrectedAgain(t *testing.T) {
	s := openNew(t)
	id := s.commitIDs(t, titledFilm("e1", "Alpha", 1999, -60), titledFilm("e2", "Beta", 2001, -30))
	s.correct(t, id[1], theFilm(604))
	s.amend(t, viewing.Amendment{EventID: "e1", Media: titledFilm("", "Beta", 2001, 0).Media, Reason: viewing.Say("renamed")})
	s.wantKeys(t, map[int64]string{id[0]: "movie:604"})
	if list, err := s.Corrections(t.Context()); err != nil || list[0].Entries != 2 {
		t.Errorf("%+v, %v", list, err)
	}
	s.amend(t, viewing.Amendment{EventID: "e1", Media: titledFilm("", "Gamma", 2001, 0).Media, Reason: viewing.Say("renamed")})
	if e := s.entry(t, id[0]); e.State != viewing.StateHeld || e.Reason != viewing.ReasonUnresolved {
		t.Errorf("%+v", e)
	}
	if list, err := s.Corrections(t.Context()); err != nil || list[0].Entries != 1 {
		t.Errorf("%+v, %v", list, err)
	}
}
