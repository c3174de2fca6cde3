package announce

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A playback and a mark as sent by a real Kodi 20.1, without separators.
const (
	realPlay = `{"jsonrpc":"2.0","method":"Player.OnPlay","params":{"data":{"item":{"id":2,"type":"movie"},"player":{"playerid":1,"speed":1}},"sender":"xbmc"}}` +
		`{"jsonrpc":"2.0","method":"VideoLibrary.OnUpdate","params":{"data":{"item":{"id":2,"type":"movie"},"playcount":1},"sender":"xbmc"}}` +
		`{"jsonrpc":"2.0","method":"VideoLibrary.OnUpdate","params":{"data":{"id":2,"type":"movie"},"sender":"xbmc"}}` +
		`{"jsonrpc":"2.0","method":"Player.OnStop","params":{"data":{"end":true,"item":{"id":2,"type":"movie"}},"sender":"xbmc"}}`
	realMark = `{"jsonrpc":"2.0","method":"VideoLibrary.OnUpdate","params":{"data":{"item":{"id":3,"type":"movie"},"playcount":1},"sender":"xbmc"}}`
	realQuit = `{"jsonrpc":"2.0","method":"System.OnQuit","params":{"data":{"exitcode":0},"sender":"xbmc"}}`
)

// fakeKodi is a server for a listener. It calls serve for each connection, and refuses connections if
// serve is nil.
type fakeKodi struct {
	dials int
	wrote bytes.Buffer // by the listener
	serve func(net.Conn)
	ends  sync.WaitGroup
}

func (k *fakeKodi) dial(context.Context) (net.Conn, error) {
	k.dials++
	if k.serve == nil {
		return nil, errors.New("refused")
	}
	ours, theirs := net.Pipe()
	k.ends.Go(func() { _, _ = io.Copy(&k.wrote, theirs) })
	k.ends.Go(func() { k.serve(theirs) })
	return ours, nil
}

// listenTo runs do with a running listener in a synctest bubble.
func listenTo(t *testing.T, k *fakeKodi, do func(t *testing.T, l *Listener)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := New(nil, slog.New(slog.DiscardHandler))
		l.dial = k.dial
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			l.Run(ctx)
		}()
		synctest.Wait()
		do(t, l)
		cancel()
		<-done
		k.ends.Wait()
		if k.wrote.Len() > 0 {
			t.Errorf("the listener wrote %q", k.wrote.String())
		}
	})
}

func isReceiving(l *Listener) bool {
	_, since := l.Updates()
	return !since.IsZero()
}

func TestListenerReceivesUpdates(t *testing.T) {
	k := &fakeKodi{serve: func(c net.Conn) {
		time.Sleep(time.Minute)
		for _, some := range []string{realPlay[:200], realPlay[200:] + realMark, realQuit} {
			_, _ = io.WriteString(c, some)
			time.Sleep(time.Minute)
		}
		_ = c.Close()
	}}
	listenTo(t, k, func(t *testing.T, l *Listener) {
		if isReceiving(l) {
			t.Error("receiving before the first message")
		}
		time.Sleep(2*time.Minute + time.Second)
		if got, since := l.Updates(); !isReceiving(l) || len(got) != 2 || got[0].Unclear || !got[1].Unclear || since.IsZero() {
			t.Errorf("receiving %v: %+v since %v", isReceiving(l), got, since)
		}
		began := time.Now()
		if l.Await(t.Context(), time.Time{}); time.Since(began) != endWindow-time.Second {
			t.Errorf("waited %v", time.Since(began))
		}
		if got, _ := l.Updates(); len(got) != 2 || got[0].ID != 2 || got[0].Ended.IsZero() || got[1].ID != 3 || !got[1].Ended.IsZero() {
			t.Errorf("%+v", got)
		}
		began = time.Now()
		if l.Await(t.Context(), time.Time{}); time.Since(began) != 0 {
			t.Errorf("waited %v for nothing", time.Since(began))
		}
		time.Sleep(2 * time.Minute)
		if isReceiving(l) {
			t.Error("receiving after the connection ended")
		}
	})
}

// TestReconnectDelays counts the connections in a day.
func TestReconnectDelays(t *testing.T) {
	for name, c := range map[string]struct {
		serve       func(net.Conn)
		least, most int
	}{
		"connection refused": {nil, 1430, 1445},
		"another program":    {func(c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n") }, 25, 40},
		"connection closed":  {func(c net.Conn) { _ = c.Close() }, 25, 40},
		"no message":         {func(net.Conn) {}, 1, 1},
		"Kodi for an hour":   {func(c net.Conn) { _, _ = io.WriteString(c, realMark); time.Sleep(time.Hour); _ = c.Close() }, 24, 24},
		"Kodi without end":   {func(c net.Conn) { endless(c) }, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			k := &fakeKodi{serve: c.serve}
			listenTo(t, k, func(t *testing.T, _ *Listener) {
				time.Sleep(24 * time.Hour)
				if k.dials < c.least || k.dials > c.most {
					t.Errorf("%d connections, want %d to %d", k.dials, c.least, c.most)
				}
			})
		})
	}
}

// endless sends a message every minute without end.
func endless(c net.Conn) {
	for {
		if _, err := io.WriteString(c, realMark); err != nil {
			return
		}
		time.Sleep(time.Minute)
	}
}

// TestRead reads two announcements with other data between them.
func TestRead(t *testing.T) {
	for name, c := range map[string]struct {
		between string
		marks   int
		want    error
	}{
		"nothing":            {"", 2, io.EOF},
		"other JSON":         {` 1 "a" [2] null {"method":5}` + "\n", 2, io.EOF},
		"odd items":          {`{"method":"VideoLibrary.OnUpdate","params":{"data":{"item":{"id":"3","type":"movie"},"playcount":1}}}`, 2, io.EOF},
		"no JSON":            {"HTTP/1.1", 1, nil},
		"too long":           {`{"method":"` + strings.Repeat("a", 2*maxMessage), 1, io.ErrUnexpectedEOF},
		"blanks without end": {strings.Repeat(" ", 2*maxMessage), 1, io.EOF},
		"longest allowed":    {`"` + strings.Repeat("a", maxMessage-600) + `"`, 2, io.EOF},
	} {
		marks := 0
		err := read(strings.NewReader(realMark+c.between+realMark), func(m message) {
			if m.Params.Data.PlayCount != nil {
				marks++
			}
		})
		var syntax *json.SyntaxError
		if good := errors.Is(err, c.want) || c.want == nil && errors.As(err, &syntax); !good || marks != c.marks {
			t.Errorf("%s: %d marks, %v", name, marks, err)
		}
	}
}
