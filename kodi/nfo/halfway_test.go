package nfo

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// A file that is being written tells what it told before, until it is whole; it
// is looked at again soon, for nobody may tell of its end.
func TestHalfWrittenFileTellsWhatItToldBefore(t *testing.T) {
	played := strings.Replace(plain, "<playcount>1", "<playcount>2", 1)
	for name, half := range map[string]string{
		"empty":               "",
		"in a tag":            played[:12],
		"after its count":     played[:strings.Index(played, "<uniqueid")],
		"before its last tag": strings.TrimSuffix(played, "</movie>"),
		"within its last tag": strings.TrimSuffix(played, "vie>"),
	} {
		root := t.TempDir()
		put(t, root, "a.nfo", plain)
		r := New(root)
		before, tree := read(t, r)
		if tree.Again != 0 {
			t.Errorf("%s: looks again without a reason", name)
		}
		putAt(t, root, "a.nfo", half, time.Now())
		snap, tree := read(t, r)
		if got, want := says(root, snap), says(root, before); len(got) != 1 || got[0] != want[0] || tree.Again != halfWritten {
			t.Errorf("%s: %q, again after %s", name, got, tree.Again)
		}
		putAt(t, root, "a.nfo", played, time.Now())
		snap, tree = read(t, r)
		if got := says(root, snap); len(got) != 1 || !strings.Contains(got[0], `a.nfo 2 "2026-11-20" Alpha One movie:603`) || tree.Again != 0 {
			t.Errorf("%s, then whole: %q, again after %s", name, got, tree.Again)
		}
	}
}

// What stays broken is believed to be: after a while, and at once where the file
// has its end.
func TestBrokenFileIsBelieved(t *testing.T) {
	torn := strings.TrimSuffix(plain, "</movie>")
	for name, c := range map[string]struct {
		text string
		at   time.Time
	}{
		"torn long ago":  {torn, time.Now().Add(-halfWritten - time.Second)},
		"with its end":   {strings.Replace(plain, "</title>", "", 1), time.Now()},
		"as UTF-16":      {string(wide(strings.Replace(plain, "</title>", "", 1), true, false)), time.Now()},
		"empty long ago": {"", time.Now().Add(-time.Hour)},
	} {
		root := t.TempDir()
		put(t, root, "a.nfo", plain)
		r := New(root)
		read(t, r)
		putAt(t, root, "a.nfo", c.text+" ", c.at)
		snap, tree := read(t, r)
		for _, f := range snap.Files {
			if f.Items[0].Media.Identified() {
				t.Errorf("%s: %q", name, says(root, snap))
			}
		}
		if tree.Again != 0 || c.text != "" && !strings.Contains(snap.Remark, "1 broken, so their identifiers are not used (the first: a.nfo: line 1: ") {
			t.Errorf("%s: again after %s, remark %q", name, tree.Again, snap.Remark)
		}
	}
}

// A file that cannot be read for a moment did not go away, and is tried again.
func TestUnreadableFileIsTriedAgain(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone.nfo")
	known := note{path: gone, changed: time.Now().Add(-time.Hour).UnixNano(), before: []item{{path: "x"}}}
	known.read(&bytes.Buffer{}, time.Now())
	if known.trouble != unreadable || !known.fresh || len(known.items) != 1 || known.before != nil {
		t.Errorf("known before: %+v", known)
	}
	fresh := note{path: gone}
	fresh.read(&bytes.Buffer{}, time.Now())
	if fresh.trouble != unreadable || !fresh.fresh || len(fresh.items) != 0 {
		t.Errorf("not known before: %+v", fresh)
	}
}

