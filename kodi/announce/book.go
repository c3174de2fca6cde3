package announce

import (
	"slices"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

const (
	window  = 2 * time.Second  // between a count and the end of its playback
	keepFor = 10 * time.Minute // what readings of the library may still ask about
	maxActs = 2_000            // that are kept, and maxEnds likewise: a liar may tell of any number
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
	playing item      // zero for nothing, or when that is not known
	ends    []end     // the last ones of playbacks
	counts  []count   // the oldest first
}

type end struct {
	item item
	at   time.Time
}

// Act is a change of a play count that a Kodi has announced.
type Act struct {
	Type  viewing.MediaType // a film or an episode
	ID    int64             // of the item: idMovie or idEpisode
	Count int               // the play count that it led to
	At    time.Time         // when it was announced
	Ended time.Time         // when its playback ended; zero when nothing was played: somebody marked it
}

// count is an announced play count.
type count struct {
	Act
	mute bool // no mark can be concluded from silence
}

func (c count) item() item { return item{c.ID, c.Type} }

// begin notes a new connection: what happened before was not heard.
func (b *book) begin(at time.Time) { b.since, b.heard, b.playing = at, false, item{} }

// stop notes the end of the connection: what would have followed is not heard.
func (b *book) stop(at time.Time) {
	b.doubt(at)
	b.playing = item{}
}

// doubt concludes nothing from the silence of the moment before.
func (b *book) doubt(at time.Time) {
	for i := range b.counts {
		c := &b.counts[i]
		c.mute = c.mute || at.Sub(c.At) < window
	}
}

// hear takes in an announcement.
func (b *book) hear(at time.Time, m message) {
	what, n := m.Params.Data.Item, m.Params.Data.PlayCount
	if strings.HasPrefix(m.Method, "Player.") && what != nil {
		if !b.heard && (m.Method == "Player.OnPlay" || m.Method == "Player.OnAVStart") {
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
		b.end(at, *what)
		if *what == b.playing {
			b.playing = item{}
		}
	case strings.HasPrefix(m.Method, "Player.") && *what != b.playing:
		b.end(at, b.playing)
		b.playing = *what
	}
}

func (b *book) count(at time.Time, what item, n int) {
	c := count{Act: Act{Type: what.Type, ID: what.ID, Count: n, At: at}}
	c.mute = at.Sub(b.since) < window || what == b.playing
	for _, e := range b.ends {
		if e.item == what && at.Sub(e.at) < window {
			c.Ended = e.at
		}
	}
	b.counts = slices.DeleteFunc(b.counts, func(c count) bool { return at.Sub(c.At) > keepFor })
	b.counts = append(b.counts, c)
	b.counts = b.counts[max(0, len(b.counts)-maxActs):]
}

func (b *book) end(at time.Time, what item) {
	b.ends = append(b.ends, end{what, at})
	b.ends = b.ends[max(0, len(b.ends)-maxEnds):]
	for i := range b.counts {
		if c := &b.counts[i]; c.item() == what && c.Ended.IsZero() && at.Sub(c.At) < window {
			c.Ended = at
		}
	}
}

// acts are those of which is known what they were, the oldest first.
func (b *book) acts(now time.Time) (all []Act) {
	for _, c := range b.counts {
		if !c.Ended.IsZero() || !c.mute && now.Sub(c.At) >= window {
			all = append(all, c.Act)
		}
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
