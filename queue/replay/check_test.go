package replay

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
)

// tmdb answers what it knows, has nothing else, and counts how often it is asked: about
// the names of a hit in the same breath.
type tmdb struct {
	knows map[resolve.Question]resolve.Answer

	mu    sync.Mutex
	fault error
	asked int
}

func (m *tmdb) times() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked
}

// fails has it fail from now on; nil ends that.
func (m *tmdb) fails(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fault = err
}

// titled asks about a film by its title.
func titled(title string, year int) resolve.Question {
	return resolve.Question{Topic: resolve.ByTitle, Kind: viewing.Movie, Text: title, Year: year}
}

func filmOf(id int64, title string, year int) resolve.Answer {
	return resolve.Answer{Works: []resolve.Work{{Candidate: resolve.Candidate{Type: viewing.Movie, TMDB: id, Title: title, Year: year}}}}
}

func (m *tmdb) Fetch(_ context.Context, wanted []resolve.Question) (map[resolve.Question]*resolve.Answer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if wanted[0].Topic != resolve.Details {
		m.asked++
	}
	found := map[resolve.Question]*resolve.Answer{}
	for _, q := range wanted {
		if a := m.knows[q]; m.fault == nil {
			found[q] = &a
		}
	}
	return found, m.fault
}

func (m *tmdb) on(options *Options) {
	p := &resolve.Provider{Name: "TMDB", Fetcher: m, Log: slog.New(slog.DiscardHandler)}
	options.Providers = func() resolve.Chain { return resolve.Chain{p} }
}

func theTMDB() *tmdb {
	return &tmdb{knows: map[resolve.Question]resolve.Answer{
		{Topic: resolve.Details, Kind: viewing.Movie, Number: 438631}: filmOf(438631, "Dune", 2021),
		{Topic: resolve.Details, Kind: viewing.Movie, Number: 841}:    filmOf(841, "Dune", 1984),
		{Topic: resolve.Details, Kind: viewing.Movie, Number: 903}:    filmOf(903, "Cool Hand Luke", 1967),
		{Topic: resolve.ByIMDB, Text: "tt0087182"}:                    filmOf(841, "Dune", 1984),
		{Topic: resolve.Details, Kind: viewing.TV, Number: 37854}:     {Works: []resolve.Work{{Candidate: resolve.Candidate{Type: viewing.TV, TMDB: 37854, Title: "One Piece", Year: 1999}}}},
		{Topic: resolve.Season, Number: 37854, Season: 1}:             {Episodes: []resolve.Episode{{Show: 37854, Season: 1, Number: 1, Name: "Romance Dawn"}}},
		{Topic: resolve.Details, Kind: viewing.TV, Number: 2207}:      {Works: []resolve.Work{{Candidate: resolve.Candidate{Type: viewing.TV, TMDB: 2207, Title: "Fawlty Towers", Year: 1975}}}},
		{Topic: resolve.Season, Number: 2207, Season: 1}:              {Episodes: []resolve.Episode{{Show: 2207, Season: 1, Number: 1, Name: "A Touch of Class"}}},
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
		{place(37854, "One Piece", 1, 1), ""}, // nothing confirms it, and nothing contradicts
		{film(438631, "tt0087182", "Dune", 1984), "why.differ"},
		{film(903, "", "Black Books", 2000), "why.otherWork"},
		{place(2207, "16 Blocks", 1, 1), "why.otherSeries"},
		{place(37854, "One Piece", 1, 500), "why.noEpisode"},
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
		asked := m.times()
		if _, err := b.store.Operate(b.Context(), entry.Order{Verb: entry.VerbRelease, Selection: entry.Selection{IDs: []int64{4}}}); err != nil {
			b.Fatal(err)
		}
		b.pass(time.Minute)
		b.stands(4, viewing.StateDelivered, "", "movie:903")
		if m.times() != asked {
			b.Errorf("asked about what a person has decided")
		}
	})
}

// Where TMDB cannot be asked, or is off, what a source reports leaves as before.
func TestNumbersLeaveWhereTMDBCannotBeAsked(t *testing.T) {
	m := theTMDB()
	m.fails(errors.New("away"))
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

// What the service is not certain of is asked of others. What they are certain
// of leaves, and the rest says what it may be.
func TestOthersAreAskedAfterTheService(t *testing.T) {
	m := &tmdb{knows: map[resolve.Question]resolve.Answer{
		titled("Dune", 2021): filmOf(438631, "Dune", 2021), titled("Nobody Knows", 2004): filmOf(11, "Nobody Knows", 2004), titled("Perhaps", 2001): filmOf(12, "Like It", 2001),
		{Topic: resolve.Details, Kind: viewing.Movie, Number: 438631}: filmOf(438631, "Dune", 2021),
		{Topic: resolve.Details, Kind: viewing.Movie, Number: 11}:     filmOf(11, "Nobody Knows", 2004),
	}}
	inBed(t, false, m.on, func(b *bed) {
		b.pass(time.Second)
		b.commit(
			nameless(filmBy("", "Dune", 2021)), // the service knows it
			nameless(filmBy("", "Nobody Knows", 2004)), nameless(filmBy("", "Perhaps", 2001)), nameless(filmBy("", "Not At All", 2001)),
		)
		b.pass(5 * time.Second)
		b.stands(1, viewing.StateDelivered, "", "movie:438631")
		b.stands(2, viewing.StateDelivered, "", "movie:11")
		b.stands(3, viewing.StateHeld, viewing.ReasonUnresolved, "")
		b.stands(4, viewing.StateHeld, viewing.ReasonUnresolved, "")
		b.explained(2, "resolve.asked by=TMDB: resolve.certain: why.title")
		b.explained(3, `resolve.may may="Like It" (2001; film tmdb 12)`)
		b.explained(4, "resolve.asked by=TMDB: resolve.uncertain: why.noTitle")
		b.mayBe(3, 12)
		b.mayBe(4)
		if got := m.times(); got != 1 {
			b.Errorf("asked %d times", got)
		}
		b.pass(day + time.Minute)
		if got := m.times(); got != 2 {
			b.Errorf("a day later: asked %d times", got)
		}
	})
}

// Where others cannot be asked, that does not count: they are asked again an hour later.
func TestOthersThatCannotBeAskedAreAskedAgain(t *testing.T) {
	m := &tmdb{knows: map[resolve.Question]resolve.Answer{titled("Alpha", 2004): filmOf(11, "Alpha", 2004)}, fault: errors.New("away")}
	inBed(t, false, m.on, func(b *bed) {
		b.pass(time.Second)
		b.commit(nameless(filmBy("", "Alpha", 2004)))
		b.pass(time.Minute)
		b.stands(1, viewing.StateHeld, viewing.ReasonUnresolved, "")
		b.pass(10 * day)
		if got := m.times(); got < 200 || got > 250 {
			b.Errorf("asked %d times in ten days", got)
		}
		m.fails(nil)
		b.pass(lookUpRetryMax + time.Minute)
		b.stands(1, viewing.StateDelivered, "", "movie:11")
	})
}
