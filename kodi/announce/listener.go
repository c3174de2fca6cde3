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

// Delays between connections. Without a Kodi, each attempt fails and is repeated once a minute. The
// first retry after a Kodi ended comes sooner. If another program listens at the port, the delay
// doubles up to an hour.
const (
	retryFirst   = time.Second
	retryRefused = time.Minute
	retryForeign = time.Hour
)

// maxMessage bounds one announcement, in bytes. Kodi's have a few hundred.
const maxMessage = 64 << 10

// Listener receives the announcements of the Kodi of one library.
type Listener struct {
	dial   func(context.Context) (net.Conn, error)
	logger *slog.Logger

	changed chan struct{} // signals that another item plays

	mu       sync.Mutex
	log      updateLog
	received bool // Kodi has sent an announcement on this connection
}

// New returns a listener, which starts with Run. It calls address for host and port before
// each connection.
func New(address func() string, log *slog.Logger) *Listener {
	dial := func(ctx context.Context) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", address())
	}
	return &Listener{dial: dial, logger: log, changed: make(chan struct{}, 1)}
}

// Run connects and listens until ctx ends.
func (l *Listener) Run(ctx context.Context) {
	for pause := retryRefused; ctx.Err() == nil; {
		conn, err := l.dial(ctx)
		maxPause := retryRefused
		if err == nil {
			maxPause = retryForeign
			if l.listen(ctx, conn) {
				pause = retryFirst
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, maxPause)
	}
}

// listen handles announcements until the connection ends, and reports whether Kodi sent any.
func (l *Listener) listen(ctx context.Context, conn net.Conn) (received bool) {
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	defer conn.Close()
	l.mu.Lock()
	l.log.connect(time.Now())
	l.mu.Unlock()
	err := read(conn, l.handle)
	l.mu.Lock()
	defer l.mu.Unlock()
	received = l.received
	l.received = false
	l.log.disconnect(time.Now())
	l.notifyChanged()
	l.logger.Debug("connection to Kodi's announcements ended", "received", received, "error", err)
	return received
}

// handle adds an announcement to the log.
func (l *Listener) handle(m message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.received = l.received || m.Method != ""
	before := l.log.playing.item
	if l.log.handle(time.Now(), m); l.log.playing.item != before {
		l.notifyChanged()
	}
}

// notifyChanged signals that another item plays.
func (l *Listener) notifyChanged() {
	select {
	case l.changed <- struct{}{}:
	default: // a signal is already pending
	}
}

// Changed returns a channel that receives when another item starts or playback stops.
func (l *Listener) Changed() <-chan struct{} { return l.changed }

// Playing returns the film or episode that plays and its start. The id is 0 if nothing plays, and
// the time is zero if the start is unknown.
func (l *Listener) Playing() (kind viewing.MediaType, id int64, began time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	playing := l.log.playing
	if kind = playing.item.Type; kind != viewing.Movie && kind != viewing.Episode {
		return "", 0, time.Time{}
	}
	return kind, playing.item.ID, playing.began
}

// Updates returns the updates of the last ten minutes, oldest first, and since when none can be
// missing. That time is zero until Kodi sends the first announcement.
func (l *Listener) Updates() (all []Update, since time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.received {
		since = l.log.listeningSince
	}
	all, _ = l.log.list(time.Now())
	return all, since
}

// Await waits until the updates of everything written before the given time are complete: two
// seconds at most.
func (l *Listener) Await(ctx context.Context, written time.Time) {
	l.mu.Lock()
	_, wait := l.log.list(time.Now())
	if l.received {
		wait = min(max(wait, time.Until(written.Add(endWindow))), endWindow)
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

// read calls handle for each announcement and returns the error that ended them: invalid JSON, a
// message longer than maxMessage, or the end of the connection. It skips JSON of another form.
func read(from io.Reader, handle func(message)) error {
	bounded := &io.LimitedReader{R: from, N: maxMessage}
	for d := json.NewDecoder(bounded); ; bounded.N = maxMessage {
		var m message
		err := d.Decode(&m)
		if err == nil {
			handle(m)
		} else if !errors.As(err, new(*json.UnmarshalTypeError)) {
			return err
		}
	}
}
