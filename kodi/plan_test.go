package kodi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/kodi/rule"
	"github.com/filmspool/filmspool/queue/viewing"
)

// newFakeLibrary returns an importer of a fake library with these files.
func newFakeLibrary(t *testing.T, files ...library.File) (*Importer, *sink, *fakeReader) {
	t.Helper()
	s, r := newSink(), &fakeReader{files: files}
	return newImporter(t, s, r), s, r
}

// runImport compares preview and import, and returns the new viewings as lines.
func runImport(t *testing.T, i *Importer, s *sink, o rule.PlanOptions) (Preview, []string) {
	t.Helper()
	before, err := i.Preview(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	from := len(s.viewings())
	p, err := i.Import(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, p); diff != "" {
		t.Errorf("import and preview differ:\n%s", diff)
	}
	return p, describe(t, s.viewings()[from:])
}

func TestImportSelectsLastPlays(t *testing.T) {
	copied := modified(film(1, 2, "2019-05-05 21:00:40"), func(f *library.File) { f.Path = "/other/1.mkv" })
	renamed := modified(film(1, 2, "2019-05-05 00:00:00"), func(f *library.File) { f.Path = "/renamed/1.mkv" })
	again := modified(film(1, 1, "2019-05-09 21:00:00"), func(f *library.File) { f.Path = "/remastered/1.mkv" })
	nameless := modified(film(5, 1, "2019-01-02 20:00:00"), func(f *library.File) { f.Items[0].Media.IDs = viewing.IDs{IMDB: "tt5"} })
	extra := modified(film(6, 1, "2019-01-03 20:00:00"), func(f *library.File) { f.Items[0].Extra = true })
	tests := []struct {
		name  string
		files []library.File
		o     rule.PlanOptions
		want  []string
	}{
		{"nothing watched", list(film(1, 0, ""), film(2, 0, "2019-05-05 21:00:00")), rule.PlanOptions{}, nil},
		{
			"the last play of each, the oldest first",
			list(film(1, 3, "2020-05-05 21:00:00"), film(2, 1, "2019-01-01 20:00:00"), episodes(1, "2021-02-03 10:11:12", 4, 5)),
			rule.PlanOptions{},
			[]string{"import F2 2019-01-01T20:00:00Z", "import F1 2020-05-05T21:00:00Z", "import S S01E04+S S01E05 2021-02-03T10:11:12Z"},
		},
		{"a date is a day", list(film(1, 1, "2019-05-05 00:00:00")), rule.PlanOptions{}, []string{"import F1 2019-05-05T12:00:00Z day"}},
		{
			"a copy and a renamed folder are the same viewing, another day is not",
			list(renamed, film(1, 2, "2019-05-05 21:00:00"), copied, again),
			rule.PlanOptions{},
			[]string{"import F1 2019-05-05T21:00:00Z", "import F1 2019-05-09T21:00:00Z"},
		},
		{
			"a bulk mark", list(film(1, 1, "2019-05-05 21:00:00"), film(2, 1, "2019-05-05 21:00:02"), film(3, 1, "2019-05-05 21:00:05")),
			rule.PlanOptions{},
			[]string{"bulk F1 2019-05-05T21:00:00Z", "bulk F2 2019-05-05T21:00:02Z", "import F3 2019-05-05T21:00:05Z"},
		},
		{
			"many dates are not a bulk mark", list(film(1, 1, "2019-05-05 00:00:00"), film(2, 1, "2019-05-05 00:00:00")),
			rule.PlanOptions{},
			[]string{"import F1 2019-05-05T12:00:00Z day", "import F2 2019-05-05T12:00:00Z day"},
		},
		{"no clock", list(film(1, 1, "1970-01-01 01:12:00")), rule.PlanOptions{}, []string{"backdated F1 1970-01-01T01:12:00Z"}},
		{"no identifier that the service accepts", list(nameless), rule.PlanOptions{}, []string{"import F5 2019-01-02T20:00:00Z"}},
		{"extras and folders are skipped", list(extra), rule.PlanOptions{}, nil},
		{
			"since", list(film(1, 1, "2019-05-05 21:00:00"), film(2, 1, "2020-01-01 00:00:00"), film(3, 1, "")),
			rule.PlanOptions{Since: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)},
			[]string{"import F2 2020-01-01T12:00:00Z day"},
		},
		{
			"viewings that the service has", list(film(1, 1, "2019-05-05 21:00:00"), film(2, 1, "2019-05-06 21:00:00")),
			rule.PlanOptions{Has: func(m viewing.Media, at viewing.Instant, _ time.Duration) bool {
				return m.IDs.TMDB == 1 && at.Text == "2019-05-05 21:00:00"
			}},
			[]string{"import F2 2019-05-06T21:00:00Z"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			i, s, _ := newFakeLibrary(t, tt.files...)
			_, got := runImport(t, i, s, tt.o)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if _, got = runImport(t, i, s, tt.o); len(got) != 0 {
				t.Errorf("imported again: %v", got)
			}
		})
	}
}

