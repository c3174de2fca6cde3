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
	Runtime time.Duration // as reported by the player; 0 when unknown
}

// Topic is what a question asks for.
type Topic string

// The topics.
const (
	ByIMDB  Topic = "imdb"    // works and episodes with the IMDb number in Text
	ByTVDB  Topic = "tvdb"    // series and episodes with the TVDB number in Number
	BySite  Topic = "site"    // the work with a site's number, in Text: "netflix 80057281"
	ByTitle Topic = "title"   // works by the title in Text, of all years
	Details Topic = "details" // the work with the TMDB number in Number, with all its names and its runtime
	Season  Topic = "season"  // the episodes of a season of the series with the TMDB number in Number
)

// Question is a question to a provider. It is also the key of the answer in a [Cache].
type Question struct {
	Topic  Topic
	Kind   viewing.MediaType // movie or tv; for IMDb and TVDB numbers, episode for an episode's number, else ""
	Text   string
	Number int64
	Season int
	Year   int // of a title; 0 when unknown
}

// Answer is the answer to a question. The zero value means that nothing was found.
type Answer struct {
	Works     []Work
	Episodes  []Episode
	Partial   bool   // there are more results, or the provider is not sure
	By        string `json:"-"` // the last provider that contributed
	FromCache bool   `json:"-"` // no request was made for it
}

// isEmpty reports whether an answer is nil or has no results.

func (a *Answer) isEmpty() bool { return a == nil || len(a.Works)+len(a.Episodes) == 0 }

// worksOfKind returns the works of a kind.
func (a *Answer) worksOfKind(kind viewing.MediaType) (some []Work) {
	for _, w := range a.Works {
		if w.Type == kind {
			some = append(some, w)
		}
	}
	return some
}

// Candidate is a film or series of TMDB that the source may have reported.
type Candidate struct {
	Type   viewing.MediaType `json:"type"` // movie or tv
	TMDB   int64             `json:"tmdb"`
	Title  string            `json:"title"`            // "" when unknown
	Year   int               `json:"year,omitempty"`   // of the first release; 0 when unknown
	Poster string            `json:"poster,omitempty"` // the path of its poster at TMDB; "" when unknown
}

// Work is a candidate with the data to compare it with the evidence.
type Work struct {
	Candidate
	Names   []string // the original title and translations
	Minutes int      // runtime; 0 when unknown
	Seasons []int    // of a series, filled by [Details]; 0 is the specials
	By      string   // the provider that returned it; "" for TMDB
}

// Episode is an episode of TMDB.
type Episode struct {
	TMDB           int64 // the episode's own number; 0 when unknown
	Show           int64 // the TMDB number of its series
	Season, Number int
	Name           string
	Minutes        int // runtime; 0 when unknown
}

// Decision is the result for one piece of evidence.
type Decision struct {
	Unanswered   []Question      // questions without an answer; the decision was made without them
	Item         *viewing.Media  // the item with its identity and TMDB's numbering; nil if not certain
	Work         Candidate       // the film or series, if certain
	Candidates   []Candidate     // the choices for the user, if not certain
	Why          viewing.Message // the code is "why." and a row of the table
	Contradicted bool            // the evidence contradicts itself or TMDB
	By           string          // the last provider that answered, such as "TMDB"; "" for none
	FromCache    bool            // no request was made for it
}

// maxNamed is how many candidates a message lists.
const maxNamed = 3

// Message explains the decision to the user, with the candidates.
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

// MessageWithProvider returns [Decision.Message] with the name of the provider.
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

// CandidatesOf returns the candidates of a kind, without duplicates.
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

// String describes the work to the user: "Alpha One" (1999; film tmdb 603).
func (c Candidate) String() string {
	number, year := "film", ""
	if c.Type == viewing.TV {
		number = "series"
	}
	if c.TMDB > 0 {
		number += fmt.Sprintf(" tmdb %d", c.TMDB)
	}
	if c.Title == "" {
		return number
	}
	if c.Year > 0 {
		year = fmt.Sprintf("%d; ", c.Year)
	}
	return fmt.Sprintf("%q (%s%s)", c.Title, year, number)
}

// Apply returns m with the TMDB number of the work, and its title and year if none were
// reported. For an episode it sets those of the series: season and number stay, and the
// episode's own TMDB number is removed.
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

// ApplyChoice is [Candidate.Apply] for a work that the user chose: its title and year
// replace the reported ones.
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
