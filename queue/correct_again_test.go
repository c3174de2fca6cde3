package queue

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// TestCorrectionIsStoredForTheReportedItem: not for a number that the person typed before.
func TestCorrectionIsStoredForTheReportedItem(t *testing.T) {
	s := openNew(t)
	all := s.commitIDs(t, titledFilm("e1", "Alpha", 1999, -60), titledFilm("e2", "Alpha", 1999, -50))
	mistyped := viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{IMDB: "tt0000999"}}
	s.edit(t, all[0], entry.Edit{Media: &mistyped})
	if did := s.correct(t, all[0], theFilm(603)); did.Remembered == nil || did.Remembered.Reported.IDs != (viewing.IDs{}) || did.AlsoChanged != 1 {
		t.Errorf("%+v", did)
	}
	other := titledFilm("e3", "Wholly Other", 2000, -40)
	other.Media[0].IDs.IMDB = "tt0000999"
	s.wantKeys(t, map[int64]string{all[1]: "movie:603", s.commitIDs(t, other)[0]: ""})
}

// TestCorrectionKeepsATypedSeasonAndNumber: also if the series changes.
func TestCorrectionKeepsATypedSeasonAndNumber(t *testing.T) {
	s := openNew(t)
	id := s.commitIDs(t, ownCountEpisode("a", 2, 2, -90))[0]
	typed := viewing.Media{Type: viewing.Episode, Show: &viewing.Show{IDs: viewing.IDs{TMDB: 7}}, Season: new(1), Episode: new(14)}
	s.edit(t, id, entry.Edit{Media: &typed})
	s.correct(t, id, theSeries(8))
	s.wantKeys(t, map[int64]string{id: "episode:8:1:14"})
}

// TestCorrectionDropsResultsOfTheWrongItem: results of lookups for the wrong film or series are
// not kept for the right one, in any of the corrected entries. A confirmed item keeps them.
func TestCorrectionDropsResultsOfTheWrongItem(t *testing.T) {
	s := openTwoAccounts(t)
	bare := func(id string, minute int) viewing.Event {
		return atSite(titledFilm(id, "", 0, minute), "netflix", "7014")
	}
	ids := append(s.commitFrom(t, chrome, bare("e1", -90)).Entries, s.commitFrom(t, chrome, bare("e2", -30)).Entries...)
	wrong := theFilm(603)
	wrong.Title = "Wrong"
	var asked []Lookup
	for _, account := range []string{"anna", "ben"} {
		some, err := s.Lookups(t.Context(), account, 9)
		if err != nil {
			t.Fatal(err)
		}
		asked = append(asked, some...)
	}
	for _, l := range asked {
		m := wrong.Apply(*l.Entry.Media)
		m.IDs.IMDB = "tt0000603"
		s.recordLookups(t, LookupResult{Lookup: l, Media: &m, Why: viewing.Say("text", "text", "Wikidata knows it.")})
	}
	check := func(want viewing.Media, ids ...int64) {
		t.Helper()
		for _, id := range ids {
			if m := *s.entry(t, id).Media; m.Title != want.Title || m.Year != 1999 || m.IDs != want.IDs {
				t.Errorf("entry %d is %+v, want %+v", id, m, want)
			}
		}
	}
	found := viewing.Media{Title: "Wrong", IDs: viewing.IDs{TMDB: 603, IMDB: "tt0000603"}}
	check(found, ids...)
	s.correct(t, ids[0], wrong)
	check(found, ids...)
	s.correct(t, ids[0], theFilm(604))
	check(viewing.Media{Title: "Alpha One", IDs: viewing.IDs{TMDB: 604}}, ids...)
}

// TestCorrectionWinsOverALaterLookup: an entry that is not looked up again gets the correction,
// too.
func TestCorrectionWinsOverALaterLookup(t *testing.T) {
	s := openNew(t)
	all := s.commitIDs(t, titledFilm("e1", "Alpha", 1999, -90), titledFilm("e2", "Alpha", 1999, -30))
	s.do(t, entry.VerbDrop, all[:1]...)
	s.correct(t, all[1], theFilm(603))
	s.do(t, entry.VerbRelease, all[:1]...)
	s.recordLookups(t, identifiedAs(s.wantLookups(t, 1, all[0])[0], 999))
	s.wantKeys(t, map[int64]string{all[0]: "movie:603"})
}