func TestPreviewCounts(t *testing.T) {
	nameless := modified(film(5, 1, "2019-01-02 20:00:00"), func(f *library.File) { f.Items[0].Media.IDs = viewing.IDs{} })
	i, s, _ := newFakeLibrary(t,
		film(1, 3, "2020-05-05 21:00:00"), film(2, 1, "2019-01-01 20:00:00"), episodes(1, "2021-02-03 10:11:12", 4, 5), nameless,
		film(6, 1, ""), film(7, 1, "2018-01-01 20:00:00"), film(8, 1, "2018-01-01 20:00:01"), film(9, 1, time.Now().UTC().Add(time.Hour).Format(time.DateTime)),
		film(10, 1, "2017-01-01 20:00:00"), film(11, 1, "2016-01-01 20:00:00"))
	s.others = map[string][]viewing.Instant{"movie:10": {viewing.At(time.Date(2017, 1, 1, 20, 40, 0, 0, time.UTC))}}
	p, err := i.Preview(t.Context(), rule.PlanOptions{
		Since: time.Date(2016, 6, 1, 0, 0, 0, 0, time.UTC),
		Has:   func(m viewing.Media, _ viewing.Instant, _ time.Duration) bool { return m.IDs.TMDB == 2 },
	})
	if err != nil || len(s.batches) != 0 {
		t.Fatalf("preview: %v, %d commits", err, len(s.batches))
	}
	samples := []int{len(p.Sample), len(p.HeldSample)}
	p.Sample, p.HeldSample = nil, nil
	want := Preview{
		Userdata: "/u", Database: "/u/Database/MyVideos121.db", Version: 121, State: StateOK,
		Films: 1, Episodes: 2, Held: map[string]int{"bulk": 2}, Ignored: map[string]int{}, Unresolved: 1, LeftOut: rule.LeftOut{Earlier: 2, Recorded: 1, AtService: 1, Before: 3},
	}
	if diff := cmp.Diff(want, p); diff != "" || !slices.Equal(samples, []int{2, 3}) {
		t.Errorf("samples %v (-want +got):\n%s", samples, diff)
	}
	p, err = i.Preview(t.Context(), rule.PlanOptions{})
	if diff := cmp.Diff(map[string]int{"bulk": 2, "backdated": 1, "future": 1}, p.Held); err != nil || diff != "" || p.Plays() != 10 {
		t.Errorf("%d plays, %v (-want +got):\n%s", p.Plays(), err, diff)
	}
}

// TestPreviewsOfTwoLibrariesShareViewings: two libraries of one account with the same plays count them once.
func TestPreviewsOfTwoLibrariesShareViewings(t *testing.T) {
	first, _, _ := newFakeLibrary(t, film(1, 1, "2019-05-05 21:00:00"), film(2, 1, "2019-05-06 21:00:00"))
	second, _, _ := newFakeLibrary(t, film(1, 1, "2019-05-05 00:00:00"), film(2, 1, "2019-05-07 00:00:00"))
	o := rule.PlanOptions{Planned: map[string][]viewing.Instant{}}
	a, err := first.Preview(t.Context(), o)
	if err != nil || a.Films != 2 {
		t.Fatalf("%+v, %v", a, err)
	}
	if b, err := second.Preview(t.Context(), o); err != nil || b.Films != 1 || b.Copies != 1 {
		t.Errorf("%+v, %v", b, err)
	}
}

