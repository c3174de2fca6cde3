package resolve

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Evidence is what a source reported about one item.
type Evidence struct {
	viewing.Media
	Runtime time.Duration // as its player told it; 0 when it is not known
}

// Ask is a kind of question.
type Topic string

// The kinds.
const (
	ByIMDB  Topic = "imdb"    // works and episodes with the IMDb number in Text
	ByTVDB  Topic = "tvdb"    // series and episodes with the TVDB number in Number
	BySite  Topic = "site"    // the work with a site's own number, in Text: "netflix 80057281"
	ByTitle Topic = "title"   // works by the title in Text, of all years
	Details Topic = "details" // the work of a TMDB number, with all its names and its runtime
	Season  Topic = "season"  // the episodes of a season of the series with a TMDB number
)

// Question is one that must be answered before something can be decided.
type Question struct {
	Topic  Topic
	Kind   viewing.MediaType // movie or tv; of IMDb and TVDB numbers, episode for its own number, else ""
	Text   string
	Number int64
	Season int
	Year   int // of a title, where it is known
}

// Answer is what is known to a question. The zero value means that there is none.
type Answer struct {
	Works     []Work
	Episodes  []Episode
	Partial   bool   // there is more than this, or who answers is not sure of it
	By        string `json:"-"` // the last provider that has contributed to it
	FromCache bool   `json:"-"` // it was remembered, and not asked for now
}

func (a *Answer) isEmpty() bool { return a == nil || len(a.Works)+len(a.Episodes) == 0 }

// of are the works of a kind.
func (a *Answer) worksOfKind(kind viewing.MediaType) (some []Work) {
	for _, w := range a.Works {
		if w.Type == kind {
			some = append(some, w)
		}
	}
	return some
}

// Candidate is a film or series of TMDB that may be meant.
type Candidate struct {
	Type   viewing.MediaType `json:"type"` // movie or tv
	TMDB   int64             `json:"tmdb"`
	Title  string            `json:"title"`            // "" when it is not known
	Year   int               `json:"year,omitempty"`   // of the first release; 0 when it is not known
	Poster string            `json:"poster,omitempty"` // the path of its picture at TMDB; "" when it is not known
}

// Work is a candidate with what it is compared by.
type Work struct {
	Candidate
	Names   []string // the original title, and translations
	Minutes int      // its runtime; 0 when it is not known
	Seasons []int    // of a series, by [Details]; 0 are its specials
	By      string   // who names it; "" for TMDB
}

// Episode is an episode of TMDB.
type Episode struct {
	TMDB           int64 // its own number; 0 when it is not known
	Show           int64
	Season, Number int
	Name           string
	Minutes        int // its runtime; 0 when it is not known
}

// Decision is what evidence means.
type Decision struct {
	Unanswered   []Question      // what could not be asked; the rest is decided without it
	Item         *viewing.Media  // what is certain: the item with its identity, counted as TMDB does
	Work         Candidate       // the film or series that is certain
	Candidates   []Candidate     // what a person may choose from, else
	Why          viewing.Message // "why." and a row of the table
	Contradicted bool            // not only a witness is missing: what was reported contradicts itself or TMDB
	By           string          // the last of those who were asked for it, such as "TMDB"; "" for nobody
	FromCache    bool            // it rests on nothing but remembered answers
}

// maxNamed is how many candidates a message names.
const maxNamed = 3

// Message says what was decided, and what it may be.
func (d Decision) Message() viewing.Message {
	var names []string
	for _, c := range d.Candidates[:min(len(d.Candidates), maxNamed)] {
		names = append(names, c.String())
	}
	may, more := strings.Join(names, ", "), len(d.Candidates)-maxNamed
	switch {
	case d.Item != nil:
		return viewing.Say("resolve.certain").Because(d.Why)
	case may == "":
		return viewing.Say("resolve.uncertain").Because(d.Why)
	case more > 0:
		return viewing.Say("resolve.many", "may", may, "n", strconv.Itoa(more)).Because(d.Why)
	default:
		return viewing.Say("resolve.may", "may", may).Because(d.Why)
	}
}

// Asked is the message with the name of who was asked.
func (d Decision) MessageWithProvider() viewing.Message {
	switch d.By {
	case "":
		return d.Message()
	case ByService:
		return viewing.Say("resolve.askedService").Because(d.Message())
	default:
		return viewing.Say("resolve.asked", "by", d.By).Because(d.Message())
	}
}

// Of returns the candidates of a kind, each once.
func (d Decision) CandidatesOf(kind viewing.MediaType) (few []Candidate) {
	all := d.Candidates
	if d.Item != nil {
		all = []Candidate{d.Work}
	}
	for _, c := range all {
		at := slices.IndexFunc(few, func(o Candidate) bool { return o.TMDB == c.TMDB })
		if at < 0 && c.Type == kind && c.TMDB > 0 {
			few = append(few, c)
		} else if at >= 0 && few[at].Title == "" {
			few[at] = c
		}
	}
	return few
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

// Apply gives an item the identity of a work, and its title and year where none was
// reported. Of an episode it is that of its series: season and number stay, and a
// number of its own goes.
func (c Candidate) Apply(m viewing.Media) viewing.Media {
	if m.Type != viewing.Episode {
		m.IDs.TMDB = c.TMDB
		if m.Title == "" {
			m.Title, m.Year = c.Title, cmp.Or(m.Year, c.Year)
		}
		return m
	}
	show := viewing.Show{}
	if m.Show != nil {
		show = *m.Show
	}
	if show.Title == "" {
		show.Title, show.Year = c.Title, cmp.Or(show.Year, c.Year)
	}
	show.IDs.TMDB, m.IDs.TMDB = c.TMDB, 0
	m.Show = &show
	return m
}

// Named is [Candidate.Apply] for what a person has chosen: the item has the title and year
// of the work, whatever was reported.
func (c Candidate) ApplyChoice(m viewing.Media) viewing.Media {
	m = c.Apply(m)
	switch {
	case c.Title == "":
	case m.Type == viewing.Episode:
		m.Show.Title, m.Show.Year = c.Title, c.Year
	default:
		m.Title, m.Year = c.Title, c.Year
	}
	return m
}
