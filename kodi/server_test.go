package kodi

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/kodi/kodisim"
	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

// A library on a server is asked for its mark, and read when that changes: a playback is
// found within the poll, and is live also after hours of rest. Nothing is written meanwhile
// but the time, once an hour.
func TestServerIsPolled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, r := newSink(), &fakeReader{files: list(film(1, 0, "")), stamp: "a"}
		i := newImporter(t, s, r)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- i.Run(ctx) }()
		time.Sleep(150*time.Minute + time.Second)
		synctest.Wait()
		if r.reads != 1 || r.stamps < 140 || r.stamps > 150 || len(s.batches) != 3 {
			t.Errorf("%d readings, %d looks and %d commits in 150 minutes, want one, one a minute, and the first with two that keep the time", r.reads, r.stamps, len(s.batches))
		}
		r.stamp, r.files = "b", list(film(1, 1, justNow()))
		time.Sleep(80 * time.Second)
		synctest.Wait()
		if got := s.viewings(); r.reads != 2 || len(got) != 1 || got[0].Class != viewing.ClassLive {
			t.Errorf("%d readings, got %+v, want one live viewing", r.reads, got)
		}
		cancel()
		must(t, <-done)
	})
}

// Kodi is told to use a server while we watch its file: the file's rest says
// nothing any more.
func TestLibraryMovedToServer(t *testing.T) {
	dir := t.TempDir()
	must(t, kodisim.Create(dir, 121).Close())
	i := newFolderImporter(t, dir, newSink())
	changed := func() bool { return !i.unchanged(t.Context()) }
	i.runPass(t.Context())
	if i.Status().State != StateOK || changed() {
		t.Fatalf("state %s", i.Status().State)
	}
	text := `<advancedsettings><videodatabase><type>mysql</type><host>nas</host><user>kodi</user></videodatabase></advancedsettings>`
	must(t, os.WriteFile(filepath.Join(dir, "advancedsettings.xml"), []byte(text), 0o600))
	if !changed() {
		t.Error("changed settings were not seen")
	}
	if i.runPass(t.Context()); i.Status().State != StateMySQL {
		t.Errorf("without a password: state %s", i.Status().State)
	}
}

// A library that another folder has is read, and nothing of it is handed over.
func TestSharedLibrarySubmitsNothing(t *testing.T) {
	dir, s := t.TempDir(), newSink()
	must(t, kodisim.Create(dir, 121).Close())
	i := newFolderImporter(t, dir, s)
	i.library = &folder{dir, openAccess{library.ErrShared}}
	i.runPass(t.Context())
	if i.Status().State != StateShared || len(s.batches) != 0 {
		t.Errorf("state %s, %d commits", i.Status().State, len(s.batches))
	}
}
