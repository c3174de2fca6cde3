package kodi

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// nfoFilm is an NFO file of a film.
func nfoFilm(id, count int, lastPlayed string) string {
	return fmt.Sprintf(`<movie><title>Film %d</title><playcount>%d</playcount><lastplayed>%s</lastplayed>`+
		`<runtime>100</runtime><uniqueid type="tmdb" default="true">%d</uniqueid></movie>`, id, count, lastPlayed, id)
}

// bookcase is an importer of a folder of NFO files; each look comes after the
// time that the test gives.
type bookcase struct {
	dir string
	s   *sink
	i   *Importer
}

func newBookcase(t *testing.T, files map[string]string) *bookcase {
	t.Helper()
	b := &bookcase{dir: t.TempDir(), s: newSink()}
	for name, text := range files {
		b.put(t, name, text)
	}
	var err error
	if b.i, err = New(Options{Library: Exported(b.dir, nil), SecondHand: true, Zone: time.UTC, Sink: b.s, Account: account{}}); err != nil {
		t.Fatal(err)
	}
	b.pass(t)
	return b
}

func (b *bookcase) put(t *testing.T, name, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(filepath.Join(b.dir, name)), 0o755))
	must(t, os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o600))
}

func (b *bookcase) pass(t *testing.T) {
	t.Helper()
	b.i.pass(t.Context())
	if s := b.i.Status(); s.State != StateOK {
		t.Fatalf("state %s: %s", s.State, s.Summary)
	}
}

// back makes the last good reading one of some time ago.
func (b *bookcase) back(d time.Duration) {
	b.i.known.Meta.GoodAt = time.Now().Add(-d).UnixMilli()
	b.i.sound = time.Time{}
}

// What was watched before first contact is the baseline; what an export adds
// with a date only is held, at noon of its day.
func TestExportedDatesAreHeld(t *testing.T) {
	today := time.Now().UTC().Format(time.DateOnly)
	b := newBookcase(t, map[string]string{
		"a/a.nfo": nfoFilm(603, 1, "2020-01-01"), "b/b.nfo": nfoFilm(604, 0, ""), "c/c.nfo": nfoFilm(605, 1, "2020-02-02"),
	})
	b.back(48 * time.Hour)
	b.put(t, "b/b.nfo", nfoFilm(604, 1, today))
	b.put(t, "c/c.nfo", nfoFilm(605, 1, today)) // played in part
	b.put(t, "d/d.nfo", nfoFilm(606, 4, today)) // new with its count
	b.pass(t)
	got := b.s.viewings()
	if len(got) != 1 {
		t.Fatalf("%d viewings, want one: %+v", len(got), got)
	}
	v := got[0]
	if v.Class != viewing.ClassBackdated || v.WatchedAt.Precision != viewing.Day || v.Media[0].Key() != "movie:604" ||
		v.WatchedAt.Time().Format(time.DateTime) != today+" 12:00:00" || v.WatchedAt.Text != today {
		t.Errorf("got %+v", v)
	}
	b.pass(t)
	if len(b.s.viewings()) != 1 {
		t.Error("it was handed over twice")
	}
}

// Programs that write the time of each playback are believed as Kodi is.
func TestExportedTimesAreCaughtUp(t *testing.T) {
	b := newBookcase(t, map[string]string{"a.nfo": nfoFilm(603, 1, "2020-01-01 20:00:00"), "b.nfo": nfoFilm(604, 0, "")})
	b.back(5 * time.Hour)
	b.put(t, "a.nfo", nfoFilm(603, 2, time.Now().UTC().Add(-time.Hour).Format(time.DateTime)))
	b.put(t, "b.nfo", nfoFilm(604, 1, time.Now().In(time.FixedZone("", 2*3600)).Add(-170*time.Minute).Format(time.RFC3339)))
	b.pass(t)
	got := b.s.viewings()
	if len(got) != 2 || got[0].Class != viewing.ClassCatchUp || got[1].Class != viewing.ClassCatchUp {
		t.Fatalf("got %+v", got)
	}
	if offset := got[0].WatchedAt.Offset; offset == nil || *offset != 2*3600 {
		t.Errorf("a time with an offset of its own: %+v", got[0].WatchedAt)
	}
}

