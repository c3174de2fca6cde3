package queue

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/export"
	"github.com/filmspool/filmspool/queue/viewing"
)

// exported is an export, line by line.
func (o *opened) exported(t testing.TB) []export.Record {
	t.Helper()
	var out bytes.Buffer
	n, err := o.Export(t.Context(), &out)
	if err != nil {
		t.Fatal(err)
	}
	var all []export.Record
	for line := range strings.Lines(out.String()) {
		var r export.Record
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		all = append(all, r)
	}
	if int64(len(all)) != n {
		t.Fatalf("%d lines, said to be %d", len(all), n)
	}
	return all
}

// lines are records as a file.
func lines(t testing.TB, records ...export.Record) *bytes.Buffer {
	t.Helper()
	var out bytes.Buffer
	for _, r := range records {
		if err := json.NewEncoder(&out).Encode(r); err != nil {
			t.Fatal(err)
		}
	}
	return &out
}

func (o *opened) imported(t testing.TB, records []export.Record, dry bool) entry.Imported {
	t.Helper()
	sum, err := o.Import(t.Context(), lines(t, records...), dry)
	if err != nil {
		t.Fatal(err)
	}
	o.checkCounters(t)
	return sum
}

// household is a store with an entry in every state, a double episode, a
// corrected one, a second sighting, a wish, a list, and a trimmed event.
func household(t *testing.T) *opened {
	t.Helper()
	s := fresh(t)
	found := s.several(t)
	if _, err := s.Edit(t.Context(), found[viewing.StatePending], entry.Edit{Media: movie(4000), WatchedAt: viewing.At(noon().Add(-25 * 60e9))}); err != nil {
		t.Fatal(err)
	}
	double := film("double", 0, -70)
	double.Media = nil
	for n := range 2 {
		double.Media = append(double.Media, viewing.Media{
			Type: viewing.Episode, Show: &viewing.Show{IDs: viewing.IDs{TMDB: 9}, Title: "Show <Red>"}, Season: pointer(1), Episode: pointer(n + 1),
		})
	}
	again := film("again", 2001, -20)
	again.SameAs = "pending"
	wish := film("wish", 2, 0)
	wish.Kind, wish.WatchedAt, wish.Count, wish.Priority = viewing.KindWatchlist, viewing.Instant{}, 0, pointer(3)
	list := viewing.Event{Kind: viewing.KindList, EventID: "list", List: &viewing.List{Name: "Noir", Visibility: "PRIVATE"}}
	s.commit(t, double, again, wish, film("trimmed", 5, -80), list)
	s.change(t, `DELETE FROM entries WHERE event = (SELECT id FROM events WHERE event_id = 'trimmed')`,
		`DELETE FROM events WHERE event_id = 'trimmed'`, `UPDATE counters SET current = current - 1 WHERE state = 'pending'`)
	return s
}

// change runs statements on the writer's side.
func (o *opened) change(t testing.TB, statements ...string) {
	t.Helper()
	if err := o.write(t.Context(), func(x *tx) error { return x.Run(statements...) }); err != nil {
		t.Fatal(err)
	}
}

func TestExportIsWholeAndComesBack(t *testing.T) {
	from := household(t)
	records := from.exported(t)
	to := open(t, t.TempDir()+"/queue.db", from.clock)
	dry := to.imported(t, records, true)
	if counts := to.checkCounters(t); counts != (entry.Counts{}) {
		t.Fatalf("a dry run left %+v", counts)
	}
	did := to.imported(t, records, false)
	want := entry.Imported{Lines: 12, Events: 12, Entries: 11, Held: 5, InDoubt: 2}
	if did != want || dry != want {
		t.Errorf("imported %+v, dry %+v, want %+v", did, dry, want)
	}
	// What had not left is held, what was under way is in doubt; all else is
	// as it was.
	for i, r := range records {
		for k, e := range r.Entries {
			records[i].Entries[k].State, records[i].Entries[k].Reason, _ = e.Arrives()
		}
	}
	if diff := cmp.Diff(records, to.exported(t)); diff != "" {
		t.Errorf("second export (-want +got):\n%s", diff)
	}
	if leased := to.lease(t); len(leased) != 0 {
		t.Errorf("leased %v of what was imported", ids(leased))
	}
}

