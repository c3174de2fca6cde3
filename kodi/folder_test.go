package kodi

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/kodi/kodisim"
	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

const timeout = 20 * time.Second

// home is a userdata folder with a library of one film and one file with two episodes.
type home struct {
	dir    string
	sim    *kodisim.Sim
	film   kodisim.Ref
	double kodisim.Ref
}

func newHome(t *testing.T, dir string) *home {
	t.Helper()
	sim := kodisim.Create(dir, 121)
	t.Cleanup(func() { must(t, sim.Close()) })
	both := sim.AddEpisodes(sim.AddShow("Red", "", viewing.IDs{TMDB: 1396}), "Red", time.Hour, kodisim.Episode{Season: 1, Number: 4}, kodisim.Episode{Season: 1, Number: 5})
	film := sim.AddFilm(kodisim.Film{Title: "Alpha", Year: 1999, Path: "/media/films/Alpha.mkv", IDs: viewing.IDs{TMDB: 603}, Duration: 2 * time.Hour})
	return &home{dir, sim, film, both[0]}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// runningImporter is an importer in its Run loop.
type runningImporter struct {
	*Importer
	stop func()
}

func run(t *testing.T, dir string, s *sink) runningImporter {
	t.Helper()
	return runPolling(t, dir, s, 200*time.Millisecond)
}

func runPolling(t *testing.T, dir string, s *sink, poll time.Duration) runningImporter {
	t.Helper()
	_, err := os.Stat(filepath.Join(dir, "advancedsettings.xml")) // without it a real Kodi on this machine would be used
	i := New(Options{Userdata: dir, Access: openAccess{}, Zone: time.UTC, Sink: s, Account: account{}, Logger: slog.New(slog.DiscardHandler), Announcements: err == nil})
	i.intervals = intervals{debounce: 20 * time.Millisecond, maxDelay: time.Second, poll: poll}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- i.Run(ctx) }()
	stopped := false
	r := runningImporter{i, func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run ended with %v", err)
		}
	}}
	t.Cleanup(r.stop)
	return r
}

// waitForState waits until the importer has a state and a read after since.
func (i runningImporter) waitForState(t *testing.T, want string, since time.Time) {
	t.Helper()
	deadline := time.After(timeout)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if st := i.Status(); st.State == want && !st.ReadAt.Before(since) {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("status is %+v, want %s", i.Status(), want)
		}
	}
}

func (s *sink) next(t *testing.T) viewing.Event {
	t.Helper()
	select {
	case v := <-s.got:
		return v
	case <-time.After(timeout):
		t.Fatal("no viewing came")
		return viewing.Event{}
	}
}

// TestPlaybackInFileBecomesViewing covers the path from a playback in Kodi's file to a committed viewing.
func TestPlaybackInFileBecomesViewing(t *testing.T) {
	h, s := newHome(t, t.TempDir()), newSink()
	h.sim.Play(h.film.File, time.Now().UTC().Add(-24*time.Hour)) // before first contact
	i := run(t, h.dir, s)
	i.waitForState(t, StateOK, time.Time{})

	end := time.Now().UTC().Add(-4 * time.Second).Truncate(time.Second)
	h.sim.Play(h.film.File, end)
	v := s.next(t)
	if v.Class != viewing.ClassLive || v.Media[0].IDs.TMDB != 603 || !v.WatchedAt.Time().Equal(end) || v.Count != 1 {
		t.Errorf("got %+v", v)
	}
	h.sim.Play(h.double.File, time.Now().UTC())
	if v = s.next(t); len(v.Media) != 2 || v.Class != viewing.ClassLive {
		t.Errorf("got %+v, want both episodes, live", v)
	}
	i.stop()

	again := run(t, h.dir, s)
	again.waitForState(t, StateOK, time.Time{})
	again.stop()
	if got := s.viewings(); len(got) != 2 {
		t.Errorf("%d viewings after a restart, want 2", len(got))
	}
}

// TestLibraryAppearsLater: the importer starts before Kodi is installed.
func TestLibraryAppearsLater(t *testing.T) {
	dir, s := filepath.Join(t.TempDir(), ".kodi", "userdata"), newSink()
	i := run(t, dir, s)
	i.waitForState(t, StateWaiting, time.Time{})
	must(t, os.MkdirAll(dir, 0o700))
	h := newHome(t, dir)
	for deadline := time.Now().Add(timeout); i.Status().Episodes != 2; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) { // the first read may see only a part of the library
			t.Fatalf("status is %+v, want both episodes", i.Status())
		}
	}
	h.sim.Play(h.film.File, time.Now().UTC())
	if v := s.next(t); v.Class != viewing.ClassLive {
		t.Errorf("got %+v", v)
	}
}

