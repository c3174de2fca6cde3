package daemon

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

// playingTimeout is how long a browser's playback is shown without an update; browsers send one
// every minute.
const playingTimeout = 150 * time.Second

// playing holds what plays now, at most one item per source, in memory only.
type playing struct {
	changes queue.Changes
	mu      sync.Mutex
	items   map[string]*playback // by source
}

// playback is one playing item.
type playback struct {
	control.Playing
	session string // the source's id of the playback
}

// set replaces the playback of a source. It is removed after timeout without an update; 0 means
// never.
func (p *playing) set(session string, now control.Playing, timeout time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.items == nil {
		p.items = map[string]*playback{}
	}
	item := &playback{Playing: now, session: session}
	p.items[now.Source] = item
	if timeout > 0 {
		time.AfterFunc(timeout, func() { p.remove(now.Source, func(one *playback) bool { return one == item }) })
	}
	p.changes.Nudge()
}

// end removes the playback of a source if it has this session; "" matches any.
func (p *playing) end(source, session string) {
	p.remove(source, func(one *playback) bool { return session == "" || session == one.session })
}

func (p *playing) remove(source string, which func(*playback) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if item, ok := p.items[source]; ok && which(item) {
		delete(p.items, source)
		p.changes.Nudge()
	}
}

// list returns the playbacks, the most recently updated first.
func (p *playing) list() (all []control.Playing) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for item := range maps.Values(p.items) {
		all = append(all, item.Playing)
	}
	slices.SortFunc(all, func(a, b control.Playing) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Source, b.Source))
	})
	return all
}

// updateClientPlaying handles a "playing" message of a browser or program. Items that a rule
// would drop are not shown.
func (d *Daemon) updateClientPlaying(source string, m protocol.Playing) {
	now := time.Now()
	if m.State == protocol.StateEnded {
		d.playing.end(source, m.Session)
		return
	}
	if rules.Decide(d.rules(), source, m.Event(now), &m.Media, now).State == viewing.StateDropped {
		d.playing.end(source, "")
		return
	}
	timeout := playingTimeout
	if viewing.SourceKind(source) == viewing.SourceProgram { // media servers send no updates during a playback
		timeout, m.Duration = time.Duration(m.Duration)*time.Second+time.Hour, 0
	}
	d.playing.set(m.Session, control.Playing{
		Source: source, Media: m.Media, Paused: m.State == protocol.StatePaused, At: now.UTC(), Position: m.Position, Duration: m.Duration,
	}, timeout)
}

// updateLibraryPlaying sets what a library's Kodi plays, and since when. The zero media means
// nothing.
func (d *core) updateLibraryPlaying(source string, m viewing.Media, since time.Time) {
	if m.Type == "" {
		d.playing.end(source, "")
		return
	}
	d.playing.set("", control.Playing{Source: source, Media: m, At: since.UTC()}, 0)
}
