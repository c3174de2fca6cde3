package kodi

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/filmspool/filmspool/kodi/announce"
	"github.com/filmspool/filmspool/queue/viewing"
)

// filteringAccount drops film 2, like a filter of the user.
type filteringAccount struct{ account }

func (filteringAccount) Predict(_ string, v viewing.Event, m viewing.Media, _ time.Time) Outcome {
	if m.IDs.TMDB == 2 && v.Origin.Path == "/films/2.mkv" {
		return Outcome{State: viewing.StateDropped}
	}
	return Outcome{State: viewing.StatePending}
}

// TestCurrentPlaybackIsReported: the current item is reported with its media from the library until it
// stops or the connection breaks. Dropped and unknown items are not reported.
func TestCurrentPlaybackIsReported(t *testing.T) {
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	i := newImporter(t, newSink(), &fakeReader{files: list(film(1, 0, ""), film(2, 0, ""), episodes(0, "", 3, 4))})
	i.listener = announce.New(server.Addr().String, slog.New(slog.DiscardHandler))
	reported := make(chan string, 9)
	i.options.Announcements, i.options.Account = true, filteringAccount{}
	i.options.Playing = func(source string, m viewing.Media, since time.Time) {
		if m.Type == "" {
			reported <- "nothing"
			return
		}
		reported <- fmt.Sprint(source, " ", m.Label(), " ", time.Since(since) < time.Hour)
	}
	ctx, stop := context.WithCancel(t.Context())
	ran := make(chan error, 1)
	go func() { ran <- i.Run(ctx) }()
	kodi, err := server.Accept()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ method, kind, want string }{
		{"OnPlay", `"movie","id":1`, "kodi:/u F1 true"},
		{"OnPlay", `"movie","id":2`, "nothing"},
		{"OnAVStart", `"episode","id":3`, "kodi:/u S S01E03 true"},
		{"OnStop", `"episode","id":3`, "nothing"},
		{"OnPlay", `"song","id":1`, "nothing"},
		{"OnPause", `"movie","id":1`, "kodi:/u F1 true"},
		{"OnPlay", `"movie","id":77`, "nothing"},
		{"OnPlay", `"movie","id":1`, "kodi:/u F1 true"},
		{"", "", "nothing"},
	} {
		if c.method == "" {
			_ = kodi.Close()
		} else if _, err := fmt.Fprintf(kodi, `{"jsonrpc":"2.0","method":"Player.%s","params":{"data":{"item":{"type":%s}},"sender":"xbmc"}}`, c.method, c.kind); err != nil {
			t.Fatal(err)
		}
		if got := <-reported; got != c.want {
			t.Errorf("%s %s: %s, want %s", c.method, c.kind, got, c.want)
		}
	}
	stop()
	if err := <-ran; err != nil {
		t.Error(err)
	}
	_, _ = io.Copy(io.Discard, kodi)
}
