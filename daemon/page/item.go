package page

import (
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
)

// item is an entry for rows, tiles and headings.
type item struct {
	entry.Entry
	*view
}

// Item returns an entry for the templates.
func (v *view) Item(e entry.Entry) item { return item{e, v} }

// items returns entries for the templates.
func (v *view) items(all []entry.Entry) []item {
	list := make([]item, len(all))
	for i, e := range all {
		list[i] = v.Item(e)
	}
	return list
}

// Title returns the title of the film, series or list; its number where no title is known.
func (i item) Title() string {
	m := i.Media
	switch {
	case i.List != nil:
		return i.List.Name
	case m == nil:
		return i.Entry.Label()
	default:
		bare := *m
		bare.Year, bare.Season, bare.Episode = 0, nil, nil
		return i.Speech.Item(bare)
	}
}

// Sub returns the second line: the year of a film, or "S01E02 · Pilot".
func (i item) Sub() string {
	m := i.Media
	switch {
	case m == nil:
		return ""
	case m.Type == viewing.Episode:
		place, title := placeOf(m.Season, m.Episode), m.Title
		if title == i.Title() {
			title = ""
		}
		return strings.Trim(place+" · "+title, " ·")
	case m.Year == 0:
		return ""
	default:
		return strconv.Itoa(m.Year)
	}
}

// Tint returns one of eight colours of the tile that replaces a missing poster. All episodes of
// a series have the same.
func (i item) Tint() int {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(i.Title()))
	return int(hash.Sum32() % 8)
}

// Picture returns the address of the picture of its film or series; "" for none.
func (i item) Picture() string {
	if i.Media == nil {
		return ""
	}
	work := resolve.ClueOf(*i.Media)
	return i.Poster(work.Kind, work.IDs.TMDB)
}

// Watched returns when it was watched, for the template "time"; nil where it was not.
func (i item) Watched() *moment {
	if i.Kind != viewing.KindViewing {
		return nil
	}
	at := i.WatchedAt.Time()
	if i.DayOnly {
		return &moment{At: at.Local().Format(time.DateOnly), Text: i.ShortDay(at, time.Now())}
	}
	return i.When(at)
}

// From returns the name of its source.
func (i item) From() string { return i.Speech.Source(i.Entry.Source) }

// FromIcon returns the icon of its source.
func (i item) FromIcon() string { return "from-" + viewing.SourceKind(i.Source) }

// Mark returns the name of its state, or "" for the usual ones: delivered, or saved in an account
// without a service.
func (i item) Mark() string {
	local := slices.ContainsFunc(i.Status.Accounts, func(a control.Account) bool { return a.Name == i.Account && a.Local })
	switch {
	case i.State == viewing.StateDelivered:
		return ""
	case local && (i.State == viewing.StatePending || i.Reason == viewing.ReasonUnresolved):
		return ""
	case i.State == viewing.StateHeld:
		name, _ := groupOf(i.Entry)
		return i.Say("mark." + name)
	default:
		return i.Word("diary.state.", i.State)
	}
}

// day is the viewings of one day.
type day struct {
	Name  string
	Items []item
}

// month is the viewings of one month.
type month struct {
	Name string
	Days []day
}

// byDay groups viewings, the latest first, by local month and day.
func (v *view) byDay(all []entry.Entry) (months []month) {
	now := time.Now()
	for _, e := range all {
		at := e.WatchedAt.Time().Local()
		name, today := v.Month(at), v.Day(at, now)
		if len(months) == 0 || months[len(months)-1].Name != name {
			months = append(months, month{Name: name})
		}
		m := &months[len(months)-1]
		if len(m.Days) == 0 || m.Days[len(m.Days)-1].Name != today {
			m.Days = append(m.Days, day{Name: today})
		}
		d := &m.Days[len(m.Days)-1]
		d.Items = append(d.Items, v.Item(e))
	}
	return months
}
