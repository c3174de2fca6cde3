package control

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/filmspool/filmspool/kodi"
	"github.com/filmspool/filmspool/queue/transfer"
	"github.com/filmspool/filmspool/queue/viewing"
)

// The orders of day and month in a file.
const (
	DayFirst   = "day-first"
	MonthFirst = "month-first"
)

// File is a history file that a person gave.
type File struct {
	ID     string `json:"id"`              // of its content
	Name   string `json:"name"`            // that the person gave it
	Dates  string `json:"dates,omitempty"` // as in [FileOrder], as the next
	Person string `json:"person,omitempty"`
	FilePreview
	AddedAt time.Time `json:"addedAt"`
	// Agreed says that a person wants it imported: this begins, and goes on after a restart.
	Agreed bool `json:"agreed,omitempty"`
	// Done is how many rows have been read since StartedAt, of Rows.
	Done      int       `json:"done,omitempty"`
	StartedAt time.Time `json:"startedAt,omitzero"`
	// EndedAt is when the import has ended; its preview is what it did then.
	EndedAt time.Time       `json:"endedAt,omitzero"`
	Problem viewing.Message `json:"problem,omitzero"` // why it did not end well
}

// Runs reports whether a person has agreed to its import, and that has not ended.
func (f File) Runs() bool { return f.Agreed && f.EndedAt.IsZero() }

// TooLarge refuses a history file for its size, before it is sent; nil where it may be read.
func TooLarge(size int64) error {
	if size <= transfer.MaxSize {
		return nil
	}
	return Refused(viewing.Say("file.large", "mb", strconv.Itoa(transfer.MaxSize>>20)), viewing.Message{})
}

// FilePreview counts the rows of a file: what an import of it would do, or has done.
type FilePreview struct {
	Format         string         `json:"format"`
	Rows           int            `json:"rows"`
	New            int            `json:"new"`            // would be added
	Known          int            `json:"known"`          // are here or at the service already
	AtService      int            `json:"atService"`      // of the known ones: only the service has them
	Unresolved     int            `json:"unresolved"`     // of the new ones: it is not known which title they are
	Held           int            `json:"held"`           // of the new ones: wait for a person for another reason
	Ignored        int            `json:"ignored"`        // of the new ones: left out by a filter or a pause
	AmbiguousDates int            `json:"ambiguousDates"` // day and month may be either way round
	Viewings       int            `json:"viewings"`
	Watchlist      int            `json:"watchlist"`
	Lists          int            `json:"lists"`
	ListItems      int            `json:"listItems"`
	People         map[string]int `json:"people,omitempty"` // whose rows they are, where the file tells
	Skipped        map[string]int `json:"skipped"`          // rows that say nothing of one viewing, by the reason
	SendSeconds    int64          `json:"sendSeconds"`      // about how long the sending takes; 0 when nothing slows it
	Unread         []KodiService  `json:"unread,omitempty"` // the services that do not tell what they have
}

// Tally is one count of a preview.
type Tally struct {
	Key    string // of its text
	N      int
	Reason string // why it would be held or ignored; "" where Key says it all
}

// KodiTallies are the counts of a library that are not zero.
func KodiTallies(p kodi.Preview) []Tally {
	all := []Tally{{Key: "sources.preview.films", N: p.Films}, {Key: "sources.preview.episodes", N: p.Episodes}}
	for _, reason := range slices.Sorted(maps.Keys(p.Held)) {
		all = append(all, Tally{"sources.preview.held", p.Held[reason], reason})
	}
	for _, reason := range slices.Sorted(maps.Keys(p.Ignored)) {
		all = append(all, Tally{"sources.preview.ignored", p.Ignored[reason], reason})
	}
	return counted(append(all, []Tally{
		{Key: "sources.preview.nameless", N: p.Unresolved},
		{Key: "sources.preview.recorded", N: p.Recorded},
		{Key: "sources.preview.atService", N: p.AtService},
		{Key: "sources.preview.copies", N: p.Copies},
		{Key: "sources.preview.undated", N: p.Before},
		{Key: "sources.preview.earlier", N: p.Earlier},
		{Key: "sources.preview.unreadable", N: p.Unreadable},
	}...))
}

func counted(all []Tally) []Tally {
	return slices.DeleteFunc(all, func(t Tally) bool { return t.N == 0 })
}

// Whose are the people of a file, where a person must say whose rows are imported.
func (f File) Whose() (names []string) {
	if len(f.People) > 1 && f.Person == "" {
		names = slices.Sorted(maps.Keys(f.People))
	}
	return names
}

// Tallies are the counts that are not zero.
func (p FilePreview) Tallies() []Tally {
	all := []Tally{
		{Key: "import.new", N: p.New},
		{Key: "import.unresolved", N: p.Unresolved},
		{Key: "import.held", N: p.Held},
		{Key: "import.ignored", N: p.Ignored},
		{Key: "import.known", N: p.Known},
		{Key: "import.ambiguous", N: p.AmbiguousDates},
	}
	for _, reason := range slices.Sorted(maps.Keys(p.Skipped)) {
		all = append(all, Tally{Key: "import.skipped." + reason, N: p.Skipped[reason]})
	}
	return counted(all)
}

// FileOrder names a file, and what a person said of it.
type FileOrder struct {
	ID     string `json:"id"`
	Dates  string `json:"dates,omitempty"`  // DayFirst or MonthFirst; "" before the user has chosen
	Person string `json:"person,omitempty"` // whose rows are imported; "" for everybody's
	Wait   bool   `json:"wait,omitempty"`   // for the end of an import
}

// Left is about how long an import still takes, and how many rows it reads a second; 0 while
// that is unknown.
func (f File) Left(now time.Time) (left time.Duration, rate int) {
	took := now.Sub(f.StartedAt)
	if f.Done == 0 || f.StartedAt.IsZero() || took <= 0 {
		return 0, 0
	}
	share := float64(f.Rows-f.Done) / float64(f.Done)
	return time.Duration(share * float64(took)).Round(time.Second), int(float64(f.Done) / took.Seconds())
}
