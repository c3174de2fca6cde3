package nfo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/kodi/snapshot"
	"github.com/filmspool/filmspool/queue/viewing"
)

const show = `<tvshow><title>Show Red</title><premiered>2008-01-01</premiered><uniqueid type="tmdb" default="true">1396</uniqueid></tvshow>`

// episode is an episode of Show Red with an identifier of its own.
func episode(season, number, id int) string {
	return fmt.Sprintf(`<episodedetails><title>T%d</title><showtitle>show  RED</showtitle><season>%d</season><episode>%d</episode>`+
		`<playcount>1</playcount><lastplayed>2026-11-02</lastplayed><uniqueid type="tmdb">%d</uniqueid></episodedetails>`, number, season, number, id)
}

// put writes a file that changed long ago, below root.
func put(t *testing.T, root, name, text string) string {
	t.Helper()
	return putAt(t, root, name, text, time.Now().Add(-time.Hour))
}

func putAt(t *testing.T, root, name, text string, at time.Time) string {
	t.Helper()
	file := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file, at, at); err != nil {
		t.Fatal(err)
	}
	return file
}

func read(t *testing.T, r *Reader) (snapshot.Snapshot, Tree) {
	t.Helper()
	snap, tree, err := r.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return snap, tree
}

// says is a snapshot in short: a line for each file.
func says(root string, snap snapshot.Snapshot) (lines []string) {
	for _, f := range snap.Files {
		name, err := filepath.Rel(root, f.Path)
		if err != nil {
			name = f.Path
		}
		line := fmt.Sprintf("%s %d %q", filepath.ToSlash(name), f.PlayCount, f.LastPlayed)
		for _, i := range f.Items {
			line += " " + i.Media.Label() + " " + i.Media.Key()
			if i.Doubt != "" {
				line += " (" + i.Doubt + ")"
			}
		}
		lines = append(lines, line)
	}
	return lines
}

