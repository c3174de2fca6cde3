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

// TestServerIsPolled: the checksum of a library on a server is polled, and the library is read if it
// changed. A playback is live even hours after the last change. Only the time of the last read is
// saved, once an hour.
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
			t.Errorf("%d reads, %d stamps and %d commits in 150 minutes, want 1, one a minute, and 3", r.reads, r.stamps, len(s.batches))
		}
		r.stamp, r.files = "b", list(film(1, 1, justNow()))
		time.Sleep(80 * time.Second)
		synctest.Wait()
		if got := s.viewings(); r.reads != 2 || len(got) != 1 || got[0].Class != viewing.ClassLive {
			t.Errorf("%d reads, got %+v, want one live viewing", r.reads, got)
		}
		cancel()
		must(t, <-done)
	})
}

// TestLibraryMovedToServer: Kodi's settings name a server while its file is watched. The file is stale
// from then on.
func TestLibraryMovedToServer(t *testing.T) {
	dir := t.TempDir()
	must(t, kodisim.Create(dir, 121).Close())
	i := newFolderImporter(t, dir, newSink())
	changed := func() bool { return !i.checkUnchanged(t.Context()) }
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

// TestSharedLibrarySubmitsNothing: a library that another folder has claimed submits nothing.
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
