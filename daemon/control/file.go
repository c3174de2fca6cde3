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

// File is a history file that the user uploaded.
type File struct {
	ID     string `json:"id"`              // derived from the content
	Name   string `json:"name"`            // of the uploaded file
	Dates  string `json:"dates,omitempty"` // see [FileOrder], like the next field
	Person string `json:"person,omitempty"`
	FilePreview
	AddedAt time.Time `json:"addedAt"`
	// Agreed means that the user confirmed the import. It then starts, and continues after a
	// restart.
	Agreed bool `json:"agreed,omitempty"`
	// Done is the number of rows, of Rows, that were read since StartedAt.
	Done      int       `json:"done,omitempty"`
	StartedAt time.Time `json:"startedAt,omitzero"`
	// EndedAt is the end of the import. The preview then contains its result.
	EndedAt time.Time       `json:"endedAt,omitzero"`
	Problem viewing.Message `json:"problem,omitzero"` // why it failed
}

// Runs reports whether the import is confirmed and has not ended.
func (f File) Runs() bool { return f.Agreed && f.EndedAt.IsZero() }

// TooLarge returns an error if a history file is too large to be uploaded.
func TooLarge(size int64) error {
	if size <= transfer.MaxSize {
		return nil
	}
	return Refused(viewing.Say("file.large", "mb", strconv.Itoa(transfer.MaxSize>>20)), viewing.Message{})
}

// FilePreview counts the rows of a file by what an import would do, or did.
type FilePreview struct {
	Format         string         `json:"format"`
	Rows           int            `json:"rows"`
	New            int            `json:"new"`            // new entries
	Known          int            `json:"known"`          // already in the queue or at the service
	AtService      int            `json:"atService"`      // of Known: only at the service
	Unresolved     int            `json:"unresolved"`     // of New: not identified
	Held           int            `json:"held"`           // of New: held for another reason
	Ignored        int            `json:"ignored"`        // of New: dropped by a filter or a pause
	AmbiguousDates int            `json:"ambiguousDates"` // the order of day and month is unclear
	Viewings       int            `json:"viewings"`
	Watchlist      int            `json:"watchlist"`
	Lists          int            `json:"lists"`
	ListItems      int            `json:"listItems"`
	People         map[string]int `json:"people,omitempty"` // rows by user, if the file has several
	Skipped        map[string]int `json:"skipped"`          // rows without a usable viewing, by reason
	SendSeconds    int64          `json:"sendSeconds"`      // approximate duration of the sending; 0 without a rate limit
	Unread         []KodiService  `json:"unread,omitempty"` // services with an unreadable history
}

// Tally is one count of a preview.
type Tally struct {
	Key    string // of the text
	N      int
	Reason string // why entries would be held or ignored; may be empty
}

// KodiTallies returns the counts of a library that are not zero.
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

// PeopleToChoose returns the people in a file if the user must choose one of them.
func (f File) PeopleToChoose() (names []string) {
	if len(f.People) > 1 && f.Person == "" {
		names = slices.Sorted(maps.Keys(f.People))
	}
	return names
}

// Tallies returns the counts that are not zero.
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

// FileOrder names a file and contains the user's choices about it.
type FileOrder struct {
	ID     string `json:"id"`
	Dates  string `json:"dates,omitempty"`  // DayFirst or MonthFirst; "" before the user has chosen
	Person string `json:"person,omitempty"` // the person to import; "" for all
	Wait   bool   `json:"wait,omitempty"`   // wait for the end of the import
}

// Remaining returns the approximate remaining time of an import and the rows read per second, or 0 if
// unknown.
func (f File) Remaining(now time.Time) (left time.Duration, rate int) {
	took := now.Sub(f.StartedAt)
	if f.Done == 0 || f.StartedAt.IsZero() || took <= 0 {
		return 0, 0
	}
	share := float64(f.Rows-f.Done) / float64(f.Done)
	return time.Duration(share * float64(took)).Round(time.Second), int(float64(f.Done) / took.Seconds())
}