func TestImportNeverDoubles(t *testing.T) {
	from := household(t)
	records := from.exported(t)
	before := from.checkCounters(t)
	if did := from.imported(t, records, false); did != (entry.Imported{Lines: 12, Known: 12}) {
		t.Errorf("imported into itself: %+v", did)
	}
	if after := from.checkCounters(t); after != before {
		t.Errorf("counts %+v, before %+v", after, before)
	}
	to := fresh(t)
	to.imported(t, records, false)
	// A source that tells an old event again, even a trimmed one, is told so.
	for _, v := range []viewing.Event{film("trimmed", 5, -80), film("delivered", 1000, -60)} {
		if o := to.commit(t, v)[0]; o.Status != viewing.StatusDuplicate {
			t.Errorf("%s again is %s", v.EventID, o.Status)
		}
	}
	other := film("delivered", 7, -60)
	if o := to.commit(t, other)[0]; o.Status != viewing.StatusConflict {
		t.Errorf("other content is %s", o.Status)
	}
	body, _ := json.Marshal(other)
	changed := slices.Clone(records)
	changed[0].Event = body
	if did := to.imported(t, changed, false); did.Conflicts != 1 || did.Known != 11 {
		t.Errorf("imported other content: %+v", did)
	}
}

func TestImportedWaitsForTheUser(t *testing.T) {
	from, to := fresh(t), fresh(t)
	from.commit(t, film("e1", 603, -10))
	to.imported(t, from.exported(t), false)
	did, err := to.ReleaseHeld(t.Context(), entry.Selection{Filter: entry.Filter{Reason: "imported"}}, false)
	if err != nil || did.Changed != 1 || len(to.lease(t)) != 1 {
		t.Errorf("released %+v (%v)", did, err)
	}
}

func TestImportNamesTheBadLineAndKeepsThoseBefore(t *testing.T) {
	from := fresh(t)
	from.commit(t, film("e1", 603, -10), film("e2", 604, -5))
	records := from.exported(t)
	spoil := func(change func(*export.Record)) export.Record {
		r := records[1]
		r.Entries = slices.Clone(r.Entries)
		change(&r)
		return r
	}
	for name, c := range map[string]struct {
		line export.Record
		says string
	}{
		"newer":          {spoil(func(r *export.Record) { r.V = 2 }), "version 2"},
		"no source":      {spoil(func(r *export.Record) { r.Source = "" }), "source: is missing"},
		"no id":          {spoil(func(r *export.Record) { r.EventID = "" }), "eventId: is missing"},
		"another id":     {spoil(func(r *export.Record) { r.EventID = "e3" }), "not the event's own"},
		"no event":       {spoil(func(r *export.Record) { r.Event = nil }), "SHA-256"},
		"bad event":      {spoil(func(r *export.Record) { r.Event = json.RawMessage(`{"kind":"viewing","eventId":"e2"}`) }), "media: is missing"},
		"no such state":  {spoil(func(r *export.Record) { r.Entries[0].State = "lost" }), `"lost" is not a state`},
		"another kind":   {spoil(func(r *export.Record) { r.Entries[0].Kind = viewing.KindList }), "entries.kind"},
		"no account":     {spoil(func(r *export.Record) { r.Entries[0].Account = "" }), "entries.account"},
		"bad part":       {spoil(func(r *export.Record) { r.Entries[0].Part = -1 }), "below 0"},
		"no media":       {spoil(func(r *export.Record) { r.Entries[0].Media = nil }), "media: is missing"},
		"twice one part": {spoil(func(r *export.Record) { r.Entries = append(r.Entries, r.Entries[0]) }), "twice"},
	} {
		t.Run(name, func(t *testing.T) {
			to := fresh(t)
			_, err := to.Import(t.Context(), lines(t, records[0], c.line), false)
			if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "line 2") {
				t.Errorf("got %v", err)
			}
			if counts := to.checkCounters(t); counts.Held != 1 || !errors.Is(err, viewing.ErrInvalid) {
				t.Errorf("counts %+v, %v", counts, err)
			}
		})
	}
	if _, err := fresh(t).Import(t.Context(), strings.NewReader("hello\n"), false); !errors.Is(err, viewing.ErrInvalid) {
		t.Errorf("a file of words: %v", err)
	}
}