// TestImportSkipsLiveViewings: live viewings are not imported, and imported ones are not found again.
func TestImportSkipsLiveViewings(t *testing.T) {
	i, s, r := newFakeLibrary(t, film(1, 1, "2019-05-05 21:00:00"), film(2, 0, ""), film(3, 2, "2019-06-05 21:00:00"))
	i.runPass(t.Context())
	r.files = list(film(1, 1, "2019-05-05 21:00:00"), film(2, 1, justNow()), film(3, 2, "2019-06-05 21:00:00"))
	i.runPass(t.Context())
	if got := len(s.viewings()); got != 1 {
		t.Fatalf("%d viewings, want 1", got)
	}
	// Two unfinished playbacks, which change only the time.
	r.files[1].LastPlayed, r.files[2].LastPlayed = "2030-01-01 20:00:00", "2025-01-01 20:00:00"
	i.runPass(t.Context())
	p, got := runImport(t, i, s, rule.PlanOptions{})
	if want := []string{"import F1 2019-05-05T21:00:00Z", "import F3 2019-06-05T21:00:00Z"}; !slices.Equal(got, want) || p.Recorded != 1 || p.Earlier != 1 {
		t.Errorf("got %v, %+v", got, p)
	}
	from := len(s.viewings())
	i.runPass(t.Context())
	again := newImporter(t, s, r) // after a restart
	again.runPass(t.Context())
	if got := s.viewings()[from:]; len(got) != 0 {
		t.Errorf("found again: %v", got)
	}
	if again.Status().Import != (rule.Import{}) {
		t.Errorf("the status shows a running import: %+v", again.Status().Import)
	}
}

// TestImportCommitsNewViewingsFirst: an import commits a new play with its own class first.
func TestImportCommitsNewViewingsFirst(t *testing.T) {
	i, s, r := newFakeLibrary(t, film(1, 1, "2019-05-05 21:00:00"), film(2, 0, ""))
	i.runPass(t.Context())
	r.files[1] = film(2, 1, justNow())
	if _, got := runImport(t, i, s, rule.PlanOptions{}); len(got) != 2 || got[0][:4] != "live" {
		t.Errorf("got %v, want the live viewing, then the import", got)
	}
}

// TestImportedViewingGetsLaterIdentifier: an unresolved viewing is amended when its item gets an identifier.
func TestImportedViewingGetsLaterIdentifier(t *testing.T) {
	nameless := modified(film(5, 1, "2019-01-02 20:00:00"), func(f *library.File) { f.Items[0].Media.IDs = viewing.IDs{} })
	i, s, r := newFakeLibrary(t, nameless)
	_, got := runImport(t, i, s, rule.PlanOptions{})
	r.files = list(film(5, 1, "2019-01-02 20:00:00"))
	i.runPass(t.Context())
	last := s.batches[len(s.batches)-1]
	if len(got) != 1 || len(last.Amendments) != 1 || last.Amendments[0].Media[0].IDs.TMDB != 5 {
		t.Errorf("imported %v, then %+v", got, last.Amendments)
	}
}

// TestInterruptedImportContinues interrupts an import at each chunk, before or after its commit. The next
// import submits the rest, so that each play is submitted once.
func TestInterruptedImportContinues(t *testing.T) {
	var files []library.File
	for n := range int64(3*chunkSize - 7) {
		files = append(files, film(n+1, 2, time.Date(2015, 1, 1, int(n), 0, 0, 0, time.UTC).Format(time.DateTime)))
	}
	for chunk := range 4 {
		for _, kept := range []bool{false, true} {
			i, s, r := newFakeLibrary(t, files...)
			cut := &failingSink{sink: s, after: chunk + 1, kept: kept} // the first commit is the baseline
			i.options.Sink = cut
			_, err := i.Import(t.Context(), rule.PlanOptions{})
			if (err == nil) != (chunk == 3) {
				t.Fatalf("cut at %d, kept %v: %v", chunk, kept, err)
			}
			next := newImporter(t, s, r)
			next.runPass(t.Context())
			if st := next.Status(); st.Importing || (st.Import.Total == len(files)) != (chunk == 1 || chunk == 2 && !kept || chunk == 0 && kept) {
				t.Errorf("cut at %d, kept %v: %+v", chunk, kept, st.Import)
			}
			if _, err := next.Import(t.Context(), rule.PlanOptions{}); err != nil {
				t.Fatal(err)
			}
			ids := map[string]bool{}
			for _, v := range s.viewings() {
				ids[v.EventID] = true
			}
			if n := len(s.viewings()); n != len(files) || len(ids) != n || next.Status().Import != (rule.Import{}) {
				t.Errorf("cut at %d, kept %v: %d viewings of %d events, want %d; %+v", chunk, kept, n, len(ids), len(files), next.Status().Import)
			}
		}
	}
}

