package resolve

import (
	"fmt"
	"slices"
	"strings"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Evidence is what a source reported about one item.
type Evidence struct {
	Kind            viewing.MediaType // "" when it was not reported
	Own             Reported          // the item's own numbers and name
	Show            Reported          // those of an episode's series
	Season, Episode *int              // as the source counts; nil when not reported
	OwnCount        bool              // the source counts seasons and episodes by itself
	Unsure          bool              // the source does not trust it itself: a file's name, a broken file
}

// Reported is what a source reported about one work. Zero values were not reported.
type Reported struct {
	viewing.IDs
	Site  string // a site, a blank, and the site's own number: "netflix 80057281"
	Title string
	Year  int
}

// EvidenceOf is what a viewing tells.
func EvidenceOf(m viewing.Media) Evidence {
	e := Evidence{
		Kind: m.Type, Own: Reported{IDs: m.IDs, Title: m.Title, Year: m.Year}, Season: m.Season, Episode: m.Episode,
		OwnCount: m.Site.OwnCount(), Unsure: m.Unsure,
	}
	if m.Show != nil {
		e.Show = Reported{IDs: m.Show.IDs, Title: m.Show.Title, Year: m.Show.Year}
	}
	switch number := m.Site.Number(m.Type); {
	case number == "":
	case m.Type == viewing.Episode:
		e.Show.Site = m.Site.Name + " " + number
	default:
		e.Own.Site = m.Site.Name + " " + number
	}
	return e
}

// Ask says what kind of question it is.
type Ask string

// The questions.
const (
	AskIMDB   Ask = "imdb"          // works and episodes with an IMDb number, in Text
	AskTVDB   Ask = "tvdb"          // series and episodes with a TVDB number, in Number
	AtSite    Ask = "site"          // the film with a site's number, in Text as in [Reported]
	AtSiteTV  Ask = "site series"   // the series with such a number
	AskFilm   Ask = "film"          // the film of a TMDB number
	AskSeries Ask = "series"        // the series of a TMDB number
	AskSeason Ask = "season"        // the episodes of a season of that series
	SearchFor Ask = "search film"   // films by a title, in Text
	SearchTV  Ask = "search series" // series by a title
)

// Question is one that must be answered before something can be decided.
type Question struct {
	Ask    Ask
	Text   string
	Number int64
	Season int
	Year   int  // of a title, where it is known; the answer has other years, too
	Own    bool // an episode's own number is asked about
}

// Answer is what is known to a question. The zero value means that there is none.
type Answer struct {
	Films, Series []Work
	Episodes      []Part
	Partial       bool // there is more than this, or who answers is not sure of it
	Kept          bool `json:"-"` // it was remembered, and not asked for now
}

func (a *Answer) empty() bool { return a == nil || len(a.Films)+len(a.Series)+len(a.Episodes) == 0 }

// of are the works of a kind.
func (a *Answer) of(kind viewing.MediaType) []Work {
	if kind == viewing.TV {
		return a.Series
	}
	return a.Films
}

// Candidate is a film or series of TMDB that may be meant.
type Candidate struct {
	Type  viewing.MediaType `json:"type"` // movie or tv
	TMDB  int64             `json:"tmdb"`
	Title string            `json:"title"`          // "" when it is not known
	Year  int               `json:"year,omitempty"` // of the first release; 0 when it is not known
}

// Work is a candidate with what it is compared by.
type Work struct {
	Candidate
	Names []string // the original title, and translations
	By    string   // who says that this is the work; "" for TMDB itself
}

// Part is an episode of TMDB.
type Part struct {
	TMDB           int64 // its own number; 0 when it is not known
	Show           int64
	Season, Number int
	Name           string
}

// Known is what can be known without asking now.
type Known interface {
	// Answer is the answer to a question; nil where nobody can answer it. It is
	// false where it must be asked first.
	Answer(Question) (*Answer, bool)
}

// Item is one that is certain.
type Item struct {
	Kind           viewing.MediaType
	TMDB           int64 // of an episode its series'; 0 where its own number alone is known
	Season, Number int   // of an episode
	Own            int64 // an episode's own number; 0 when it is not known
}

// Apply gives an item the identity that is certain. Season and number become those
// of TMDB, as the service counts.
func (i Item) Apply(m viewing.Media) viewing.Media {
	if i.Kind != viewing.Episode {
		m.IDs.TMDB = i.TMDB
		return m
	}
	if i.Own > 0 {
		m.IDs.TMDB = i.Own
	}
	if i.TMDB > 0 {
		own := m.IDs.TMDB
		m = Candidate{TMDB: i.TMDB}.Apply(m)
		m.IDs.TMDB, m.Season, m.Episode = own, &i.Season, &i.Number
	}
	return m
}

// Decision is what evidence means. Open names what must be answered before; then
// nothing else is set.
type Decision struct {
	Open       []Question
	Item       *Item  // what is certain
	Named      Work   // the film or series that is certain, as far as it is known
	Candidates []Work // what a person may choose from, else
	Why        string // one clause for a person
	Against    bool   // not only a witness is missing: what was reported contradicts itself or TMDB
	By         string // the last of those who were asked for it, such as "TMDB"; "" for nobody
	Kept       bool   // it rests on nothing but remembered answers
}

// Contradicts says what speaks against the number by which the item m is known; ""
// for nothing. That nothing confirms it is no contradiction.
func (d Decision) Contradicts(m viewing.Media) string {
	switch {
	case len(d.Open) > 0:
		return ""
	case d.Item != nil && d.Item.Apply(m).Key() != m.Key():
		return "its number and what else is known of it name different works"
	case d.Item == nil && d.Against:
		return d.Why
	}
	return ""
}

// maxNamed is how many candidates a sentence names.
const maxNamed = 3

// Said is a decision in one or two sentences for a person.
func (d Decision) Said() string {
	if d.Item != nil {
		return fmt.Sprintf("It is certain: %s.", d.Why)
	}
	said := fmt.Sprintf("It is not certain: %s.", d.Why)
	var names []string
	for _, w := range d.Candidates[:min(len(d.Candidates), maxNamed)] {
		names = append(names, w.String())
	}
	if more := len(d.Candidates) - maxNamed; more > 0 {
		names = append(names, fmt.Sprintf("%d others", more))
	}
	if len(names) > 0 {
		said += " It may be " + strings.Join(names, " or ") + "."
	}
	return said
}

// String is a work in a person's words: "Alpha One" (1999; film tmdb 603).
func (c Candidate) String() string {
	number, year := fmt.Sprintf("film tmdb %d", c.TMDB), ""
	if c.Type == viewing.TV {
		number = fmt.Sprintf("series tmdb %d", c.TMDB)
	}
	if c.Title == "" {
		return number
	}
	if c.Year > 0 {
		year = fmt.Sprintf("%d; ", c.Year)
	}
	return fmt.Sprintf("%q (%s%s)", c.Title, year, number)
}

// Apply gives an item the identity that a person has chosen. Of an episode it is
// that of its series: season and number stay, and a number of its own goes.
func (c Candidate) Apply(m viewing.Media) viewing.Media {
	if m.Type != viewing.Episode {
		m.IDs.TMDB = c.TMDB
		return m
	}
	show := viewing.Show{}
	if m.Show != nil {
		show = *m.Show
	}
	show.IDs.TMDB, m.IDs.TMDB = c.TMDB, 0
	m.Show = &show
	return m
}

// Distinct are candidates of a kind, each once. One with a title counts before one
// without.
func Distinct(kind viewing.MediaType, all []Candidate) (few []Candidate) {
	for _, c := range all {
		same := func(o Candidate) bool { return o.TMDB == c.TMDB }
		if at := slices.IndexFunc(few, same); at >= 0 && few[at].Title == "" {
			few[at] = c
		} else if at < 0 && c.Type == kind && c.TMDB > 0 {
			few = append(few, c)
		}
	}
	return few
}

// Of returns the candidates of a kind, each once.
func (d Decision) Of(kind viewing.MediaType) []Candidate {
	var all []Candidate
	if d.Item != nil {
		all = append(all, d.Named.Candidate)
	}
	for _, w := range d.Candidates {
		all = append(all, w.Candidate)
	}
	return Distinct(kind, all)
}