func TestTree(t *testing.T) {
	root := t.TempDir()
	put(t, root, "films/Alpha One (1999)/Alpha One (1999).nfo", plain)
	put(t, root, "films/Alpha One (1999)/movie.nfo", plain)
	put(t, root, "films/Beta/MOVIE.NFO", strings.ReplaceAll(plain, "603", "604"))
	put(t, root, "films/Broken/b.nfo", strings.Replace(plain, "</title>", "", 1))
	put(t, root, "films/.actors/x.nfo", plain)
	put(t, root, "films/readme.nfo", "ripped by nobody")
	put(t, root, "tv/Show Red/tvshow.nfo", show)
	put(t, root, "tv/Show Red/Season 01/s01e01.nfo", episode(1, 1, 1396)) // the series' identifier
	put(t, root, "tv/Show Red/Season 01/s01e05e04.nfo", episode(1, 5, 62089)+"\n"+episode(1, 4, 62088))
	put(t, root, "tv/Show Red/Other/x.nfo", strings.Replace(episode(2, 1, 9), "show  RED", "Show Blue", 1))
	put(t, root, "tv/Show Torn/tvshow.nfo", show[:len(show)-5])
	put(t, root, "tv/Show Torn/s00e01.nfo", episode(0, 1, 62090))
	put(t, root, "tv/Show Lost/tvshow.nfo", "<tvshow")
	put(t, root, "tv/Show Lost/s00e01.nfo", episode(0, 1, 62091))
	put(t, root, "tv/alone.nfo", episode(1, 1, 62085))
	r := New(root)
	snap, tree := read(t, r)
	want := []string{
		`films/Alpha One (1999)/Alpha One (1999).nfo 1 "2026-11-20" Alpha One movie:603`,
		`films/Beta/MOVIE.NFO 1 "2026-11-20" Alpha One movie:604`,
		`films/Broken/b.nfo 1 "2026-11-20" Alpha One  (Its NFO is broken (line 1: a tag is not closed), so its identifiers are not used; it seems to say tmdb 603, imdb tt0133093.)`,
		`tv/alone.nfo 1 "2026-11-02" show  RED S01E01 episode:62085`,
		`tv/Show Red/Other/x.nfo 1 "2026-11-02" Show Blue S02E01 episode:9 (Of its identifiers not all are used: it calls its series "Show Blue", but the file of the series says "Show Red".)`,
		`tv/Show Red/Season 01/s01e01.nfo 1 "2026-11-02" Show Red S01E01 episode:1396:1:1`,
		`tv/Show Red/Season 01/s01e05e04.nfo/S01E05 1 "2026-11-02" Show Red S01E05 episode:1396:1:5`,
		`tv/Show Red/Season 01/s01e05e04.nfo/S01E04 1 "2026-11-02" Show Red S01E04 episode:1396:1:4`,
		`tv/Show Torn/s00e01.nfo 1 "2026-11-02" show  RED S00E01 episode:62090 (Of its identifiers not all are used: the file of its series is broken: line 1: a tag is not closed.)`,
		`tv/Show Lost/s00e01.nfo 1 "2026-11-02" show  RED S00E01  (Of its identifiers not all are used: the file of its series is broken: line 1: a tag is not closed.)`,
	}
	byName := func(lines []string) map[string]bool {
		set := map[string]bool{}
		for _, l := range lines {
			set[l] = true
		}
		return set
	}
	if diff := cmp.Diff(byName(want), byName(says(root, snap))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !strings.Contains(snap.Remark, "3 broken") || !tree.Changed || len(tree.Folders) != 11 {
		t.Errorf("remark %q, changed %v, %d folders", snap.Remark, tree.Changed, len(tree.Folders))
	}
	if id := snap.Files[0].Items[0].KodiID; id == 0 {
		t.Error("an item without a number")
	}
}

func TestReadAgain(t *testing.T) {
	root := t.TempDir()
	file := put(t, root, "a/a.nfo", plain)
	put(t, root, "b/b.nfo", strings.ReplaceAll(plain, "603", "604"))
	r := New(root)
	first, _ := read(t, r)
	same := func(step string, changed bool, counts ...int) {
		t.Helper()
		snap, tree := read(t, r)
		var got []int
		for _, f := range snap.Files {
			got = append(got, f.PlayCount)
		}
		if tree.Changed != changed || cmp.Diff(counts, got) != "" {
			t.Errorf("%s: changed %v, counts %v, want %v, %v", step, tree.Changed, got, changed, counts)
		}
	}
	same("nothing happened", false, 1, 1)
	put(t, root, "a/a.nfo", strings.Replace(plain, "<playcount>1", "<playcount>12", 1))
	same("another size", true, 12, 1)
	putAt(t, root, "a/a.nfo", strings.Replace(plain, "<playcount>1", "<playcount>13", 1), time.Now().Add(-time.Minute))
	same("another time", true, 13, 1)
	putAt(t, root, "a/a.nfo", plain, time.Now())
	same("just now", true, 1, 1)
	if err := os.WriteFile(file, []byte(strings.Replace(plain, "<playcount>1", "<playcount>2", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	if err := os.Chtimes(file, now, now); err != nil {
		t.Fatal(err)
	}
	same("once more in the same moment", true, 2, 1)
	if err := os.RemoveAll(filepath.Join(root, "b")); err != nil {
		t.Fatal(err)
	}
	same("a folder is gone", true, 2)
	put(t, root, "c/d/e.nfo", plain)
	same("a folder has come", true, 2, 1)
	if first.Files[0].PlayCount != 1 {
		t.Error("an earlier snapshot was changed")
	}
}

// An episode takes the identifiers of its series also when only the file of
// the series changes.
func TestSeriesChanges(t *testing.T) {
	root := t.TempDir()
	put(t, root, "red/tvshow.nfo", show)
	put(t, root, "red/s1/e1.nfo", episode(1, 1, 5))
	r := New(root)
	read(t, r)
	put(t, root, "red/tvshow.nfo", strings.ReplaceAll(show, "1396", "139"))
	if snap, tree := read(t, r); !tree.Changed || snap.Files[0].Items[0].Media.Key() != "episode:139:1:1" {
		t.Errorf("%v, %q", tree.Changed, says(root, snap))
	}
}

func TestWhatCannotBeRead(t *testing.T) {
	if _, _, err := New(filepath.Join(t.TempDir(), "gone")).Read(t.Context()); !errors.Is(err, ErrNotFound) {
		t.Errorf("a missing folder: %v", err)
	}
	root := t.TempDir()
	put(t, root, "a.nfo", plain)
	put(t, root, "large.nfo", plain+strings.Repeat(" ", maxNFO))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := New(root).Read(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	snap, _ := read(t, New(root))
	if len(snap.Files) != 1 || !strings.Contains(snap.Remark, "1 larger than") {
		t.Errorf("%d files, remark %q", len(snap.Files), snap.Remark)
	}
}

// A folder that is forbidden for a while does not make its films vanish.
func TestForbidden(t *testing.T) {
	if os.Getuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("needs a user whom permissions bind")
	}
	root := t.TempDir()
	put(t, root, "a/a.nfo", plain)
	r := New(root)
	read(t, r)
	if err := os.Chmod(filepath.Join(root, "a"), 0); err != nil {
		t.Fatal(err)
	}
	snap, _ := read(t, r)
	if err := os.Chmod(filepath.Join(root, "a"), 0o755); err != nil {
		t.Fatal(err)
	}
	if len(snap.Files) != 1 {
		t.Errorf("%d files", len(snap.Files))
	}
}

func TestExport(t *testing.T) {
	text, err := os.ReadFile("testdata/videodb.xml")
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	put(t, root, "kodi_videodb_2026-11-21/videodb.xml", string(text))
	putAt(t, root, "kodi_videodb_2026-11-20/videodb.xml", "<videodb></videodb>", time.Now().Add(-24*time.Hour))
	r := New(root)
	snap, _ := read(t, r)
	want := map[string]string{
		"Alpha One (1999).mkv":   `4 "2026-11-21" Alpha One (1999) movie:603`,
		"Show Red S01E04E05.mkv": `1 "2026-11-02" Show Red S01E04 episode:1396:1:4 Show Red S01E05 episode:1396:1:5`,
	}
	for _, f := range snap.Files {
		name := f.Path[strings.LastIndex(f.Path, "/")+1:]
		w, ok := want[name]
		line := fmt.Sprintf("%d %q", f.PlayCount, f.LastPlayed)
		for _, i := range f.Items {
			line += " " + i.Media.Label() + " " + i.Media.Key()
		}
		if ok && line != w {
			t.Errorf("%s: %s, want %s", name, line, w)
		}
		delete(want, name)
	}
	if len(want) > 0 || len(snap.Files) < 15 {
		t.Errorf("%d files; missing %v", len(snap.Files), want)
	}
	if _, tree := read(t, r); tree.Changed {
		t.Error("an unchanged export was read again")
	}
	alone, tree := read(t, New(filepath.Join(root, "kodi_videodb_2026-11-21", "videodb.xml")))
	if len(alone.Files) != len(snap.Files) || len(tree.Folders) != 1 {
		t.Errorf("by its own name: %d files, %v", len(alone.Files), tree.Folders)
	}
}

// An export that Kodi has not finished changes nothing.
func TestExportIsWholeOrNothing(t *testing.T) {
	text, err := os.ReadFile("testdata/videodb.xml")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, 60, len(text) / 2, len(text) - 12} {
		if items, err := parseExport(strings.NewReader(string(text[:n]))); !errors.Is(err, ErrIncomplete) {
			t.Errorf("%d of %d bytes: %d items, %v", n, len(text), len(items), err)
		}
	}
}

// A stream comes in pieces that end anywhere, also within a character.
func TestExportInPieces(t *testing.T) {
	long := strings.Repeat("ä€🎬", 9000)
	text := "\xef\xbb\xbf<videodb><movie><title>" + strings.Repeat("é", 900) + "\xe9</title><plot>" + long + "</plot><filenameandpath>/ü.mkv</filenameandpath></movie></videodb>"
	for shift := range 8 {
		items, err := parseExport(strings.NewReader(strings.Replace(text, "<movie>", "<movie>"+strings.Repeat(" ", shift), 1)))
		if err != nil || len(items) != 1 || items[0].path != "/ü.mkv" || items[0].media.Title != strings.Repeat("é", 901) {
			t.Errorf("%d: %v, %d items", shift, err, len(items))
		}
	}
	if _, err := parseExport(strings.NewReader("<videodb><plot>" + strings.Repeat("x", 3*maxToken))); !errors.Is(err, ErrIncomplete) {
		t.Errorf("a text without end: %v", err)
	}
}

func FuzzExport(f *testing.F) {
	text, err := os.ReadFile("testdata/videodb.xml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text[:3000])
	f.Add([]byte("<videodb><tvshow><title>x</title>" + episode(1, 1, 1) + "</tvshow></videodb>"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		items, err := parseExport(strings.NewReader(string(raw)))
		if err == nil {
			e := export{items: items}
			for _, file := range e.files() {
				for _, i := range file.Items {
					if i.Media.Type != viewing.Movie && i.Media.Type != viewing.Episode {
						t.Errorf("a %s was handed over", i.Media.Type)
					}
				}
			}
		}
	})
}
