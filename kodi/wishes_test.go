package kodi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/kodi/kodisim"
	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/kodi/playlist"
	"github.com/filmspool/filmspool/kodi/rule"
	"github.com/filmspool/filmspool/kodi/snapshot"
	"github.com/filmspool/filmspool/queue/viewing"
)

// wishing is a household with a library that is read on demand.
type wishing struct {
	t      *testing.T
	dir    string
	sim    *kodisim.Sim
	folder *folder
	sink   *sink
	o      Options
	i      *Importer
}

func newWishing(t *testing.T, w rule.Wishes) *wishing {
	t.Helper()
	h := &wishing{t: t, dir: t.TempDir(), sink: newSink()}
	sim, err := kodisim.Create(h.dir, 131)
	must(t, err)
	t.Cleanup(func() { must(t, sim.Close()) })
	h.sim = sim
	h.folder = at(h.dir)
	h.o = Options{Library: h.folder, Zone: time.UTC, Sink: h.sink, Account: account{}, Wishes: w}
	h.restart()
	return h
}

// restart begins again with what was kept.
func (h *wishing) restart() {
	h.t.Helper()
	i, err := New(h.o)
	must(h.t, err)
	h.i = i
}

func (h *wishing) film(title string, ids viewing.IDs) kodisim.Ref {
	h.t.Helper()
	r, err := h.sim.AddFilm(kodisim.Film{Title: title, IDs: ids, Path: "/media/films/" + title + ".mkv"}, time.Now().Add(-48*time.Hour))
	must(h.t, err)
	return r
}

