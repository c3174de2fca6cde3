package hook

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/queue/viewing"
)

var now = time.Date(2026, 3, 1, 21, 5, 0, 0, time.FixedZone("", 3600))

const form = "multipart/form-data; boundary=AaB03x"

// decodeExample decodes a file of testdata. Its name begins with the sender.
func decodeExample(t *testing.T, file, user string) Call {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	kind := "application/json"
	if filepath.Ext(file) == ".form" {
		kind = form
	}
	sender, _, _ := strings.Cut(file, "-")
	c, err := Decode(sender, kind, body, user, now)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return c
}

// describe returns a call in lines of text.
func describe(c Call) (all []string) {
	all = append(all, strings.TrimSpace(fmt.Sprint(c.Event, " ", c.User, " ", c.Skip, " ", c.State)))
	if c.Skip != "" {
		return all
	}
	for _, m := range c.Viewing.Media {
		line := fmt.Sprintf("%s %q %+v", m.Label(), m.Title, m.IDs)
		if m.Show != nil {
			line += fmt.Sprintf(" of %d %+v", m.Show.Year, m.Show.IDs)
		}
		all = append(all, line)
	}
	return append(all, fmt.Sprint(c.Viewing.WatchedAt.Text, " ", c.Viewing.Minutes(), "min"))
}