// many commits n events.
func (o *opened) many(t testing.TB, n int) {
	t.Helper()
	batch := viewing.Batch{Source: "browser:b1"}
	for i := range n {
		batch.Events = append(batch.Events, film(fmt.Sprint("e", i), int64(i+1), -i-1))
	}
	o.commitBatch(t, batch)
}

// TestExportHoldsOnlyAPage: what is committed while the export waits for its
// reader is in it, so it cannot have read everything before.
func TestExportHoldsOnlyAPage(t *testing.T) {
	s := fresh(t)
	s.many(t, 2*export.Page)
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		_, err := s.Export(t.Context(), w)
		w.CloseWithError(err)
		done <- err
	}()
	scan := bufio.NewScanner(r)
	if !scan.Scan() {
		t.Fatal(scan.Err())
	}
	s.commit(t, film("late", 9999, -1))
	n, last := 1, ""
	for scan.Scan() {
		n, last = n+1, scan.Text()
	}
	if err := <-done; err != nil || n != 2*export.Page+1 || !strings.Contains(last, `"late"`) {
		t.Errorf("%d lines (%v), the last %s", n, err, last)
	}
}

// TestImportHoldsOnlyAPage: the first lines are on disk before the last ones
// are written.
func TestImportHoldsOnlyAPage(t *testing.T) {
	from, to := fresh(t), fresh(t)
	from.many(t, 2*export.Page)
	records := from.exported(t)
	changed, stop := to.Subscribe()
	defer stop()
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		_, err := to.Import(t.Context(), r, false)
		done <- err
	}()
	if _, err := io.Copy(w, lines(t, records[:export.Page]...)); err != nil {
		t.Fatal(err)
	}
	<-changed
	if counts := to.checkCounters(t); counts.Held != export.Page {
		t.Errorf("%d are here before the rest came", counts.Held)
	}
	if _, err := io.Copy(w, lines(t, records[export.Page:]...)); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if counts := to.checkCounters(t); counts.Held != 2*export.Page {
		t.Errorf("%d came in the end", counts.Held)
	}
}

// What is in doubt is looked for wherever it is imported: what is found has
// arrived, and what is missing is held, for the other queue may send it again.
func TestImportedDoubtsAreLookedFor(t *testing.T) {
	from := fresh(t)
	from.commit(t, film("found", 603, -10), film("missing", 604, -10), film("resent", 605, -10))
	for _, e := range from.lease(t) {
		from.settle(t, Settlement{Entry: e.ID, Attempt: from.send(t, e), State: viewing.StateInDoubt, Reason: "no answer"})
	}
	to := fresh(t)
	to.imported(t, from.exported(t), false)
	if at, ok, err := to.NextReadBack(t.Context(), "default"); err != nil || !ok || at.After(to.clock.now()) {
		t.Fatalf("next look at %v, %v, %v", at, ok, err)
	}
	doubts, err := to.Doubts(t.Context(), "default")
	if err != nil || len(doubts) != 3 {
		t.Fatalf("%d doubts, %v", len(doubts), err)
	}
	for i, m := range []ReadBack{{State: viewing.StateDelivered}, {State: viewing.StatePending}, {State: viewing.StatePending, Resend: true}} {
		m.Doubt, m.Reason = doubts[i], "looked for"
		if err := to.RecordReadBack(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	if counts := to.checkCounters(t); counts != (entry.Counts{Delivered: 1, Held: 2}) {
		t.Errorf("counts %+v", counts)
	}
	held, err := to.Entries(t.Context(), entry.Filter{State: viewing.StateHeld, Reason: viewing.ReasonImported})
	if err != nil || len(held) != 2 {
		t.Errorf("held %v, %v", ids(held), err)
	}
	if doubts, err = to.Doubts(t.Context(), "default"); err != nil || len(doubts) != 0 {
		t.Errorf("%d doubts are left, %v", len(doubts), err)
	}
}