// A folder that lies too deep is passed over, and told; the place is read.
func TestDeepFolderIsPassedOver(t *testing.T) {
	root := t.TempDir()
	put(t, root, "a/a.nfo", plain)
	put(t, root, strings.Repeat("d/", maxDeep)+"b.nfo", strings.ReplaceAll(plain, "603", "604"))
	r := New(root)
	if snap, _ := read(t, r); len(snap.Files) != 2 || snap.Remark != "" {
		t.Errorf("at the bound: %d files, remark %q", len(snap.Files), snap.Remark)
	}
	put(t, root, strings.Repeat("d/", maxDeep+1)+"c.nfo", strings.ReplaceAll(plain, "603", "605"))
	snap, _ := read(t, r)
	if len(snap.Files) != 2 || snap.Remark != fmt.Sprintf("1 folders lie more than %d deep and are not looked at", maxDeep) {
		t.Errorf("below it: %d files, remark %q", len(snap.Files), snap.Remark)
	}
}

// movie.nfo beside the NFO of the same film, known by one identifier alone, is
// the same media file.
func TestMovieNFOBesideOneIsTheSame(t *testing.T) {
	only := func(namespace, id string) string {
		return fmt.Sprintf(`<movie><title>T %s</title><playcount>1</playcount><uniqueid type=%q>%s</uniqueid></movie>`, namespace, namespace, id)
	}
	bare := `<movie><title>Bare</title><year>%d</year><playcount>1</playcount></movie>`
	for name, c := range map[string]struct {
		one, movie string
		files      int
	}{
		"IMDb":                  {only("imdb", "tt0000001"), only("imdb", "tt0000001"), 1},
		"TMDB":                  {only("tmdb", "7"), only("tmdb", "7"), 1},
		"TVDB":                  {only("tvdb", "8"), only("tvdb", "8"), 1},
		"another IMDb":          {only("imdb", "tt0000001"), only("imdb", "tt0000002"), 2},
		"of other kinds":        {only("imdb", "tt0000001"), only("tmdb", "7"), 2},
		"title and year":        {fmt.Sprintf(bare, 1999), fmt.Sprintf(bare, 1999), 1},
		"title, another year":   {fmt.Sprintf(bare, 1999), fmt.Sprintf(bare, 2000), 2},
		"one without any":       {fmt.Sprintf(bare, 1999), only("imdb", "tt0000001"), 2},
		"the other without any": {only("imdb", "tt0000001"), fmt.Sprintf(bare, 1999), 2},
	} {
		root := t.TempDir()
		put(t, root, "f/Film.nfo", c.one)
		put(t, root, "f/movie.nfo", c.movie)
		if snap, _ := read(t, New(root)); len(snap.Files) != c.files {
			t.Errorf("%s: %d files, want %d", name, len(snap.Files), c.files)
		}
	}
}

// endless repeats a text between a head and a tail.
type endless struct {
	text string
	left int
	rest string
	peak uint64
}

func (e *endless) Read(b []byte) (int, error) {
	if e.rest == "" {
		if e.left--; e.left < 0 {
			return 0, io.EOF
		}
		if e.left%100 == 0 {
			var now runtime.MemStats
			runtime.ReadMemStats(&now)
			e.peak = max(e.peak, now.HeapInuse)
		}
		e.rest = e.text
	}
	n := copy(b, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// A million films cost no memory: they are counted before one is kept, and one
// without a path is never kept.
func TestExportOfAMillionFilms(t *testing.T) {
	const most = 64 << 20
	var idle runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&idle)
	placed := &endless{text: strings.Repeat("<movie><filenameandpath>/f.mkv</filenameandpath></movie>", 1000), left: 1001}
	if err := few(placed); !errors.Is(err, ErrTooMany) {
		t.Errorf("with paths: %v", err)
	}
	lost := &endless{text: strings.Repeat("<movie><title>x</title></movie>", 1000), left: 1001}
	items, err := parseExport(io.MultiReader(strings.NewReader("<videodb>"), lost, strings.NewReader("</videodb>")))
	if err != nil || len(items) != 0 {
		t.Errorf("without paths: %d items, %v", len(items), err)
	}
	if peak := max(placed.peak, lost.peak); peak > idle.HeapInuse+most {
		t.Errorf("%d MB more than idle", (peak-idle.HeapInuse)>>20)
	}
}