func (h *wishing) playlist(name, text string) {
	h.t.Helper()
	folder := playlist.Folder(h.dir)
	must(h.t, os.MkdirAll(folder, 0o700))
	must(h.t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
}

// read takes one reading and tells what it handed over, in lines.
func (h *wishing) read() string {
	h.t.Helper()
	before := len(h.sink.batches)
	must(h.t, h.i.refresh(h.t.Context()))
	var b strings.Builder
	names := map[string]string{}
	for _, batch := range h.sink.batches {
		for _, v := range batch.Events {
			if v.Kind == viewing.KindList {
				names[v.EventID] = v.List.Name
			}
		}
	}
	for _, batch := range h.sink.batches[before:] {
		for _, v := range batch.Events {
			must(h.t, v.Validate())
			fmt.Fprint(&b, v.Kind)
			if v.Kind == viewing.KindList {
				fmt.Fprint(&b, " ", v.List.Name)
			}
			if v.InList != "" {
				fmt.Fprint(&b, " ", names[v.InList], ":")
			}
			for _, m := range v.Media {
				fmt.Fprint(&b, " ", m.Type, " ", m.Label())
			}
			if v.Class != "" {
				fmt.Fprint(&b, " as ", v.Class)
			}
			b.WriteByte('\n')
		}
		for _, a := range batch.Amendments {
			fmt.Fprint(&b, "amended ", h.label(a.EventID), " drop ", a.Drop, " ", a.Reason, "\n")
		}
	}
	return b.String()
}

// label is what an event was about when it was handed over.
func (h *wishing) label(id string) string {
	for _, batch := range h.sink.batches {
		for _, v := range batch.Events {
			if v.EventID == id && len(v.Media) > 0 {
				return v.Media[0].Label()
			}
		}
	}
	return "unknown"
}

func (h *wishing) expect(what, want string) {
	h.t.Helper()
	if diff := cmp.Diff(want, h.read()); diff != "" {
		h.t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestNothingIsWishedByDefault(t *testing.T) {
	h := newWishing(t, rule.Wishes{})
	must(t, h.sim.Tag(h.film("Alpha", viewing.IDs{TMDB: 1}), "watchlist"))
	h.playlist("Mine.m3u", "/media/films/Alpha.mkv\n")
	h.expect("without a setting", "")
	if r, err := h.i.Scan(t.Context()); err != nil || r.Beside != nil {
		t.Errorf("%+v, %v", r.Beside, err)
	}
}

func TestWatchlistTag(t *testing.T) {
	h := newWishing(t, rule.Wishes{Tag: "watchlist"})
	alpha, beta := h.film("Alpha", viewing.IDs{TMDB: 1}), h.film("Beta", viewing.IDs{})
	show, err := h.sim.AddShow(kodisim.Show{Title: "Red", IDs: viewing.IDs{TMDB: 1396}}, time.Now())
	must(t, err)
	for _, r := range []kodisim.Ref{alpha, beta, show} {
		must(t, h.sim.Tag(r, "Watchlist"))
	}
	h.expect("first contact", "watchlist movie Alpha\nwatchlist movie Beta\nwatchlist tv Red\n")
	h.expect("again", "")
	h.restart()
	h.expect("after a restart", "")
	must(t, h.sim.Untag(alpha, "Watchlist"))
	h.expect("a tag that is taken away", "")
	must(t, h.sim.Tag(alpha, "watchlist"))
	h.expect("and given again", "")
	must(t, h.sim.Tag(h.film("Copy of Alpha", viewing.IDs{TMDB: 1}), "watchlist"))
	h.expect("a copy of the same film", "")
	if said := h.i.Status().Beside; said != "4 tagged for the watchlist, 0 sets and playlists" {
		t.Errorf("status says %q", said)
	}
}

// A film that is told apart later keeps its wish; one that was taken for
// another is wished for anew, and the wrong wish withdrawn.
func TestWishFollowsIdentity(t *testing.T) {
	h := newWishing(t, rule.Wishes{Tag: "watchlist", Sets: true, Items: true})
	bare, wrong := h.film("Bare", viewing.IDs{}), h.film("Wrong", viewing.IDs{TMDB: 6})
	for _, r := range []kodisim.Ref{bare, wrong} {
		must(t, h.sim.Tag(r, "watchlist"))
	}
	must(t, h.sim.PutInSet(bare, "Noir"))
	h.expect("first contact", "watchlist movie Bare\nwatchlist movie Wrong\nlist Noir\nlist_item Noir: movie Bare\n")
	h.o.Library = renamedWishes{h.folder}
	h.i.o.Library = h.o.Library
	from := len(h.sink.batches)
	h.expect("other names", "amended Bare drop false Kodi now calls it Found.\namended Wrong drop true Kodi now calls it Right.\n"+
		"amended Bare drop false Kodi now calls it Found.\nwatchlist movie Right\n")
	last := h.sink.batches[from:]
	var found, fresh []int64
	for _, b := range last {
		for _, a := range b.Amendments {
			for _, m := range a.Media {
				found = append(found, m.IDs.TMDB)
			}
		}
		for _, v := range b.Events {
			fresh = append(fresh, v.Media[0].IDs.TMDB)
		}
	}
	if !slices.Equal(found, []int64{5, 5}) || !slices.Equal(fresh, []int64{7}) {
		t.Errorf("corrected to %v, new %v", found, fresh)
	}
	h.restart()
	h.expect("after a restart", "")
}

// renamedWishes is a library in which two films have other names than before.
type renamedWishes struct{ Library }

func (l renamedWishes) ReadWishes(ctx context.Context, want snapshot.Want) (snapshot.Wishes, error) {
	found, err := l.Library.ReadWishes(ctx, want)
	rename := func(all []snapshot.Wish) {
		for n := range all {
			switch m := &all[n].Media; m.Title {
			case "Bare":
				m.Title, m.IDs.TMDB = "Found", 5
			case "Wrong":
				m.Title, m.IDs.TMDB = "Right", 7
			}
		}
	}
	rename(found.Tagged)
	for _, set := range found.Sets {
		rename(set.Films)
	}
	return found, err
}

func TestManyWishesLetLiveEntriesPass(t *testing.T) {
	h := newWishing(t, rule.Wishes{Tag: "watchlist"})
	for n := range 11 {
		must(t, h.sim.Tag(h.film(fmt.Sprint("Film ", n), viewing.IDs{TMDB: int64(n + 1)}), "watchlist"))
	}
	if got := h.read(); strings.Count(got, " as import\n") != 11 {
		t.Errorf("first contact:\n%s", got)
	}
	must(t, h.sim.Tag(h.film("One more", viewing.IDs{TMDB: 99}), "watchlist"))
	h.expect("one more", "watchlist movie One more\n")
}

func TestMovieSets(t *testing.T) {
	h := newWishing(t, rule.Wishes{Sets: true, Items: true})
	one, two := h.film("One", viewing.IDs{TMDB: 1}), h.film("Two", viewing.IDs{TMDB: 2})
	must(t, h.sim.PutInSet(one, "The Set"))
	h.expect("first contact", "list The Set\nlist_item The Set: movie One\n")
	must(t, h.sim.PutInSet(two, "The Set"))
	h.expect("another film", "list_item The Set: movie Two\n")
	must(t, h.sim.PutInSet(one, "New name"))
	must(t, h.sim.PutInSet(two, "New name"))
	h.expect("a new name", "list New name\nlist_item New name: movie One\nlist_item New name: movie Two\n")
	must(t, h.sim.PutInSet(one, "The Set"))
	h.expect("the old name again", "")
}

// Without items a list is made all the same.
func TestListsWithoutItems(t *testing.T) {
	h := newWishing(t, rule.Wishes{Sets: true})
	must(t, h.sim.PutInSet(h.film("One", viewing.IDs{TMDB: 1}), "The Set"))
	h.expect("first contact", "list The Set\n")
	h.o.Wishes.Items = true
	h.restart()
	h.expect("with items", "list_item The Set: movie One\n")
}

func TestPlaylists(t *testing.T) {
	h := newWishing(t, rule.Wishes{Playlists: true, Items: true})
	h.film("One", viewing.IDs{TMDB: 1})
	h.film("Two", viewing.IDs{TMDB: 2})
	show, err := h.sim.AddShow(kodisim.Show{Title: "Red", IDs: viewing.IDs{TMDB: 1396}}, time.Now())
	must(t, err)
	_, err = h.sim.AddEpisodeFile(show, kodisim.EpisodeFile{Path: "/media/series/Red/1.mkv", Episodes: []kodisim.Episode{{Season: 1, Number: 1}}}, time.Now())
	must(t, err)
	h.playlist("Noir.m3u", "#EXTM3U\r\n#EXTINF:0,x\r\n/MEDIA/films/Two.mkv\r\n/media/films/One.mkv\r\n/media/series/Red/1.mkv\r\nvideodb://movies/titles/1\r\nsmb://me:secret@nas/x.mkv\r\n/media/films/Two.mkv\r\n")
	h.playlist("Series.m3u", "/media/series/Red/1.mkv\n")
	h.playlist("Clever.xsp", "<smartplaylist/>")
	r, err := h.i.Scan(t.Context())
	must(t, err)
	left := []string{"/media/series/Red/1.mkv: not a film", "videodb://movies/titles/1: not a file of the library", "smb://nas/x.mkv: not a file of the library"}
	b := r.Beside
	if len(b.Lists) != 1 || len(b.Lists[0].Items) != 2 || !b.Lists[0].New || cmp.Diff(left, b.Lists[0].LeftOut) != "" ||
		!slices.Equal(b.Smart, []string{"Clever"}) || !slices.Equal(b.Unread, []string{"Series: it holds no film of the library"}) {
		t.Errorf("a scan finds %+v", b)
	}
	h.expect("first contact", "list Noir\nlist_item Noir: movie Two\nlist_item Noir: movie One\n")
	stamp := h.folder.stamp()
	l := newListener(h.i)
	h.playlist("More.m3u8", "/media/films/One.mkv\n")
	if compare(t.Context(), h.folder, l, true); h.folder.stamp() == stamp || len(l.changed) != 1 {
		t.Error("a new playlist is not noticed")
	}
	h.expect("another playlist", "list More\nlist_item More: movie One\n")
	if r, err := h.i.Scan(t.Context()); err != nil || r.Beside.Before != 5 || len(r.Beside.Watchlist) != 0 {
		t.Errorf("afterwards a scan finds %+v, %v", r.Beside, err)
	}
}

// Playlists are seen as they are saved, though the library rests.
func TestPlaylistIsSeenWhileRunning(t *testing.T) {
	h := newWishing(t, rule.Wishes{Playlists: true, Items: true})
	h.film("One", viewing.IDs{TMDB: 1})
	h.folder.pace = pace{quiet: 20 * time.Millisecond, ceiling: time.Second, poll: 200 * time.Millisecond}
	h.restart()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- h.i.Run(ctx) }()
	importing{Importer: h.i}.reach(t, StateOK, time.Time{})
	h.playlist("Late.m3u", "/media/films/One.mkv\n")
	if v := h.sink.next(t); v.Kind != viewing.KindList || v.List.Name != "Late" {
		t.Errorf("got %+v", v)
	}
	if v := h.sink.next(t); v.Kind != viewing.KindListItem || v.Media[0].IDs.TMDB != 1 {
		t.Errorf("got %+v", v)
	}
	cancel()
	must(t, <-done)
}

// A wish whose commit fails, or may have been kept all the same, is made once.
func TestWishesSurviveTrouble(t *testing.T) {
	for _, late := range []bool{false, true} {
		h := newWishing(t, rule.Wishes{Tag: "watchlist"})
		h.expect("first contact", "")
		must(t, h.sim.Tag(h.film("Alpha", viewing.IDs{TMDB: 1}), "watchlist"))
		must(t, h.i.load(t.Context()))
		_, err := h.i.read(t.Context(), h.i.changes)
		must(t, err)
		h.sink.fail, h.sink.late = errors.New("no room"), late
		if err := h.i.grant(t.Context(), snapshot.Snapshot{}); !errors.Is(err, errStorage) {
			t.Fatalf("got %v", err)
		}
		h.sink.fail = nil
		want := "watchlist movie Alpha\n"
		if late {
			want = ""
		}
		h.expect(fmt.Sprint("kept=", late), want)
	}
}

// A library without tables of tags is told of; its viewings go on.
func TestLibraryWithoutTags(t *testing.T) {
	h := newWishing(t, rule.Wishes{Tag: "watchlist"})
	h.o.Library = failing{h.folder, library.ErrUnsupported}
	var log bytes.Buffer
	h.o.Logger = slog.New(slog.NewTextHandler(&log, nil))
	h.restart()
	h.expect("a reading", "")
	h.expect("another one", "")
	if n := strings.Count(log.String(), "no tags"); n != 1 {
		t.Errorf("it was logged %d times", n)
	}
	if s := h.i.Status(); s.State != StateOK || !strings.Contains(s.Beside, "no tags") {
		t.Errorf("%+v", s)
	}
	h.o.Library = failing{h.folder, library.ErrBusy}
	h.restart()
	if err := h.i.refresh(t.Context()); !errors.Is(err, library.ErrBusy) {
		t.Errorf("a busy library: %v", err)
	}
}

// failing is a library whose wishes cannot be read.
type failing struct {
	Library
	err error
}

func (l failing) ReadWishes(context.Context, snapshot.Want) (snapshot.Wishes, error) {
	return snapshot.Wishes{}, l.err
}

func TestReportersAreTold(t *testing.T) {
	h := newWishing(t, rule.Wishes{})
	settings := filepath.Join(h.dir, "addon_data", "script.tracker", "settings.xml")
	must(t, os.MkdirAll(filepath.Dir(settings), 0o700))
	must(t, os.WriteFile(settings, []byte(`<setting id="key">sk_secret</setting><setting id="url">https://tracker.example/</setting>`), 0o600))
	var log strings.Builder
	h.o.Logger = slog.New(slog.NewTextHandler(&log, nil))
	h.o.Account = account{hosts: []string{"tracker.example"}}
	h.restart()
	h.expect("a reading", "")
	r, err := h.i.Scan(t.Context())
	if err != nil || !slices.Equal(r.Reporters, []string{"script.tracker"}) || !slices.Equal(h.i.Status().Reporters, r.Reporters) {
		t.Errorf("%v, %v, %v", r.Reporters, h.i.Status().Reporters, err)
	}
	if said := log.String(); !strings.Contains(said, "script.tracker") || strings.Contains(said, "sk_secret") {
		t.Errorf("the log says:\n%s", said)
	}
}
