package announce

import (
	"slices"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// MaxAge is how long updates are kept.
const MaxAge = 10 * time.Minute

const (
	endWindow  = 2 * time.Second // between a count and the end of its playback
	maxUpdates = 2_000           // bounds the memory that a malicious program can use, like maxEnds
	maxEnds    = 16
)

// message holds the parsed fields of one announcement.
type message struct {
	Method string `json:"method"`
	Params struct {
		Data struct {
			Item      *item `json:"item"`
			PlayCount *int  `json:"playcount"`
		} `json:"data"`
	} `json:"params"`
}

// item is a film or an episode. Other items have another type or no id.
type item struct {
	ID   int64             `json:"id"`
	Type viewing.MediaType `json:"type"`
}

// Update is a change of a play count that Kodi announced.
type Update struct {
	Type  viewing.MediaType // film or episode
	ID    int64             // idMovie or idEpisode
	Count int               // new play count
	At    time.Time         // when it was announced
	Ended time.Time         // end of its playback; zero if none was announced: the item was marked
	Began time.Time         // start of the playback that it belongs to; zero without one, or if unknown
	// Unclear means that it may be a mark or a playback, because some announcements around
	// it may be missing.
	Unclear bool
}

// updateLog stores recent announcements of one Kodi. Its callers pass the current time.
type updateLog struct {
	listeningSince time.Time // start of the connection or, if later, of the first playback
	playerSeen     bool      // a player announcement was received
	playing        playback  // the current playback; zero if nothing plays or it is unknown
	ends           []playback
	updates        []Update // oldest first
}

// playback is a playback of one item.
type playback struct {
	item  item
	began time.Time // zero if unknown
	ended time.Time
}

// connect resets the log for a new connection: earlier announcements are missing.
func (l *updateLog) connect(at time.Time) {
	l.listeningSince, l.playerSeen, l.playing = at, false, playback{}
}

// disconnect handles the end of the connection: further announcements are missing.
func (l *updateLog) disconnect(at time.Time) {
	l.markUnclear(at)
	l.playing = playback{}
}

// markUnclear marks the updates of the last two seconds as unclear.
func (l *updateLog) markUnclear(at time.Time) {
	for i := range l.updates {
		l.updates[i].Unclear = l.updates[i].Unclear || at.Sub(l.updates[i].At) < endWindow
	}
}

// handle adds an announcement.
func (l *updateLog) handle(at time.Time, m message) {
	target, n := m.Params.Data.Item, m.Params.Data.PlayCount
	player := strings.HasPrefix(m.Method, "Player.")
	begins := m.Method == "Player.OnPlay" || m.Method == "Player.OnAVStart"
	if target != nil && player {
		if !l.playerSeen && begins {
			l.markUnclear(at) // it may follow a playback that began before the connection
			l.listeningSince = at
		}
		l.playerSeen = true
	}
	switch {
	case target == nil:
	case m.Method == "VideoLibrary.OnUpdate" && n != nil && (target.Type == viewing.Movie || target.Type == viewing.Episode):
		l.addUpdate(at, *target, *n)
	case m.Method == "Player.OnStop" && *target != l.playing.item:
		l.endPlayback(at, playback{item: *target})
	case m.Method == "Player.OnStop":
		l.endPlayback(at, l.playing)
		l.playing = playback{}
	case player && *target != l.playing.item:
		l.endPlayback(at, l.playing)
		l.playing = playback{item: *target}
		if begins {
			l.playing.began = at
		}
	}
}

// addUpdate adds a count, with the playback of the item that is running or has just ended.
func (l *updateLog) addUpdate(at time.Time, target item, n int) {
	a := Update{Type: target.Type, ID: target.ID, Count: n, At: at, Unclear: at.Sub(l.listeningSince) < endWindow}
	if target == l.playing.item {
		a.Began = l.playing.began
	}
	for _, p := range l.ends {
		if p.item == target && at.Sub(p.ended) < endWindow {
			a.Ended, a.Began = p.ended, p.began
		}
	}
	l.updates = slices.DeleteFunc(l.updates, func(a Update) bool { return at.Sub(a.At) > MaxAge })
	l.updates = append(l.updates, a)
	l.updates = l.updates[max(0, len(l.updates)-maxUpdates):]
}

// endPlayback adds the end of a playback, also to the update just before it.
func (l *updateLog) endPlayback(at time.Time, p playback) {
	p.ended = at
	l.ends = append(l.ends, p)
	l.ends = l.ends[max(0, len(l.ends)-maxEnds):]
	for i := range l.updates {
		if a := &l.updates[i]; a.ID == p.item.ID && a.Type == p.item.Type && a.Ended.IsZero() && at.Sub(a.At) < endWindow {
			a.Ended, a.Began = at, p.began
		}
	}
}

// list returns the updates, oldest first, and how long to wait until none of them can change.
func (l *updateLog) list(now time.Time) (all []Update, wait time.Duration) {
	all = slices.Clone(l.updates)
	for i := range all {
		a := &all[i]
		if a.Ended.IsZero() {
			wait = max(wait, a.At.Add(endWindow).Sub(now))
			a.Unclear = a.Unclear || now.Sub(a.At) < endWindow
		} else {
			a.Unclear = false
		}
	}
	return all, wait
}
