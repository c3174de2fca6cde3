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

// playingSilence is how long what a browser plays is shown without news of it: they come
// once a minute.
const playingSilence = 150 * time.Second

// playing is what plays now, at most one item of each source. It is in memory alone.
type playing struct {
	changes queue.Changes
	mu      sync.Mutex
	items   map[string]*playback // by source
}

// playback is one item that plays.
type playback struct {
	control.Playing
	session string // the source's name for it
}

// set shows what a source plays, in place of what it played before. It is forgotten after
// so long without news; 0 is never.
func (p *playing) set(session string, now control.Playing, silence time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.items == nil {
		p.items = map[string]*playback{}
	}
	item := &playback{Playing: now, session: session}
	p.items[now.Source] = item
	if silence > 0 {
		time.AfterFunc(silence, func() { p.remove(now.Source, func(one *playback) bool { return one == item }) })
	}
	p.changes.Nudge()
}

// end ends a playback of a source; the session "" is any.
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

// list returns what plays, the latest news first.
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

// clientPlays takes what a browser or program plays. What a rule would drop is not shown.
func (d *Daemon) clientPlays(source string, m protocol.Playing) {
	now := time.Now()
	if m.State == protocol.StateEnded {
		d.playing.end(source, m.Session)
		return
	}
	if rules.Decide(d.rules(), source, m.Event(now), &m.Media, now).State == viewing.StateDropped {
		d.playing.end(source, "")
		return
	}
	silence := playingSilence
	if viewing.SourceKind(source) == viewing.SourceProgram { // media servers send no news of what goes on
		silence, m.Duration = time.Duration(m.Duration)*time.Second+time.Hour, 0
	}
	d.playing.set(m.Session, control.Playing{
		Source: source, Media: m.Media, Paused: m.State == protocol.StatePaused, At: now.UTC(), Position: m.Position, Duration: m.Duration,
	}, silence)
}

// libraryPlays takes what the Kodi of a library plays since a moment; the zero media is
// nothing.
func (d *core) libraryPlays(source string, m viewing.Media, since time.Time) {
	if m.Type == "" {
		d.playing.end(source, "")
		return
	}
	d.playing.set("", control.Playing{Source: source, Media: m, At: since.UTC()}, 0)
}
