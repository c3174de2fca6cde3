package identity

import "github.com/filmspool/filmspool/queue/viewing"

// Evidence is what a source told about one item.
type Evidence struct {
	Kind viewing.MediaType // "" when it was not told
	Own  Told              // the item's own numbers and name
	Show Told              // those of an episode's series
	// Season and Episode are an episode's place as the source counts; nil when
	// it was not told.
	Season, Episode *int
	OwnCount        bool // the source counts seasons and episodes by itself
	Unsure          bool // the source does not trust it itself: a file's name, a broken file
}

// Told is what a source told about one work. Zero values were not told.
type Told struct {
	viewing.IDs
	Site  string // a site, a blank, and the site's own number: "netflix 80057281"
	Title string
	Year  int
}

// EvidenceOf is what a viewing tells.
func EvidenceOf(m viewing.Media) Evidence {
	e := Evidence{
		Kind: m.Type, Own: Told{IDs: m.IDs, Title: m.Title, Year: m.Year}, Season: m.Season, Episode: m.Episode,
		OwnCount: m.Site.OwnCount(), Unsure: m.Unsure,
	}
	if m.Show != nil {
		e.Show = Told{IDs: m.Show.IDs, Title: m.Show.Title, Year: m.Show.Year}
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
	AtSite    Ask = "site"          // the film with a site's number, in Text as in [Told]
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
	Own    bool // an episode's own number is asked about
}

// Answer is what is known to a question. Nothing in it means that there is none.
type Answer struct {
	Films, Series []Work
	Episodes      []Part
	Partial       bool // there is more than this, or it is not of these alone
	Kept          bool `json:"-"` // it was remembered, and not asked for now
}

// Work is a film or series of TMDB.
type Work struct {
	Kind  viewing.MediaType // movie or tv
	TMDB  int64
	Title string
	Names []string // the original title, and translations
	Year  int      // of the first release; 0 when it is not known
	By    string   // who says that this is the work; "" for TMDB itself
}

// Part is an episode of TMDB.
type Part struct {
	TMDB           int64 // its own number; 0 when it was not told
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

// Decision is what evidence means. Open names what must be answered before;
// then nothing else is set.
type Decision struct {
	Open       []Question
	Item       *Item  // what is certain
	Named      Work   // the film or series that is certain, as far as TMDB tells of it
	Candidates []Work // what a person may choose from, else
	Why        string // one clause for a person
	By         string // the last of those who were asked for it, such as "TMDB"; "" for nobody
	Kept       bool   // it rests on nothing but remembered answers
}