// failingSink fails from one commit on, before or after storing the batch.
type failingSink struct {
	*sink
	after int
	kept  bool
}

func (c *failingSink) Commit(ctx context.Context, b viewing.Batch) ([]viewing.Outcome, error) {
	if c.after--; c.after >= 0 {
		return c.sink.Commit(ctx, b)
	}
	if c.after == -1 && c.kept {
		_, _ = c.sink.Commit(ctx, b)
	}
	return nil, errors.New("killed")
}

func TestImportErrors(t *testing.T) {
	i, _, r := newFakeLibrary(t, films(30, 1, "2020-01-01 00:00:00")...)
	i.runPass(t.Context())
	r.files = films(12, 1, "2020-01-01 00:00:00")
	if p, err := i.Import(t.Context(), rule.PlanOptions{}); !errors.Is(err, errGuarded) || p.State != StateGuarded || p.Hint.Code == "" {
		t.Errorf("a vanished library: %v, %+v", err, p)
	}
	r.files, r.err = nil, library.ErrBusy
	if p, err := i.Import(t.Context(), rule.PlanOptions{}); !errors.Is(err, library.ErrBusy) || p.State != StateBusy {
		t.Errorf("a library that cannot be read: %v, %+v", err, p)
	}
	i, _, _ = newFakeLibrary(t, film(1, 1, "2020-01-01 00:00:00"))
	i.showImport(rule.Import{Total: 5}, true)
	if p, err := i.Import(t.Context(), rule.PlanOptions{}); !errors.Is(err, errImporting) || p.Problem.Code == "" {
		t.Errorf("a second import: %v, %+v", err, p)
	}
}

// labelAccount drops viewings with the tag "kids", and holds those of the genre "Family".
type labelAccount struct{ account }

func (p labelAccount) Predict(source string, v viewing.Event, m viewing.Media, now time.Time) Outcome {
	switch {
	case slices.Contains(v.Origin.Tags, "kids"):
		return Outcome{State: viewing.StateDropped, Reason: "filter", Steps: []viewing.Message{viewing.Say("ignored")}}
	case slices.Contains(v.Origin.Genres, "Family"):
		return Outcome{State: viewing.StateHeld, Reason: "filter", Steps: []viewing.Message{viewing.Say("held")}}
	default:
		return p.account.Predict(source, v, m, now)
	}
}

func TestPreviewShowsDroppedViewings(t *testing.T) {
	labelled := func(n int64, tags ...string) library.File {
		return modified(film(n, 1, fmt.Sprintf("2019-0%d-05 21:00:00", n)), func(f *library.File) { f.Items[0].Genres, f.Items[0].Tags = []string{"Family"}, tags })
	}
	i, s, _ := newFakeLibrary(t, labelled(1, "kids"), film(2, 1, "2019-06-05 21:00:00"), labelled(3))
	i.options.Account = labelAccount{}
	p, err := i.Preview(t.Context(), rule.PlanOptions{})
	if err != nil || p.Films != 1 || p.Held["filter"] != 1 || p.Ignored["filter"] != 1 || p.Sends() != 1 || p.Plays() != 3 {
		t.Fatalf("%+v, %v", p, err)
	}
	if len(p.HeldSample) != 2 || p.HeldSample[1].Steps[0].Code != "ignored" || p.HeldSample[0].Steps[0].Code != "held" {
		t.Errorf("%+v", p.HeldSample)
	}
	if _, err = i.Import(t.Context(), rule.PlanOptions{}); err != nil || len(s.viewings()) != 3 {
		t.Errorf("%d submitted, %v", len(s.viewings()), err)
	}
}
