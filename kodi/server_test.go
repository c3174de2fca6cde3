package kodi

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/kodi/kodisim"
	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

// counter is a library on a server, which counts what it is asked. Its fields
// belong to whoever has the lock, while an importer runs.
type counter struct {
	mu sync.Mutex
	shelfReader
	reads, looks int
}

func (c *counter) Read(ctx context.Context, pick func(library.File) bool) (library.Snapshot, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reads++
	return c.shelfReader.Read(ctx, pick)
}

func (c *counter) Stamp(context.Context) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.looks++
	return c.stamp, c.err
}

// asked is how often it was read, and how often looked at.
func (c *counter) asked() (reads, looks int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reads, c.looks
}

func (c *counter) change(mark string, files ...library.File) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stamp, c.files = mark, files
}

func newServed(t *testing.T, s *sink, c *counter) *Importer {
	t.Helper()
	return newImporter(t, s, c)
}

// A library on a server is asked for its mark, and read when that changes: a playback is
// found within the poll, and is live also after hours of rest. Nothing is written meanwhile
// but the time, once an hour.
func TestServerIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := newSink(), &counter{shelfReader: shelfReader{files: list(film(1, 0, "")), stamp: "a"}}
		i := newServed(t, s, c)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- i.Run(ctx) }()
		time.Sleep(150 * time.Minute)
		if reads, looks := c.asked(); reads != 1 || looks < 140 || looks > 150 {
			t.Errorf("%d readings and %d looks in 150 minutes, want one and one a minute", reads, looks)
		}
		s.mu.Lock()
		n := len(s.batches)
		s.mu.Unlock()
		if n != 3 {
			t.Errorf("%d commits in two and a half hours, want the first and two that keep the time", n)
		}
		c.change("b", film(1, 1, local()))
		time.Sleep(80 * time.Second)
		reads, _ := c.asked()
		if got := s.viewings(); reads != 2 || len(got) != 1 || got[0].Class != viewing.ClassLive {
			t.Errorf("%d readings, got %+v, want one live viewing", reads, got)
		}
		cancel()
		must(t, <-done)
	})
}

// Kodi is told to use a server while we watch its file: the file's rest says
// nothing any more.
func TestMovedToAServer(t *testing.T) {
	dir := t.TempDir()
	must(t, kodisim.Create(dir, 121).Close())
	i := importerOf(t, dir, newSink())
	changed := func() bool { return !i.unchanged(t.Context()) }
	i.pass(t.Context())
	if i.Status().State != StateOK || changed() {
		t.Fatalf("state %s", i.Status().State)
	}
	text := `<advancedsettings><videodatabase><type>mysql</type><host>nas</host><user>kodi</user></videodatabase></advancedsettings>`
	must(t, os.WriteFile(filepath.Join(dir, "advancedsettings.xml"), []byte(text), 0o600))
	if !changed() {
		t.Error("changed settings were not seen")
	}
	if i.pass(t.Context()); i.Status().State != StateMySQL {
		t.Errorf("without a password: state %s", i.Status().State)
	}
}

// A library that another folder has is read, and nothing of it is handed over.
func TestLibraryOfAnotherFolder(t *testing.T) {
	dir, s := t.TempDir(), newSink()
	must(t, kodisim.Create(dir, 121).Close())
	i := importerOf(t, dir, s)
	i.library = &folder{dir, taken{t: t}}
	i.pass(t.Context())
	if i.Status().State != StateShared || len(s.batches) != 0 {
		t.Errorf("state %s, %d commits", i.Status().State, len(s.batches))
	}
}

// taken gives every library to another folder.
type taken struct {
	open
	t *testing.T
}

func (a taken) Claim(_, origin string) error {
	if filepath.Base(origin) != "MyVideos121.db" {
		a.t.Errorf("asked for %s", origin)
	}
	return library.ErrShared
}