// TestCorrectionKeepsEntriesOfTwoSources: an entry that another source has identified differently
// is not changed.
func TestCorrectionKeepsEntriesOfTwoSources(t *testing.T) {
	s := openNew(t)
	s.correct(t, s.commitIDs(t, titledFilm("e0", "Alpha", 1999, -600))[0], theFilm(603))
	one := s.commitIDs(t, titledFilm("e1", "Alpha", 1999, -60))[0]
	if _, err := s.Commit(t.Context(), viewing.Batch{Source: "kodi:1", Events: []viewing.Event{film("k1", 603, -60)}}); err != nil {
		t.Fatal(err)
	}
	s.correct(t, s.commitIDs(t, titledFilm("e2", "Beta", 1999, -300))[0], theFilm(604)) // of another name: nothing to do with it
	if did := s.correctReported(t, titledFilm("", "Alpha", 1999, 0).Media[0], theFilm(604)); did.AlsoChanged != 1 {
		t.Errorf("%+v", did)
	}
	s.wantKeys(t, map[int64]string{one: "movie:603"})
	if !s.hasStep(t, one, "noted.corrected", theFilm(604).String()) {
		t.Errorf("%+v", s.explained(t, one).Steps)
	}
}

// ownCountEpisode returns an episode of a site with its own count of seasons and episodes.
func ownCountEpisode(id string, season, number, minute int) viewing.Event {
	v := atSite(showEpisode(id, viewing.Show{Title: "Show Red"}, season, number, minute), "netflix", "7014")
	v.Media[0].Site.Numbering = viewing.SiteNumbering
	return v
}

