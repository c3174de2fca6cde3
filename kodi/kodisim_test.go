package kodi

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/filmspool/filmspool/kodi/kodisim"
	"github.com/filmspool/filmspool/queue/viewing"
)

const patience = 20 * time.Second

// home is a userdata folder with a library of one film and one double episode.
type home struct {
	dir    string
	sim    *kodisim.Sim
	film   kodisim.Ref
	double kodisim.Ref
}

func newHome(t *testing.T, dir string) *home {
	t.Helper()
	sim, err := kodisim.Create(dir, 121)
	must(t, err)
	t.Cleanup(func() { must(t, sim.Close()) })
	long := time.Now().Add(-48 * time.Hour)
	h := &home{dir: dir, sim: sim}
	h.film, err = sim.AddFilm(kodisim.Film{Title: "Alpha", Year: 1999, IDs: viewing.IDs{TMDB: 603}, Duration: 2 * time.Hour}, long)
	must(t, err)
	show, err := sim.AddShow(kodisim.Show{Title: "Red", IDs: viewing.IDs{TMDB: 1396}})
	must(t, err)
	both, err := sim.AddEpisodes(show, time.Hour, long, kodisim.Episode{Season: 1, Number: 4}, kodisim.Episode{Season: 1, Number: 5})
	must(t, err)
	h.double = both[0]
	return h
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// importing is a running importer.
type importing struct {
	*Importer
	stop func()
}

func run(t *testing.T, dir string, s *sink) importing {
	t.Helper()
	_, err := os.Stat(filepath.Join(dir, "advancedsettings.xml")) // else a Kodi of this machine would be heard
	i := New(Options{Userdata: dir, Access: open{}, Zone: time.UTC, Sink: s, Account: account{}, Announcements: err == nil})
	i.pace = pace{quiet: 20 * time.Millisecond, ceiling: time.Second, poll: 200 * time.Millisecond}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- i.Run(ctx) }()
	stopped := false
	r := importing{i, func() {
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

// reach waits until the importer's status is as wanted.
func (i importing) reach(t *testing.T, want string, since time.Time) {
	t.Helper()
	deadline := time.After(patience)
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
	case <-time.After(patience):
		t.Fatal("no viewing came")
		return viewing.Event{}
	}
}

// The whole way from a playback in Kodi's file to a committed viewing.
func TestFromFileToViewing(t *testing.T) {
	h, s := newHome(t, t.TempDir()), newSink()
	must(t, h.sim.Play(h.film, time.Now().UTC().Add(-24*time.Hour))) // before first contact
	i := run(t, h.dir, s)
	i.reach(t, StateOK, time.Time{})

	end := time.Now().UTC().Add(-4 * time.Second).Truncate(time.Second)
	must(t, h.sim.Play(h.film, end))
	v := s.next(t)
	if v.Class != viewing.ClassLive || v.Media[0].IDs.TMDB != 603 || !v.WatchedAt.Time().Equal(end) || v.Count != 1 {
		t.Errorf("got %+v", v)
	}
	must(t, h.sim.Play(h.double, time.Now().UTC()))
	if v = s.next(t); len(v.Media) != 2 || v.Class != viewing.ClassLive {
		t.Errorf("got %+v, want both episodes, live", v)
	}
	i.stop()

	again := run(t, h.dir, s)
	again.reach(t, StateOK, time.Time{})
	again.stop()
	if got := s.viewings(); len(got) != 2 {
		t.Errorf("%d viewings after a restart, want 2", len(got))
	}
}

// A service that starts before Kodi was ever installed.
func TestLibraryAppearsLater(t *testing.T) {
	dir, s := filepath.Join(t.TempDir(), ".kodi", "userdata"), newSink()
	i := run(t, dir, s)
	i.reach(t, StateWaiting, time.Time{})
	must(t, os.MkdirAll(dir, 0o700))
	h := newHome(t, dir)
	for deadline := time.Now().Add(patience); i.Status().Episodes != 2; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) { // a reading may have come while the library was being filled
			t.Fatalf("status is %+v, want both episodes", i.Status())
		}
	}
	must(t, h.sim.Play(h.film, time.Now().UTC()))
	if v := s.next(t); v.Class != viewing.ClassLive {
		t.Errorf("got %+v", v)
	}
}

// The upgrade to Kodi 21 hands nothing over, half way or whole, and plays in
// the new file are seen.
func TestUpgradeWhileRunning(t *testing.T) {
	h, s := newHome(t, t.TempDir()), newSink()
	must(t, h.sim.Play(h.film, time.Now().UTC().Add(-24*time.Hour)))
	i := run(t, h.dir, s)
	i.reach(t, StateOK, time.Time{})
	finish, err := h.sim.BeginUpgrade()
	must(t, err)
	i.reach(t, StateUpgrading, time.Time{})
	began := time.Now()
	newer, err := finish()
	must(t, err)
	defer func() { must(t, newer.Close()) }()
	i.reach(t, StateOK, began)
	if i.Status().Version != 131 || len(s.viewings()) != 0 {
		t.Errorf("status %+v, viewings %v", i.Status(), s.viewings())
	}
	must(t, newer.Play(h.film, time.Now().UTC()))
	if v := s.next(t); v.Media[0].IDs.TMDB != 603 {
		t.Errorf("got %+v", v)
	}
}
