package replay

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
)

// tmdb answers what it knows, has nothing else, and counts how often it is asked.
type tmdb struct {
	knows map[resolve.Question]resolve.Answer
	fault error
	asked int
}

func (m *tmdb) Fetch(_ context.Context, wanted []resolve.Question) (map[resolve.Question]*resolve.Answer, error) {
	m.asked++
	found := map[resolve.Question]*resolve.Answer{}
	for _, q := range wanted {
		if a := m.knows[q]; m.fault == nil {
			found[q] = &a
		}
	}
	return found, m.fault
}

func (m *tmdb) on(options *Options) {
	p := &resolve.Provider{Name: "TMDB", Asker: m, Log: slog.New(slog.DiscardHandler)}
	options.Others = func() resolve.Chain { return resolve.Chain{p} }
}

func theTMDB() *tmdb {
	film := func(id int64, title string, year int) resolve.Answer {
		return resolve.Answer{Works: []resolve.Work{{Candidate: resolve.Candidate{Type: viewing.Movie, TMDB: id, Title: title, Year: year}}}}
	}
	return &tmdb{knows: map[resolve.Question]resolve.Answer{
		{Ask: resolve.Details, Kind: viewing.Movie, Number: 438631}: film(438631, "Dune", 2021),
		{Ask: resolve.Details, Kind: viewing.Movie, Number: 841}:    film(841, "Dune", 1984),
		{Ask: resolve.Details, Kind: viewing.Movie, Number: 903}:    film(903, "Cool Hand Luke", 1967),
		{Ask: resolve.ByIMDB, Text: "tt0087182"}:                    film(841, "Dune", 1984),
		{Ask: resolve.Details, Kind: viewing.TV, Number: 37854}:     {Works: []resolve.Work{{Candidate: resolve.Candidate{Type: viewing.TV, TMDB: 37854, Title: "One Piece", Year: 1999}}}},
		{Ask: resolve.Season, Number: 37854, Season: 1}:             {Episodes: []resolve.Episode{{Show: 37854, Season: 1, Number: 1, Name: "Romance Dawn"}}},
		{Ask: resolve.Details, Kind: viewing.TV, Number: 2207}:      {Works: []resolve.Work{{Candidate: resolve.Candidate{Type: viewing.TV, TMDB: 2207, Title: "Fawlty Towers", Year: 1975}}}},
		{Ask: resolve.Season, Number: 2207, Season: 1}:              {Episodes: []resolve.Episode{{Show: 2207, Season: 1, Number: 1, Name: "A Touch of Class"}}},
	}}
}

// A number that a source reports is checked once before it is sent, where TMDB is on:
// what it contradicts is held, and what a person then says is done.
func TestNumbersOfSourcesAreChecked(t *testing.T) {
	film := func(tmdb int64, imdb, title string, year int) viewing.Media {
		m := filmBy(imdb, title, year)
		m.IDs.TMDB = tmdb
		return m
	}
	place := func(show int64, title string, season, number int) viewing.Media {
		return viewing.Media{Type: viewing.Episode, Show: &viewing.Show{IDs: viewing.IDs{TMDB: show, TVDB: 5}, Title: title}, Season: &season, Episode: &number}
	}
	all := []struct {
		m   viewing.Media
		why string // "" leaves
	}{
		{film(438631, "", "Dune", 2021), ""},
		{film(841, "tt0087182", "Der Wüstenplanet", 1984), ""},
		{place(37854, "One Piece", 1, 1), ""}, // nothing confirms it, and nothing contradicts
		{film(438631, "tt0087182", "Dune", 1984), "why.differ"},
		{film(903, "", "Black Books", 2000), "why.otherWork"},
		{film(420714, "", "Planet Earth II", 2016), "why.gone: why.noTitle"},
		{place(2207, "16 Blocks", 1, 1), "why.otherSeries"},
		{place(63103, "Game of Thrones", 1, 1), "why.gone: why.noYear"},
		{place(37854, "One Piece", 1, 500), "why.noEpisode"},
		{place(37854, "One Piece", 9, 1), "why.noEpisode"},
	}
	m := theTMDB()
	inBed(t, true, m.on, func(b *bed) {
		for _, c := range all {
			b.commit(nameless(c.m))
		}
		b.pass(time.Minute)
		for i, c := range all {
			id := int64(i + 1)
			if c.why == "" {
				b.stands(id, viewing.StateDelivered, "", c.m.Key())
				continue
			}
			b.stands(id, viewing.StateHeld, viewing.ReasonContradicted, c.m.Key())
			if said := strings.Join(b.said(id), "\n"); !strings.Contains(said, c.why) {
				b.Errorf("entry %d says %q, want %q", id, said, c.why)
			}
		}
		asked := m.asked
		if _, err := b.store.Operate(b.Context(), entry.Order{Verb: entry.VerbRelease, Selection: entry.Selection{IDs: []int64{5}}}); err != nil {
			b.Fatal(err)
		}
		b.pass(time.Minute)
		b.stands(5, viewing.StateDelivered, "", "movie:903")
		if m.asked != asked {
			b.Errorf("asked about what a person has decided")
		}
	})
}

// Where TMDB cannot be asked, or is off, what a source reports leaves as before.
func TestNumbersLeaveWhereTMDBCannotBeAsked(t *testing.T) {
	m := theTMDB()
	m.fault = errors.New("away")
	for name, options := range map[string]func(*Options){"away": m.on, "off": nil} {
		t.Run(name, func(t *testing.T) {
			inBed(t, true, options, func(b *bed) {
				film := filmBy("", "Black Books", 2000)
				film.IDs.TMDB = 903
				b.commit(nameless(film))
				b.pass(time.Minute)
				b.stands(1, viewing.StateDelivered, "", "movie:903")
			})
		})
	}
}