// Identifiers of a broken file are never sent by themselves; once it is whole,
// the held viewing gets its identity.
func TestExportedBrokenFilesAreUnresolved(t *testing.T) {
	b := newBookcase(t, map[string]string{"a.nfo": nfoFilm(603, 0, "")})
	b.back(5 * time.Hour)
	played := nfoFilm(603, 1, time.Now().UTC().Add(-time.Hour).Format(time.DateTime))
	b.put(t, "a.nfo", strings.Replace(played, "</title>", "", 1))
	b.pass(t)
	got := b.s.viewings()
	if len(got) != 1 || got[0].Media[0].Identified() || got[0].Media[0].IDs != (viewing.IDs{}) || !strings.Contains(got[0].Origin.Note, "seems to say tmdb 603") {
		t.Fatalf("got %+v", got)
	}
	if said := b.i.Status().Amiss; !strings.Contains(said, "1 broken") || !strings.Contains(said, "(the first: a.nfo: line 1: a tag is not closed)") {
		t.Errorf("said %q", said)
	}
	b.put(t, "a.nfo", played+"\n")
	b.pass(t)
	last := b.s.batches[len(b.s.batches)-1]
	if len(b.s.viewings()) != 1 || len(last.Amendments) != 1 || last.Amendments[0].Media[0].Key() != "movie:603" {
		t.Errorf("amendments %+v", last.Amendments)
	}
}

// An export that is being written changes nothing that is known.
func TestExportedHalfAnExport(t *testing.T) {
	whole := "<videodb>" + strings.Replace(nfoFilm(603, 1, "2020-01-01"), "</movie>", "<filenameandpath>/a.mkv</filenameandpath></movie>", 1) + "</videodb>"
	b := newBookcase(t, map[string]string{"kodi_videodb_2026-11-20/videodb.xml": whole})
	b.put(t, "kodi_videodb_2026-11-21/videodb.xml", whole[:len(whole)-30])
	b.i.pass(t.Context())
	if s := b.i.Status(); s.State != StateBusy || b.i.known.Empty() {
		t.Errorf("state %s, nothing is known: %v", s.State, b.i.known.Empty())
	}
	if err := os.RemoveAll(filepath.Join(b.dir, "kodi_videodb_2026-11-21")); err != nil {
		t.Fatal(err)
	}
	b.put(t, "kodi_videodb_2026-11-22/videodb.xml", strings.Replace(whole, "<playcount>1", "<playcount>3", 1))
	b.pass(t)
	if got := b.s.viewings(); len(got) != 1 || got[0].Class != viewing.ClassReview {
		t.Errorf("got %+v, want one for review: its count grew but its date stayed", got)
	}
}

// hearing tells of each commit.
type hearing struct {
	*sink
	commits chan struct{}
}

func (s hearing) Commit(ctx context.Context, b viewing.Batch) ([]viewing.Outcome, error) {
	outcomes, err := s.sink.Commit(ctx, b)
	s.commits <- struct{}{}
	return outcomes, err
}

// The whole way: a change of a file deep in the tree is found by its event.
func TestExportedRun(t *testing.T) {
	dir, s := t.TempDir(), hearing{newSink(), make(chan struct{}, 100)}
	must(t, os.MkdirAll(filepath.Join(dir, "a"), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "a", "a.nfo"), []byte(nfoFilm(603, 0, "")), 0o600))
	e := Exported(dir+"/", nil).(*exported)
	e.pace = pace{quiet: 20 * time.Millisecond, ceiling: time.Second, poll: 20 * time.Millisecond}
	i, err := New(Options{Library: e, SecondHand: true, Zone: time.UTC, Sink: s, Account: account{}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- i.Run(ctx) }()
	<-s.commits // the baseline
	must(t, os.WriteFile(filepath.Join(dir, "a", "a.nfo"), []byte(nfoFilm(603, 1, local())), 0o600))
	select {
	case v := <-s.got:
		if v.Class != viewing.ClassLive || v.Media[0].Key() != "movie:603" {
			t.Errorf("got %+v", v)
		}
	case <-time.After(20 * time.Second):
		t.Error("nothing was handed over")
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