// TestUpgradeWhileRunning: the upgrade to Kodi 21 makes no viewings, and playbacks in the new file do.
func TestUpgradeWhileRunning(t *testing.T) {
	h, s := newHome(t, t.TempDir()), newSink()
	h.sim.Play(h.film.File, time.Now().UTC().Add(-24*time.Hour))
	i := run(t, h.dir, s)
	i.waitForState(t, StateOK, time.Time{})
	path := filepath.Join(h.dir, "Database", "MyVideos131.db")
	h.sim.Do(`vacuum into ?`, path)
	i.waitForState(t, StateUpgrading, time.Time{})
	began := time.Now()
	newer := kodisim.Open(path)
	newer.Upgrade()
	defer func() { must(t, newer.Close()) }()
	i.waitForState(t, StateOK, began)
	if len(s.viewings()) != 0 {
		t.Errorf("status %+v, viewings %v", i.Status(), s.viewings())
	}
	newer.Play(h.film.File, time.Now().UTC())
	if v := s.next(t); v.Media[0].IDs.TMDB != 603 {
		t.Errorf("got %+v", v)
	}
}

// TestKodiZoneAndWriteTimeDecideClass uses a zone from Kodi's settings and a real library file.
func TestKodiZoneAndWriteTimeDecideClass(t *testing.T) {
	h, s := newHome(t, t.TempDir()), newSink()
	text := `<settings version="2"><setting id="locale.timezone" default="true">Asia/Kolkata</setting></settings>`
	must(t, os.WriteFile(filepath.Join(h.dir, "guisettings.xml"), []byte(text), 0o600))
	i := newFolderImporter(t, h.dir, s)
	i.options.Zone = nil
	kolkata := func(ago time.Duration) time.Time { return time.Now().Add(-ago).In(location(t, "Asia/Kolkata")) }
	expect := func(class viewing.Class, note string) {
		t.Helper()
		i.eventSeen.Store(true)
		i.runPass(t.Context())
		if v := s.next(t); v.Class != class || v.Origin.Note.Code != note {
			t.Errorf("got %+v, want %s with %q", v, class, note)
		}
	}
	i.runPass(t.Context())
	h.sim.Play(h.film.File, kolkata(time.Second))
	expect(viewing.ClassLive, "note.live")
	h.sim.Play(h.double.File, kolkata(30*time.Second))
	expect(viewing.ClassBackdated, "note.before")
	h.sim.Play(h.film.File, kolkata(-5*time.Hour-30*time.Minute)) // this minute at UTC+11
	expect(viewing.ClassReview, "note.future")
}

// TestNewAddOnTakesEffectAtOnce: an add-on is installed while the importer runs.
func TestNewAddOnTakesEffectAtOnce(t *testing.T) {
	userdata := filepath.Join(t.TempDir(), ".kodi", "userdata")
	must(t, os.MkdirAll(library.AddOnFolder(userdata), 0o700))
	synctest.Test(t, func(t *testing.T) {
		s, r := newSink(), &fakeReader{files: list(film(1, 0, ""), film(2, 0, ""))}
		i := newFolderImporter(t, userdata, s)
		i.library, i.options.Account = r, account{hosts: []string{"api.trakt.tv"}}
		i.runPass(t.Context())
		time.Sleep(time.Minute)
		r.files[0] = film(1, 1, justNow())
		i.runPass(t.Context())
		must(t, os.MkdirAll(filepath.Join(library.AddOnFolder(userdata), "script.trakt"), 0o700))
		must(t, os.Chtimes(library.AddOnFolder(userdata), time.Now(), time.Now()))
		time.Sleep(time.Minute)
		r.files[1] = film(2, 1, justNow())
		i.runPass(t.Context())
		got := s.viewings()
		if len(got) != 2 || got[0].Class != viewing.ClassLive || got[1].Class != viewing.ClassReview {
			t.Errorf("got %+v", got)
		}
		if st := i.Status(); !slices.Equal(st.Writers, []string{"script.trakt"}) || !slices.Equal(st.Reporters, st.Writers) {
			t.Errorf("status has %v and %v", st.Writers, st.Reporters)
		}
	})
}

