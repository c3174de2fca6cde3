package kodi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/kodi/kodisim"
	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/kodi/rule"
	"github.com/filmspool/filmspool/queue/viewing"
)

// tagFixture is a library file with tags, read on demand.
type tagFixture struct {
	t    *testing.T
	sim  *kodisim.Sim
	sink *sink
	o    Options
	i    *Importer
}

func newTagFixture(t *testing.T) *tagFixture {
	t.Helper()
	dir := t.TempDir()
	h := &tagFixture{t: t, sim: kodisim.Create(dir, 131), sink: newSink()}
	t.Cleanup(func() { must(t, h.sim.Close()) })
	h.o = Options{Userdata: dir, Access: openAccess{}, Zone: time.UTC, Sink: h.sink, Account: account{}, Logger: slog.New(slog.DiscardHandler), Tags: []rule.Target{{Tag: "watchlist"}}}
	h.restart()
	return h
}

// restart creates a new importer with the stored state.
func (h *tagFixture) restart() { h.i = New(h.o) }

func (h *tagFixture) film(title string, ids viewing.IDs) kodisim.Ref {
	h.t.Helper()
	return h.sim.AddFilm(kodisim.Film{Title: title, IDs: ids, Path: "/media/films/" + title + ".mkv"})
}

// read reads the library and returns the committed events as lines.
func (h *tagFixture) read() string {
	h.t.Helper()
	before := len(h.sink.batches)
	must(h.t, h.i.refresh(h.t.Context()))
	var b strings.Builder
	for _, batch := range h.sink.batches[before:] {
		for _, v := range batch.Events {
			must(h.t, v.Validate())
			fmt.Fprint(&b, v.Kind)
			if v.List != nil {
				fmt.Fprint(&b, " ", v.List.Name)
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
			to := "dropped"
			if !a.Drop {
				to = fmt.Sprint("to ", a.Media[0].IDs.TMDB)
			}
			fmt.Fprintf(&b, "amended %s %s: %s\n", h.label(a.EventID), to, a.Reason)
		}
	}
	return b.String()
}

// label returns the label of the item in an event.
func (h *tagFixture) label(id string) string {
	for _, batch := range h.sink.batches {
		for _, v := range batch.Events {
			if v.EventID == id && len(v.Media) > 0 {
				return v.Media[0].Label()
			}
		}
	}
	return "unknown"
}

func (h *tagFixture) expect(what, want string) {
	h.t.Helper()
	if diff := cmp.Diff(want, h.read()); diff != "" {
		h.t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// TestWatchlistTag: a tagged item is added to the watchlist once.
func TestWatchlistTag(t *testing.T) {
	h := newTagFixture(t)
	alpha, beta := h.film("Alpha", viewing.IDs{TMDB: 1}), h.film("Beta", viewing.IDs{})
	h.sim.Tag("Watchlist", alpha, beta, h.sim.AddShow("Red", "", viewing.IDs{TMDB: 1396}))
	h.expect("first contact", "watchlist movie Alpha\nwatchlist movie Beta\nwatchlist tv Red\n")
	h.restart()
	h.expect("after a restart", "")
	h.sim.Do(`delete from tag_link where media_id = ? and media_type = 'movie'`, alpha.ID)
	h.expect("a tag that is taken away", "")
	h.sim.Tag("watchlist", alpha)
	h.expect("and given again", "")
	h.sim.Tag("watchlist", h.film("Copy of Alpha", viewing.IDs{TMDB: 1}))
	h.expect("a copy of the same film", "")
	h.o.Tags = nil
	h.restart()
	h.sim.Tag("watchlist", h.film("Gamma", viewing.IDs{TMDB: 3}))
	h.expect("without the setting", "")
}

// TestListTag: tagged items are added to the list, which is created once for all libraries of a scope.
func TestListTag(t *testing.T) {
	h := newTagFixture(t)
	h.o.Tags = append(h.o.Tags, rule.Target{Tag: "rainy", List: "Rainy days"}, rule.Target{Tag: "Watchlist", List: "All"})
	h.restart()
	alpha, beta := h.film("Alpha", viewing.IDs{TMDB: 1}), h.film("Beta", viewing.IDs{TMDB: 2})
	h.sim.Tag("watchlist", alpha)
	h.sim.Tag("Rainy", alpha)
	h.sim.Tag("watchlist", beta)
	h.expect("first contact", "watchlist movie Alpha\nlist All\nlist_item movie Alpha\nlist Rainy days\nlist_item movie Alpha\nwatchlist movie Beta\nlist_item movie Beta\n")
	h.sim.Tag("rainy", beta)
	h.restart()
	h.expect("another one", "list_item movie Beta\n")
	ids := map[string]string{}
	for _, batch := range h.sink.batches {
		for _, v := range batch.Events {
			if v.List != nil {
				ids[v.EventID] = v.List.Name
			} else if v.Kind == viewing.KindListItem && ids[v.InList] == "" {
				t.Errorf("%s is added to a list that does not exist", v.Media[0].Label())
			}
		}
	}
	other, _ := rule.AddTagged(rule.NewMemory("other"), []rule.Target{{List: "All"}}, []library.Tagged{{Path: "/x"}}, 9)
	if list := other[0].Viewings[0]; ids[list.EventID] != "All" {
		t.Errorf("another library creates the list again: %+v", list)
	}
}

// TestTaggedItemGetsLaterIdentifier: a film that gets an identifier keeps its entry. A film with a
// corrected identifier is added again, and the wrong entry is withdrawn.
func TestTaggedItemGetsLaterIdentifier(t *testing.T) {
	h := newTagFixture(t)
	for title, ids := range map[string]viewing.IDs{"Bare": {}, "Wrong": {TMDB: 6}} {
		h.sim.Tag("watchlist", h.film(title, ids))
	}
	h.read()
	renamed := func(title, path string, id int64) library.Tagged {
		return library.Tagged{Tag: "watchlist", Media: viewing.Media{Type: viewing.Movie, Title: title, IDs: viewing.IDs{TMDB: id}}, Path: path}
	}
	other := taggedReader{h.i.library, []library.Tagged{renamed("Found", "/media/films/Bare.mkv", 5), renamed("Right", "/media/films/Wrong.mkv", 7)}, nil}
	h.i.library = other
	h.expect("other names", "amended Bare to 5: note.calls title=Found\namended Wrong dropped: note.calls title=Right\nwatchlist movie Right\n")
	h.restart()
	h.i.library = other
	h.expect("after a restart", "")
}

// taggedReader replaces the tagged items of a library.
type taggedReader struct {
	reader
	items []library.Tagged
	err   error
}

func (l taggedReader) ReadTagged(context.Context, []string) ([]library.Tagged, error) {
	return l.items, l.err
}

func TestManyTaggedItemsHaveImportClass(t *testing.T) {
	h := newTagFixture(t)
	for n := range 11 {
		h.sim.Tag("watchlist", h.film(fmt.Sprint("Film ", n), viewing.IDs{TMDB: int64(n + 1)}))
	}
	if got := h.read(); strings.Count(got, " as import\n") != 11 {
		t.Errorf("first contact:\n%s", got)
	}
	h.sim.Tag("watchlist", h.film("One more", viewing.IDs{TMDB: 99}))
	h.expect("one more", "watchlist movie One more\n")
}

// TestTaggedItemsSurviveFailedCommit: the commit fails before or after the batch is stored, and the item is added once.
func TestTaggedItemsSurviveFailedCommit(t *testing.T) {
	for _, late := range []bool{false, true} {
		h := newTagFixture(t)
		h.expect("first contact", "")
		h.sim.Tag("watchlist", h.film("Alpha", viewing.IDs{TMDB: 1}))
		snap, v, err := h.i.readAndDecide(t.Context(), false)
		must(t, err)
		must(t, h.i.apply(t.Context(), snap, v))
		h.sink.fail, h.sink.failAfterCommit = errors.New("no room"), late
		if err := h.i.addTagged(t.Context()); !errors.Is(err, errStorage) {
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

// TestLibraryWithoutTags: without tag tables the status says so, and reads still work.
func TestLibraryWithoutTags(t *testing.T) {
	h := newTagFixture(t)
	h.i.library = taggedReader{h.i.library, nil, library.ErrUnsupported}
	h.expect("without tags", "")
	if s := h.i.Status(); s.State != StateOK || s.Watchlist.Code != "noTags" {
		t.Errorf("%+v", s)
	}
	h.i.library = taggedReader{h.i.library, nil, library.ErrBusy}
	if err := h.i.refresh(t.Context()); !errors.Is(err, library.ErrBusy) {
		t.Errorf("a busy library: %v", err)
	}
}
