package announce

import (
	"slices"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// KeptFor is how long an act can be asked about.
const KeptFor = 10 * time.Minute

const (
	window  = 2 * time.Second // between a count and the end of its playback
	maxActs = 2_000           // that are kept, and maxEnds likewise: a liar may tell of any number
	maxEnds = 16
)

// message is one announcement, as far as it is of interest.
type message struct {
	Method string `json:"method"`
	Params struct {
		Data struct {
			Item      *item `json:"item"`
			PlayCount *int  `json:"playcount"`
		} `json:"data"`
	} `json:"params"`
}

// item is a film or an episode; another one has another type, or no id.
type item struct {
	ID   int64             `json:"id"`
	Type viewing.MediaType `json:"type"`
}

// book keeps what one Kodi has announced lately. It knows no clock but what it is told.
type book struct {
	since   time.Time // since when all is heard: when the connection was made, or the first playback began
	heard   bool      // something was said of what is played
	playing end       // without an end; zero for nothing, or when that is not known
	ends    []end     // the last ones of playbacks
	counts  []Act     // the oldest first
}

// end is a playback that has ended.
type end struct {
	item  item
	began time.Time // zero when that was not heard
	at    time.Time
}

// Act is a change of a play count that a Kodi has announced.
type Act struct {
	Type  viewing.MediaType // a film or an episode
	ID    int64             // of the item: idMovie or idEpisode
	Count int               // the play count that it led to
	At    time.Time         // when it was announced
	Ended time.Time         // when its playback ended; zero when no end was heard: somebody marked it
	Began time.Time         // when the playback began that it is part of; zero when there is none, or that was not heard
	// Unclear: it cannot be told whether it was marked, since not all was heard
	// that happened then.
	Unclear bool
}

// begin notes a new connection: what happened before was not heard.
func (b *book) begin(at time.Time) { b.since, b.heard, b.playing = at, false, end{} }

// stop notes the end of the connection: what would have followed is not heard.
func (b *book) stop(at time.Time) {
	b.doubt(at)
	b.playing = end{}
}

// doubt concludes nothing from the silence of the moment before.
func (b *book) doubt(at time.Time) {
	for i := range b.counts {
		c := &b.counts[i]
		c.Unclear = c.Unclear || at.Sub(c.At) < window
	}
}

// hear takes in an announcement.
func (b *book) hear(at time.Time, m message) {
	what, n := m.Params.Data.Item, m.Params.Data.PlayCount
	if strings.HasPrefix(m.Method, "Player.") && what != nil {
		if !b.heard && begins(m.Method) {
			b.doubt(at) // it may follow one that began before we heard
			b.since = at
		}
		b.heard = true
	}
	switch {
	case what == nil:
	case m.Method == "VideoLibrary.OnUpdate" && n != nil && (what.Type == viewing.Movie || what.Type == viewing.Episode):
		b.count(at, *what, *n)
	case m.Method == "Player.OnStop":
		if *what != b.playing.item {
			b.end(end{item: *what, at: at})
			break
		}
		b.playing.at = at
		b.end(b.playing)
		b.playing = end{}
	case strings.HasPrefix(m.Method, "Player.") && *what != b.playing.item:
		b.playing.at = at
		b.end(b.playing)
		b.playing = end{item: *what}
		if begins(m.Method) {
			b.playing.began = at
		}
	}
}

// begins reports the announcements of a playback that begins.
func begins(method string) bool { return method == "Player.OnPlay" || method == "Player.OnAVStart" }

func (b *book) count(at time.Time, what item, n int) {
	c := Act{Type: what.Type, ID: what.ID, Count: n, At: at, Unclear: at.Sub(b.since) < window}
	if what == b.playing.item {
		c.Began = b.playing.began
	}
	for _, e := range b.ends {
		if e.item == what && at.Sub(e.at) < window {
			c.Ended, c.Began = e.at, e.began
		}
	}
	b.counts = slices.DeleteFunc(b.counts, func(c Act) bool { return at.Sub(c.At) > KeptFor })
	b.counts = append(b.counts, c)
	b.counts = b.counts[max(0, len(b.counts)-maxActs):]
}

func (b *book) end(e end) {
	b.ends = append(b.ends, e)
	b.ends = b.ends[max(0, len(b.ends)-maxEnds):]
	for i := range b.counts {
		if c := &b.counts[i]; c.ID == e.item.ID && c.Type == e.item.Type && c.Ended.IsZero() && e.at.Sub(c.At) < window {
			c.Ended, c.Began = e.at, e.began
		}
	}
}

// acts are what was heard, the oldest first.
func (b *book) acts(now time.Time) []Act {
	all := slices.Clone(b.counts)
	for i := range all {
		c := &all[i]
		c.Unclear = c.Ended.IsZero() && (c.Unclear || now.Sub(c.At) < window)
	}
	return all
}

// open is how long it takes until all that was heard is decided.
func (b *book) open(now time.Time) (wait time.Duration) {
	for _, c := range b.counts {
		if c.Ended.IsZero() {
			wait = max(wait, c.At.Add(window).Sub(now))
		}
	}
	return wait
}