// TestDecodeExamples decodes the examples of the senders' documentation.
func TestDecodeExamples(t *testing.T) {
	want := map[string][]string{
		"plex-film.form": {"media.scrobble elan", `The Matrix (1999) "The Matrix" {TMDB:603 IMDB:tt0133093 TVDB:169}`, "2026-03-01T21:05:00+01:00 136min"},
		"plex-episode.json": {
			"media.scrobble elan", `Breaking Bad S01E01 "Pilot" {TMDB:62085 IMDB:tt0959621 TVDB:349232} of 0 {TMDB:0 IMDB: TVDB:0}`,
			"2026-03-01T21:05:00+01:00 58min",
		},
		"plex-guest.json": {"media.scrobble guest somebody"},
		"plex-track.json": {"media.scrobble elan other"},
		"jellyfin-episode.json": {
			"PlaybackStop anna  ended", `Breaking Bad S01E02 "Cat's in the Bag..." {TMDB:62086 IMDB:tt1054724 TVDB:349235} of 2008 {TMDB:0 IMDB: TVDB:0}`,
			"2026-03-01T21:03:10.1234567+01:00 48min",
		},
		"jellyfin-double.json": {
			"PlaybackStop anna  ended", `Show & Red S01E03 "" {TMDB:0 IMDB: TVDB:0} of 2008 {TMDB:0 IMDB: TVDB:0}`,
			`Show & Red S01E04 "" {TMDB:0 IMDB: TVDB:0} of 2008 {TMDB:0 IMDB: TVDB:0}`, "2026-03-01T21:03:10+01:00 48min",
		},
		"jellyfin-stopped.json": {"PlaybackStop anna unseen ended"},
		"jellyfin-mark.json":    {"UserDataSaved anna mark"},
		"emby-film.json":        {"playback.stop anna  ended", `Alpha One (1999) "Alpha One" {TMDB:603 IMDB:tt0133093 TVDB:169}`, "2026-03-01T21:05:00+01:00 120min"},
		"emby-episode.form": {
			"playback.stop anna  ended", `Friends S01E01 "The One Where Monica Gets a Roommate" {TMDB:0 IMDB:tt0583459 TVDB:303821} of 0 {TMDB:0 IMDB: TVDB:0}`,
			"2026-03-01T21:05:00+01:00 23min",
		},
		"emby-pause.json": {"playback.pause anna going paused"},
		"tautulli-episode.json": {
			"watched anna", `Breaking Bad S01E01 "Pilot" {TMDB:0 IMDB: TVDB:0} of 2008 {TMDB:1396 IMDB:tt0903747 TVDB:81189}`,
			"2026-03-01T21:05:00+01:00 58min",
		},
		"tautulli-film.json": {"watched anna", `The Matrix (1999) "The Matrix" {TMDB:603 IMDB:tt0133093 TVDB:0}`, "2026-03-01T21:05:00+01:00 136min"},
		"kodi-episode.json": {
			"end   ended", `South Park S20E01 "Member Berries" {TMDB:0 IMDB: TVDB:5654976} of 0 {TMDB:2190 IMDB: TVDB:75897}`,
			"2026-06-12T19:29:52.637621+02:00 22min",
		},
		"kodi-film.json":  {"stop   ended", `Back to the Future (1985) "Back to the Future" {TMDB:0 IMDB:tt0088763 TVDB:0}`, "2026-06-12T22:16:35.185714+02:00 116min"},
		"kodi-start.json": {"start  going playing"},
	}
	files, err := filepath.Glob("testdata/*.*")
	if err != nil || len(files) != len(want) {
		t.Errorf("%d files, %v", len(files), err)
	}
	for file, lines := range want {
		if diff := cmp.Diff(lines, describe(decodeExample(t, file, ""))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
}

// TestUserFilter: with a user in the address only the plays of this user count, even on another user's account.
func TestUserFilter(t *testing.T) {
	for user, want := range map[string]Skip{"GUEST": "", "elan": SkipOtherUser, "": SkipOtherUser} {
		if c := decodeExample(t, "plex-guest.json", user); c.Skip != want {
			t.Errorf("of %q: %q", user, c.Skip)
		}
	}
}

// TestRepeatedRequestsAreOneViewing: repeated requests of one playback have the event id of one viewing, and
// later playbacks have another.
func TestRepeatedRequestsAreOneViewing(t *testing.T) {
	sent := func(sender, body string, at time.Duration) viewing.Event {
		c, err := Decode(sender, "", []byte(body), "", now.Add(at))
		if err != nil || c.Skip != "" {
			t.Fatalf("%s: %q, %v", body, c.Skip, err)
		}
		return c.Viewing
	}
	known := func(first, then viewing.Event) bool {
		return then.EventID == first.EventID || then.SameAs == first.EventID
	}
	plex := func(user string, millis int) string {
		return fmt.Sprintf(`{"event":"media.scrobble","Account":{"title":%q},"Metadata":{"type":"movie","title":"A","duration":%d}}`, user, millis)
	}
	for shift := range time.Duration(60) {
		at := shift * time.Minute
		first := sent("plex", plex("a", 7_200_000), at)
		for later, want := range map[time.Duration]bool{0: true, 40 * time.Second: true, 47 * time.Minute: true, 97 * time.Minute: false, 2 * time.Hour: false} {
			if known(first, sent("plex", plex("a", 7_200_000), at+later)) != want {
				t.Errorf("%v after %v: not %v", later, at, want)
			}
		}
		if known(first, sent("plex", plex("b", 7_200_000), at)) {
			t.Error("two users are one")
		}
		if cartoon := sent("plex", plex("a", 300_000), at); known(cartoon, sent("plex", plex("a", 300_000), at+5*time.Minute)) {
			t.Error("a short film cannot be watched again")
		}
	}
	kodi := `{"event":"end","sessionId":"%s","mediaType":"movie","title":"A","duration":7200}`
	first := sent("kodi", fmt.Sprintf(kodi, "s1"), 0)
	if !known(first, sent("kodi", fmt.Sprintf(kodi, "s1"), 30*time.Hour)) || known(first, sent("kodi", fmt.Sprintf(kodi, "s2"), time.Second)) {
		t.Error("the sender's playback id does not decide")
	}
}

func TestUnreadableRequests(t *testing.T) {
	for name, c := range map[string]struct{ sender, kind, body string }{
		"unknown sender":  {"vlc", "", `{}`},
		"nothing":         {"plex", "", ``},
		"no JSON":         {"emby", "text/plain", `hello`},
		"a list":          {"kodi", "", `[]`},
		"no event":        {"jellyfin", "", `{"Name":"A"}`},
		"another sender":  {"tautulli", "", `{"event":"media.play","Metadata":{"type":"movie"}}`},
		"no form":         {"plex", form, `{}`},
		"no field":        {"plex", form, "--AaB03x\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n{}\r\n--AaB03x--\r\n"},
		"an unnamed item": {"plex", "", `{"event":"media.scrobble","Metadata":{"type":"movie"}}`},
		"too long":        {"plex", "", `{"event":"` + strings.Repeat("x", maxPayload) + `"}`},
		"a long title":    {"plex", "", `{"event":"media.scrobble","Metadata":{"type":"movie","title":"` + strings.Repeat("x", 2000) + `"}}`},
		"a title's parts": {"emby", "", `{"Event":"playback.stop","Item":{"Type":"Movie","Name":{}}}`},
	} {
		if call, err := Decode(c.sender, c.kind, []byte(c.body), "", now); !errors.Is(err, ErrUnreadable) {
			t.Errorf("%s: %+v, %v", name, call, err)
		}
	}
}

// TestTautulliBody decodes TautulliBody, filled in as Tautulli does.
func TestTautulliBody(t *testing.T) {
	values := map[string]string{"action": "watched", "media_type": "episode", "username": "anna", "show_name": "S", "season_num": "2", "episode_num": "3", "themoviedb_id": "7", "title": "S - T", "episode_name": "T", "show_year": "{show_year}"}
	body := regexp.MustCompile(`\{(\w+)\}`).ReplaceAllStringFunc(TautulliBody, func(p string) string { return values[p[1:len(p)-1]] })
	c, err := Decode("tautulli", "application/json", []byte(body), "", now)
	if err != nil || c.Skip != "" || c.Media[0].Key() != "episode:7:2:3" || c.Media[0].Title != "T" {
		t.Errorf("%+v, %v\n%s", c, err, body)
	}
}

// FuzzDecode: any request gives a valid viewing, a skip reason or an error.
func FuzzDecode(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.*")
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		sender, _, _ := strings.Cut(filepath.Base(file), "-")
		f.Add(sender, map[bool]string{true: form}[filepath.Ext(file) == ".form"], body, "")
	}
	f.Fuzz(func(t *testing.T, sender, kind string, body []byte, user string) {
		c, err := Decode(sender, kind, body, user, now)
		switch {
		case err != nil && (!errors.Is(err, ErrUnreadable) || c.Event != ""):
			t.Errorf("%+v, %v", c, err)
		case err == nil && (c.Event == "" || c.Skip == "" && c.Viewing.Validate() != nil || c.Skip != "" && c.Viewing.Kind != ""):
			t.Errorf("%+v", c)
		}
	})
}