// TestStatusListsUnwatchedProfiles: the status names profiles with an unwatched library of their own.
func TestStatusListsUnwatchedProfiles(t *testing.T) {
	h := newHome(t, t.TempDir())
	text := `<profiles><profile><name>Ann</name><directory>special://masterprofile/</directory></profile>
		<profile><name>Kids</name><directory>profiles/kids</directory><hasdatabases>true</hasdatabases></profile>
		<profile><name>Guest</name><directory>profiles/guest</directory><hasdatabases>false</hasdatabases></profile></profiles>`
	must(t, os.WriteFile(filepath.Join(h.dir, "profiles.xml"), []byte(text), 0o600))
	kids := filepath.Join(h.dir, "profiles", "kids")
	for _, tt := range []struct{ watched, want []string }{
		{[]string{h.dir}, []string{"Kids (" + kids + ")"}},
		{[]string{h.dir, kids}, nil},
		{nil, nil},
	} {
		i := newFolderImporter(t, h.dir, newSink())
		i.options.Watched = tt.watched
		must(t, os.Remove(filepath.Join(h.dir, "profiles.xml")))
		i.runPass(t.Context()) // a user of another profile never changes this library
		if got := i.Status().Unwatched; len(got) != 0 {
			t.Errorf("without profiles: %v", got)
		}
		must(t, os.WriteFile(filepath.Join(h.dir, "profiles.xml"), []byte(text), 0o600))
		if !i.checkUnchanged(t.Context()) {
			t.Error("the library has changed")
		}
		if got := i.Status().Unwatched; !slices.Equal(got, tt.want) {
			t.Errorf("watched %v: %v, want %v", tt.watched, got, tt.want)
		}
	}
}

// TestAnnouncedPlaybackIsLive uses a real port and library file. An add-on that writes playbacks of
// other devices is installed.
func TestAnnouncedPlaybackIsLive(t *testing.T) {
	port, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	defer port.Close()
	userdata := filepath.Join(t.TempDir(), ".kodi", "userdata")
	must(t, os.MkdirAll(filepath.Join(library.AddOnFolder(userdata), "script.trakt"), 0o700))
	must(t, os.MkdirAll(userdata, 0o700))
	settings := fmt.Sprintf("<advancedsettings><jsonrpc><tcpport>%d</tcpport></jsonrpc></advancedsettings>", port.Addr().(*net.TCPAddr).Port)
	must(t, os.WriteFile(filepath.Join(userdata, "advancedsettings.xml"), []byte(settings), 0o600))
	h, s := newHome(t, userdata), newSink()
	i := runPolling(t, h.dir, s, time.Hour) // a poll between announcement and playback would show that it was not played
	i.waitForState(t, StateOK, time.Time{})
	if i.Status().Announcing {
		t.Error("announcing before the first announcement")
	}

	kodi, err := port.Accept()
	must(t, err)
	defer kodi.Close()
	_, err = fmt.Fprintf(kodi, `{"method":"VideoLibrary.OnUpdate","params":{"data":{"item":{"id":%[1]d,"type":"movie"},"playcount":1}}}`+
		`{"method":"Player.OnStop","params":{"data":{"end":true,"item":{"id":%[1]d,"type":"movie"}}}}`, h.film.ID)
	must(t, err)
	for deadline := time.Now().Add(timeout); !i.Status().Announcing && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	h.sim.Play(h.film.File, time.Now().UTC())
	if v := s.next(t); v.Class != viewing.ClassLive {
		t.Errorf("announced as played: %+v", v)
	}
	h.sim.Play(h.double.File, time.Now().UTC().Add(-5*time.Second))
	if v := s.next(t); v.Class != viewing.ClassReview {
		t.Errorf("not announced: %+v", v)
	}
}

// TestReadingWALLibraryIsNotAChange: reading a library in WAL mode creates files, which must not
// cause another read.
func TestReadingWALLibraryIsNotAChange(t *testing.T) {
	h, s := newHome(t, t.TempDir()), newSink()
	h.sim.Do(`pragma journal_mode = wal`)
	must(t, h.sim.Close())
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	counted := &countingReader{reader: &folder{h.dir, openAccess{}}, first: sync.OnceFunc(func() { time.AfterFunc(1500*time.Millisecond, cancel) })}
	i := newImporter(t, s, counted)
	i.path = h.dir
	i.intervals = intervals{debounce: 10 * time.Millisecond, maxDelay: time.Second, poll: 100 * time.Millisecond}
	must(t, i.Run(ctx))
	if n := counted.reads.Load(); n < 1 || n > 3 {
		t.Errorf("%d reads of an unchanged library", n)
	}
}

// countingReader counts the reads of a library, and calls first after the first one.
type countingReader struct {
	reader
	first func()
	reads atomic.Int64
}

func (c *countingReader) Read(ctx context.Context, pick func(library.File) bool) (library.Snapshot, error) {
	c.reads.Add(1)
	defer c.first()
	return c.reader.Read(ctx, pick)
}