// TestCorrectionShiftsTheFollowingEpisodes: "S02E02 is S01E14" applies to the other episodes of
// that season, and "S03E01 is S02E01" to those of the next ones. A dry run shows both.
func TestCorrectionShiftsTheFollowingEpisodes(t *testing.T) {
	s := openNew(t)
	all := s.commitIDs(t, ownCountEpisode("a", 2, 1, -90), ownCountEpisode("b", 2, 2, -80), ownCountEpisode("c", 2, 3, -70), ownCountEpisode("d", 3, 1, -60), ownCountEpisode("e", 1, 5, -50))
	c := CorrectionRequest{Entry: all[1], Is: theSeries(7), Season: new(1), Episode: new(14), DryRun: true}
	shown, err := s.Correct(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	s.wantKeys(t, map[int64]string{all[1]: "", all[2]: ""})
	c.DryRun = false
	did, err := s.Correct(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(shown, did); diff != "" {
		t.Error(diff)
	}
	if did.AlsoChanged != 2 || len(did.Also) != 2 || did.Also[1].Entry != all[2] || did.Also[1].Was.Key() != "" || did.Also[1].Is.Key() != "episode:7:1:15" {
		t.Errorf("%+v", did)
	}
	later := s.commitIDs(t, ownCountEpisode("f", 2, 24, -40))[0]
	s.wantKeys(t, map[int64]string{
		all[0]: "episode:7:1:13", all[1]: "episode:7:1:14", all[2]: "episode:7:1:15", all[3]: "", all[4]: "", later: "episode:7:1:36",
	})
	if steps := s.explained(t, later).Steps; !slices.ContainsFunc(steps, func(s entry.Step) bool { return s.Code == "corrected.place" && s.Args["place"] == "S01E36" }) {
		t.Errorf("%+v", steps)
	}
	if did, err = s.Correct(t.Context(), CorrectionRequest{Entry: all[3], Is: theSeries(7), Season: new(2), Episode: new(1)}); err != nil || did.AlsoChanged != 0 {
		t.Errorf("%+v, %v", did, err)
	}
	s.wantKeys(t, map[int64]string{all[2]: "episode:7:1:15", s.commitIDs(t, ownCountEpisode("g", 4, 2, -10))[0]: "episode:7:3:2"})
	// The place that a person has confirmed stays, and another series takes all along.
	s.correct(t, all[1], theSeries(7))
	s.wantKeys(t, map[int64]string{all[1]: "episode:7:1:14", all[2]: "episode:7:1:15"})
	if did := s.correct(t, all[4], theSeries(8)); did.Before == nil || did.Before.TMDB != 7 {
		t.Errorf("%+v", did)
	}
	s.wantKeys(t, map[int64]string{all[2]: "episode:8:2:3", all[4]: "episode:8:1:5"})
	s.checkCounters(t)
}

// TestLatestCorrectionOfASeasonApplies is a model test. In any order of corrections and viewings,
// each waiting episode is where the latest corrections put it: as reported if none of them shifts
// a season, otherwise by the one for its season or an earlier one. Episodes without an applicable
// correction are held, or stay as they are.
func TestLatestCorrectionOfASeasonApplies(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := openNew(t)
		defer s.stop()
		type place struct{ season, episode int }
		draw := func(what string) place {
			return place{rapid.IntRange(1, 3).Draw(r, what+" season"), rapid.IntRange(1, 5).Draw(r, what+" episode")}
		}
		shifts, reported, is := map[int]place{}, map[int64]place{}, map[int64]string{}
		where := func(p place) string {
			moved, from := false, 0
			for season, added := range shifts {
				moved = moved || added != place{}
				if season <= p.season {
					from = max(from, season)
				}
			}
			added := shifts[from]
			to := place{p.season + added.season, p.episode + added.episode}
			if len(shifts) == 0 || moved && from == 0 || to.season < 1 || to.episode < 1 || from != p.season && added.episode != 0 {
				return ""
			}
			return fmt.Sprintf("episode:7:%d:%d", to.season, to.episode)
		}
		for n := range rapid.IntRange(1, 12).Draw(r, "steps") {
			p := draw("reported")
			id := s.commitIDs(t, ownCountEpisode(fmt.Sprint("e", n), p.season, p.episode, -900+60*n))[0]
			reported[id] = p
			if rapid.Bool().Draw(r, "fixed") {
				to := draw("true")
				if _, err := s.Correct(t.Context(), CorrectionRequest{Entry: id, Is: theSeries(7), Season: &to.season, Episode: &to.episode}); err != nil {
					r.Fatal(err)
				}
				shifts[p.season] = place{to.season - p.season, to.episode - p.episode}
			}
			for id, p := range reported {
				if at := where(p); at != "" {
					is[id] = at
				}
			}
		}
		for id, p := range reported {
			if got := s.entry(t, id).Media.Key(); got != is[id] {
				r.Fatalf("S%dE%d is %q, want %q; said %v", p.season, p.episode, got, is[id], shifts)
			}
		}
	})
}

// TestCorrectionAppliesToAllAccounts: the entry of the same viewing in another account gets the
// same item, season and number.
func TestCorrectionAppliesToAllAccounts(t *testing.T) {
	s := openTwoAccounts(t)
	fix := func(c CorrectionRequest, others int64) {
		t.Helper()
		if did, err := s.Correct(t.Context(), c); err != nil || did.AlsoChanged != others {
			t.Errorf("%+v, %v", did, err)
		}
	}
	episode := s.commitFrom(t, chrome, showEpisode("e", viewing.Show{Title: "Show Red", Year: 2008}, 1, 13, -30)).Entries
	fix(CorrectionRequest{Entry: episode[0], Is: theSeries(7), Season: new(2), Episode: new(3)}, 1)
	s.wantKeys(t, map[int64]string{episode[0]: "episode:7:2:3", episode[1]: "episode:7:2:3"})
	double := film("b", 603, -60)
	double.Media = append(double.Media, viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 609}})
	films := s.commitFrom(t, chrome, double).Entries
	fix(CorrectionRequest{Entry: films[0], Is: theFilm(604)}, 1)
	s.wantKeys(t, map[int64]string{films[0]: "movie:604", films[1]: "movie:609", films[2]: "movie:604", films[3]: "movie:609"})
	// The other account's entry has not been decided about by a person: it follows again.
	fix(CorrectionRequest{Entry: films[0], Is: theFilm(605)}, 1)
	fix(CorrectionRequest{Entry: films[2], Is: theFilm(606)}, 0) // a person has decided about the first
	s.wantKeys(t, map[int64]string{films[0]: "movie:605", films[2]: "movie:606"})
	s.checkCounters(t)
}
