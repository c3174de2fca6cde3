package daemon

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

const playingFrame = `{"type":"playing","session":"5f0c6b1e-7d0a-4a57-9a64-0c0f5b3f9d31","state":"STATE",` +
	`"media":{"type":"episode","show":{"title":"Alpha <b>"},"season":1,"episode":2,"title":"Pilot"},"position":900,"duration":3600,"source":{"site":"films.example"}}`

// A browser's playback appears on the home page at once, escaped, and disappears with the socket.
func TestHomeShowsPlaybacks(t *testing.T) {
	l := looking(t)
	l.commits("cli", movie("a", 603, "Beta", time.Hour)) // without an entry the page shows the setup
	changed, stop := l.d.changes()
	defer stop()
	<-changed
	until := func(shown bool) string {
		for {
			body := l.sees("/")
			if strings.Contains(body, "Alpha &lt;b&gt;") == shown {
				return body
			}
			<-changed
		}
	}
	l.say(strings.Replace(playingFrame, "STATE", "playing", 1))
	body := until(true)
	for _, text := range []string{`S01E02 · Pilot`, `<progress max="100" value="25"`, "Chrome</span>"} {
		if !strings.Contains(body, text) {
			t.Errorf("Home does not say %s:\n%s", text, body)
		}
	}
	l.say(strings.Replace(playingFrame, "STATE", "paused", 1))
	for !strings.Contains(until(true), "Paused") {
		<-changed
	}
	_ = l.socket.NetConn().Close()
	until(false)
}

// Items that rules or a pause would drop are not shown as playing.
func TestDroppedItemsAreNotShownAsPlaying(t *testing.T) {
	d, _ := opened(t, testOptions(t))
	m := protocol.Playing{Session: "s", State: protocol.StatePlaying, Media: viewing.Media{Type: viewing.Movie, Title: "Alpha"}}
	d.updateClientPlaying("browser:1", m)
	if n := len(d.playing.list()); n != 1 {
		t.Fatalf("%d play", n)
	}
	m.Source.Site = "www.films.example"
	d.o.Config.Filters = []config.Filter{{Match: rules.Match{Site: "films.example"}, Action: "ignore"}}
	if d.updateClientPlaying("browser:1", m); len(d.playing.list()) != 0 {
		t.Error("a site that is ignored is shown")
	}
}

// A playback disappears at its end, and after some minutes without an update. The end of an
// earlier playback does not remove a later one.
func TestPlaybackExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p playing
		shown := func() (names string) {
			synctest.Wait()
			for _, one := range p.list() {
				names += one.Media.Title
			}
			return names
		}
		set := func(source, session, title string) {
			p.set(session, control.Playing{Source: source, At: time.Now(), Media: viewing.Media{Title: title}}, playingTimeout)
		}
		set("a", "1", "A")
		time.Sleep(2 * time.Minute)
		set("a", "2", "B")
		set("b", "3", "C")
		p.end("a", "1")
		time.Sleep(time.Minute)
		if got := shown(); got != "BC" {
			t.Errorf("%q plays, want BC", got)
		}
		p.end("b", "3")
		if got := shown(); got != "B" {
			t.Errorf("%q plays, want B", got)
		}
		time.Sleep(2 * time.Minute)
		if got := shown(); got != "" {
			t.Errorf("%q plays after the silence", got)
		}
	})
}
