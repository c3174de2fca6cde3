package announce

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// The pace of connecting. A Kodi that is not running costs one refusal a minute, and
// one that has ended is looked for sooner. What answers and says nothing that Kodi
// would say is asked ever less often: the port is the usual one of other programs, too.
const (
	firstPause  = time.Second
	pauseNobody = time.Minute
	pauseOther  = time.Hour
)

// maxMessage bounds one announcement, in bytes. Kodi's have a few hundred.
const maxMessage = 64 << 10

// Listener listens to the Kodi of one library.
type Listener struct {
	dial func(context.Context) (net.Conn, error)
	log  *slog.Logger

	changed chan struct{} // what plays may have changed

	mu    sync.Mutex
	book  book
	heard bool // Kodi has spoken on this connection
}

// New makes a listener; nothing is heard before Run. Address is asked at each
// attempt to connect: it is host and port.
func New(address func() string, log *slog.Logger) *Listener {
	dial := func(ctx context.Context) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", address())
	}
	return &Listener{dial: dial, log: log, changed: make(chan struct{}, 1)}
}

// Run listens until ctx ends, and connects again whenever that is needed.
func (l *Listener) Run(ctx context.Context) {
	for pause := pauseNobody; ctx.Err() == nil; {
		conn, err := l.dial(ctx)
		most := pauseNobody
		if err == nil {
			most = pauseOther
			if l.listen(ctx, conn) {
				pause = firstPause
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, most)
	}
}

// listen hears what comes until the connection ends, and tells whether Kodi has spoken.
func (l *Listener) listen(ctx context.Context, conn net.Conn) (heard bool) {
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	defer conn.Close()
	l.mu.Lock()
	l.book.connect(time.Now())
	l.mu.Unlock()
	err := read(conn, l.hear)
	l.mu.Lock()
	defer l.mu.Unlock()
	heard = l.heard
	l.heard = false
	l.book.disconnect(time.Now())
	l.nudge()
	l.log.Debug("the connection to Kodi's announcements has ended", "heard", heard, "error", err)
	return heard
}

func (l *Listener) hear(m message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.heard = l.heard || m.Method != ""
	before := l.book.playing.item
	if l.book.hear(time.Now(), m); l.book.playing.item != before {
		l.nudge()
	}
}

func (l *Listener) nudge() {
	select {
	case l.changed <- struct{}{}:
	default: // one is waiting already
	}
}

// Changed receives when another item plays, or nothing.
func (l *Listener) Changed() <-chan struct{} { return l.changed }

// Playing returns which film or episode of the library plays, and since when; the zero
// time is a begin that was not heard, and the number 0 is nothing.
func (l *Listener) Playing() (kind viewing.MediaType, id int64, began time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	playing := l.book.playing
	if kind = playing.item.Type; kind != viewing.Movie && kind != viewing.Episode {
		return "", 0, time.Time{}
	}
	return kind, playing.item.ID, playing.began
}

// Acts are the changes of play counts that were heard in the last ten minutes, the
// oldest first. Since is since when every one was heard; it is zero while no Kodi has
// spoken.
func (l *Listener) Acts() (all []Act, since time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.heard {
		since = l.book.since
	}
	all, _ = l.book.list(time.Now())
	return all, since
}

// Await waits until it is known of all that was written until then what it was:
// two seconds at most.
func (l *Listener) Await(ctx context.Context, written time.Time) {
	l.mu.Lock()
	_, wait := l.book.list(time.Now())
	if l.heard {
		wait = min(max(wait, time.Until(written.Add(window))), window)
	}
	l.mu.Unlock()
	if wait <= 0 {
		return
	}
	select {
	case <-ctx.Done():
	case <-time.After(wait):
	}
}

// read hears announcements until they end, and tells why: what is no JSON, or too long,
// is nothing of Kodi's. JSON of another shape says nothing.
func read(from io.Reader, hear func(message)) error {
	bounded := &io.LimitedReader{R: from, N: maxMessage}
	for d := json.NewDecoder(bounded); ; bounded.N = maxMessage {
		var m message
		err := d.Decode(&m)
		if err == nil {
			hear(m)
		} else if !errors.As(err, new(*json.UnmarshalTypeError)) {
			return err
		}
	}
}
