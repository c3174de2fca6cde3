package rule

import (
	"testing"
	"time"

	"github.com/filmspool/filmspool/kodi/announce"
	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

// The evening of these tests: what is known at 02:00:00 UTC, and read again a
// minute later. In New York it is the day before.
const (
	before  = "2026-03-02 02:00:00"
	readAt  = "2026-03-02 02:01:00"
	justNow = "2026-03-01 21:00:59"
)

// announced is what a Kodi has announced of a film, a second before a reading.
func announced(id int64, count int, played bool) announce.Act {
	at, _ := time.Parse(time.DateTime, readAt)
	a := announce.Act{Type: viewing.Movie, ID: id, Count: count, At: at.Add(-time.Second)}
	if played {
		a.Ended = a.At.Add(100 * time.Millisecond)
	}
	return a
}

// TestWhatKodiAnnounces: a growth of one film, and what was announced of it.
func TestWhatKodiAnnounces(t *testing.T) {
	writer, reporter := AddOns{Writers: []string{"script.trakt"}}, AddOns{Reporters: []string{"script.tracker"}}
	played, marked := announced(1, 1, true), announced(1, 1, false)
	other := func(change func(*announce.Act)) announce.Act {
		a := played
		change(&a)
		return a
	}
	const live = "live F1 2026-03-02T02:00:59Z"
	for name, c := range map[string]struct {
		from, to library.File
		act      announce.Act
		with     AddOns
		want     string
	}{
		"played":                           {film(1, 0, ""), film(1, 1, justNow), played, AddOns{}, live},
		"played, counted twice":            {film(1, 0, ""), film(1, 2, justNow), announced(1, 2, true), AddOns{}, live},
		"played, Kodi's clock is behind":   {film(1, 0, ""), film(1, 1, "2026-03-01 20:50:00"), played, AddOns{}, live},
		"played, Kodi's clock is ahead":    {film(1, 0, ""), film(1, 1, "2026-03-09 20:50:00"), played, AddOns{}, live},
		"played, without a time":           {film(1, 0, ""), film(1, 1, ""), played, AddOns{}, live},
		"played, before 1970 by its clock": {film(1, 0, ""), film(1, 1, "1970-01-01 00:30:00"), played, AddOns{}, live},
		"played, the time stayed":          {film(1, 1, justNow), film(1, 2, justNow), announced(1, 2, true), AddOns{}, live},
		"played, and inserted anew":        {film(1, 0, ""), rebuilt(film(1, 1, justNow), 7), announced(7, 1, true), AddOns{}, live},
		"marked":                           {film(1, 0, ""), film(1, 1, justNow), marked, AddOns{}, "marked F1 2026-03-02T02:00:59Z"},
		"marked with an old date":          {film(1, 0, ""), film(1, 1, "2026-02-01 20:50:00"), marked, AddOns{}, "backdated F1 2026-02-02T01:50:00Z"},
		"marked without a date":            {film(1, 1, justNow), film(1, 2, justNow), announced(1, 2, false), AddOns{}, "review F1 2026-03-02T02:00:59Z"},

		"of another film":           {film(1, 0, ""), film(1, 1, "2026-03-01 20:50:00"), announced(2, 1, true), AddOns{}, "backdated F1 2026-03-02T01:50:00Z"},
		"of an episode":             {film(1, 0, ""), film(1, 1, justNow), other(func(a *announce.Act) { a.Type = viewing.Episode }), writer, "review F1 2026-03-02T02:00:59Z"},
		"with another count":        {film(1, 0, ""), film(1, 1, justNow), announced(1, 2, true), writer, "review F1 2026-03-02T02:00:59Z"},
		"before the reading before": {film(1, 0, ""), film(1, 1, justNow), other(func(a *announce.Act) { a.At = a.At.Add(-62 * time.Second) }), writer, "review F1 2026-03-02T02:00:59Z"},

		"played beside a writer":    {film(1, 0, ""), film(1, 1, justNow), played, writer, live},
		"marked beside a writer":    {film(1, 0, ""), film(1, 1, justNow), marked, writer, "review F1 2026-03-02T02:00:59Z"},
		"played beside a reporter":  {film(1, 0, ""), film(1, 1, justNow), played, reporter, "review F1 2026-03-02T02:00:59Z"},
		"marked beside a reporter":  {film(1, 0, ""), film(1, 1, justNow), marked, reporter, "review F1 2026-03-02T02:00:59Z"},
		"unheard beside a reporter": {film(1, 0, ""), film(1, 1, justNow), announce.Act{}, reporter, "review F1 2026-03-02T02:00:59Z"},
	} {
		t.Run(name, func(t *testing.T) {
			story{with: c.with, steps: []step{
				{at: before, files: list(c.from)}, {at: readAt, files: list(c.to), acts: []announce.Act{c.act}, want: []string{c.want}},
			}}.run(t)
		})
	}
}

// TestWhatWasSeenIsNoBulk: of two films within two seconds, what was played is
// sent. What was marked beside it is no mass mark either.
func TestWhatWasSeenIsNoBulk(t *testing.T) {
	none := list(film(1, 0, ""), film(2, 0, ""))
	both := list(film(1, 1, justNow), film(2, 1, justNow))
	for name, c := range map[string]struct {
		acts []announce.Act
		want []string
	}{
		"both played":          {[]announce.Act{announced(1, 1, true), announced(2, 1, true)}, []string{"live F1 2026-03-02T02:00:59Z", "live F2 2026-03-02T02:00:59Z"}},
		"one played, one not":  {[]announce.Act{announced(1, 1, true), announced(2, 1, false)}, []string{"live F1 2026-03-02T02:00:59Z", "marked F2 2026-03-02T02:00:59Z"}},
		"one played, one only": {[]announce.Act{announced(2, 1, true)}, []string{"live F1 2026-03-02T02:00:59Z", "live F2 2026-03-02T02:00:59Z"}},
		"both marked":          {[]announce.Act{announced(1, 1, false), announced(2, 1, false)}, []string{"bulk F1 2026-03-02T02:00:59Z", "bulk F2 2026-03-02T02:00:59Z"}},
	} {
		t.Run(name, func(t *testing.T) {
			story{steps: []step{{at: before, files: none}, {at: readAt, files: both, acts: c.acts, want: c.want}}}.run(t)
		})
	}
	t.Run("in two readings", func(t *testing.T) {
		story{steps: []step{
			{at: before, files: none},
			{at: readAt, files: list(both[0], none[1]), acts: []announce.Act{announced(1, 1, true)}, want: []string{"live F1 2026-03-02T02:00:59Z"}},
			{at: "2026-03-02 02:01:01", files: both, want: []string{"live F2 2026-03-02T02:00:59Z"}},
		}}.run(t)
	})
	t.Run("both episodes of a file", func(t *testing.T) {
		a := announced(2, 2, true)
		a.Type = viewing.Episode
		story{steps: []step{
			{at: before, files: list(episodes(0, "", 1, 2))},
			{at: readAt, files: list(episodes(2, justNow, 1, 2)), acts: []announce.Act{a}, want: []string{"live S S01E01+S S01E02 2026-03-02T02:00:59Z"}},
		}}.run(t)
	})
}

// TestAMarkAndAPlayAreOneSitting, unless the mark waits for a person: then it
// cannot stand for the play.
func TestAMarkAndAPlayAreOneSitting(t *testing.T) {
	play := announced(1, 2, true)
	play.At, play.Ended = play.At.Add(time.Minute), play.Ended.Add(time.Minute)
	for name, c := range map[string]struct {
		with AddOns
		want []string
	}{
		"alone":           {AddOns{}, []string{"marked F1 2026-03-02T02:00:59Z", "live F1 2026-03-02T02:01:59Z = F1"}},
		"beside a writer": {AddOns{Writers: []string{"script.trakt"}}, []string{"review F1 2026-03-02T02:00:59Z", "live F1 2026-03-02T02:01:59Z"}},
	} {
		t.Run(name, func(t *testing.T) {
			story{with: c.with, steps: []step{
				{at: before, files: list(film(1, 0, ""))},
				{at: readAt, files: list(film(1, 1, justNow)), acts: []announce.Act{announced(1, 1, false)}, want: c.want[:1]},
				{at: "2026-03-02 02:02:00", files: list(film(1, 2, "2026-03-01 21:01:59")), acts: []announce.Act{play}, want: c.want[1:]},
			}}.run(t)
		})
	}
}

// TestWhatWasSeenIsSure: the last word about a count decides, and a library
// without a clock makes no playback doubtful that was seen.
func TestWhatWasSeenIsSure(t *testing.T) {
	z := Around{Machine: location(t, "America/New_York"), Acts: []announce.Act{announced(1, 1, false), announced(1, 1, true)}}
	known := NewMemory("lib")
	known.Apply(Decide(known, shown(film(1, 0, "")), moment(t, before), z))
	got := Decide(known, shown(film(1, 1, "1970-01-01 00:30:00")), moment(t, readAt), z).Viewings
	if len(got) != 1 || got[0].Class != viewing.ClassLive || got[0].Unsure {
		t.Errorf("%+v", got)
	}
}
