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

// message is what is read of one announcement.
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

// book keeps what one Kodi has announced lately. It knows no clock but what it is told.
type book struct {
	since   time.Time // since when all is heard: when the connection was made, or the first playback began
	played  bool      // something was said of what is played
	playing playback  // without an end; zero for nothing, or when that is not known
	ends    []playback
	acts    []Act // the oldest first
}

// playback is of one item.
type playback struct {
	item  item
	began time.Time // zero when that was not heard
	ended time.Time
}

// connect notes a new connection: what happened before was not heard.
func (b *book) connect(at time.Time) { b.since, b.played, b.playing = at, false, playback{} }

// disconnect notes the end of the connection: what would have followed is not heard.
func (b *book) disconnect(at time.Time) {
	b.doubt(at)
	b.playing = playback{}
}

// doubt concludes nothing from the silence of the moment before.
func (b *book) doubt(at time.Time) {
	for i := range b.acts {
		b.acts[i].Unclear = b.acts[i].Unclear || at.Sub(b.acts[i].At) < window
	}
}

// hear takes in an announcement.
func (b *book) hear(at time.Time, m message) {
	what, n := m.Params.Data.Item, m.Params.Data.PlayCount
	player := strings.HasPrefix(m.Method, "Player.")
	begins := m.Method == "Player.OnPlay" || m.Method == "Player.OnAVStart"
	if what != nil && player {
		if !b.played && begins {
			b.doubt(at) // it may follow one that began before we heard
			b.since = at
		}
		b.played = true
	}
	switch {
	case what == nil:
	case m.Method == "VideoLibrary.OnUpdate" && n != nil && (what.Type == viewing.Movie || what.Type == viewing.Episode):
		b.count(at, *what, *n)
	case m.Method == "Player.OnStop" && *what != b.playing.item:
		b.end(at, playback{item: *what})
	case m.Method == "Player.OnStop":
		b.end(at, b.playing)
		b.playing = playback{}
	case player && *what != b.playing.item:
		b.end(at, b.playing)
		b.playing = playback{item: *what}
		if begins {
			b.playing.began = at
		}
	}
}

// count keeps a count: with the playback of the item that goes on, or has just ended.
func (b *book) count(at time.Time, what item, n int) {
	a := Act{Type: what.Type, ID: what.ID, Count: n, At: at, Unclear: at.Sub(b.since) < window}
	if what == b.playing.item {
		a.Began = b.playing.began
	}
	for _, p := range b.ends {
		if p.item == what && at.Sub(p.ended) < window {
			a.Ended, a.Began = p.ended, p.began
		}
	}
	b.acts = slices.DeleteFunc(b.acts, func(a Act) bool { return at.Sub(a.At) > KeptFor })
	b.acts = append(b.acts, a)
	b.acts = b.acts[max(0, len(b.acts)-maxActs):]
}

// end keeps the end of a playback, and gives it to the count just before it.
func (b *book) end(at time.Time, p playback) {
	p.ended = at
	b.ends = append(b.ends, p)
	b.ends = b.ends[max(0, len(b.ends)-maxEnds):]
	for i := range b.acts {
		if a := &b.acts[i]; a.ID == p.item.ID && a.Type == p.item.Type && a.Ended.IsZero() && at.Sub(a.At) < window {
			a.Ended, a.Began = at, p.began
		}
	}
}

// list is what was heard, the oldest first, and how long it takes until all of it is decided.
func (b *book) list(now time.Time) (all []Act, wait time.Duration) {
	all = slices.Clone(b.acts)
	for i := range all {
		a := &all[i]
		if a.Ended.IsZero() {
			wait = max(wait, a.At.Add(window).Sub(now))
			a.Unclear = a.Unclear || now.Sub(a.At) < window
		} else {
			a.Unclear = false
		}
	}
	return all, wait
}
