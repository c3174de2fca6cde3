package nfo

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// mortal is a context that ends after it was asked so many times.
type mortal struct {
	context.Context
	left atomic.Int64
}

func (m *mortal) Err() error {
	if m.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// A reading that is cut off, wherever that happens, is none.
func TestReadingIsWholeOrNothing(t *testing.T) {
	root := t.TempDir()
	put(t, root, "a/a.nfo", plain)
	put(t, root, "b/b.nfo", strings.ReplaceAll(plain, "603", "604"))
	put(t, root, "c/videodb.xml", "<videodb><movie><title>C</title><filenameandpath>/c.mkv</filenameandpath></movie></videodb>")
	whole := 0
	for n := range int64(40) {
		ctx := &mortal{Context: t.Context()}
		ctx.left.Store(n)
		snap, _, err := New(root).Read(ctx)
		switch {
		case err == nil && len(snap.Files) == 3:
			whole++
		case err == nil || !errors.Is(err, context.Canceled):
			t.Errorf("cut off after %d questions: %d files, %v", n, len(snap.Files), err)
		}
	}
	if whole == 0 {
		t.Error("no reading came to its end")
	}
}

// A folder that cannot be read is judged by why, and by where it lies.
func TestClosedFolder(t *testing.T) {
	at := func(parts ...string) string { return filepath.Join(parts...) }
	broken := errors.New("input/output error")
	old := map[string]*folder{at("r", "a"): {}, at("r", "a", "b"): {}, at("r", "ab"): {}, at("r"): {}}
	for _, c := range []struct {
		name   string
		err    error
		depth  int
		want   error
		remain []string
	}{
		{"the place is gone", fs.ErrNotExist, 0, ErrNotFound, nil},
		{"the place is forbidden", fs.ErrPermission, 0, ErrPermission, nil},
		{"the place is out of order", broken, 0, broken, nil},
		{"a folder is gone", fs.ErrNotExist, 1, nil, nil},
		{"a folder is forbidden", fs.ErrPermission, 1, nil, []string{at("r", "a"), at("r", "a", "b")}},
		{"a folder is out of order", broken, 1, broken, nil},
	} {
		w := walk{old: old, found: map[string]*folder{}}
		err := w.closed(at("r", "a"), &fs.PathError{Op: "open", Err: c.err}, c.depth)
		if !errors.Is(err, c.want) || !slices.Equal(slices.Sorted(maps.Keys(w.found)), c.remain) {
			t.Errorf("%s: %v, %q remain", c.name, err, slices.Sorted(maps.Keys(w.found)))
		}
		if c.want == broken && (errors.Is(err, ErrNotFound) || errors.Is(err, ErrPermission)) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// entryOf is a file as its folder shows it.
func entryOf(t *testing.T, file string) fs.DirEntry {
	t.Helper()
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	return fs.FileInfoToDirEntry(info)
}

// A change is believed to show the next one two seconds after it.
func TestChangeSettlesForTwoSeconds(t *testing.T) {
	at := time.Now().Add(-time.Hour).Truncate(time.Second)
	file := putAt(t, t.TempDir(), "a.nfo", plain, at)
	for after, again := range map[time.Duration]bool{1999 * time.Millisecond: true, 2 * time.Second: false} {
		w := walk{now: at.Add(after), jobs: make(chan *note, 2)}
		first, err := w.note(filepath.Dir(file), entryOf(t, file), nil)
		if err != nil || !w.changed {
			t.Fatal(err, w.changed)
		}
		w.changed = false
		second, err := w.note(filepath.Dir(file), entryOf(t, file), first)
		if err != nil || w.changed || (first != second) != again {
			t.Errorf("%s after the change: read again %v, changed %v, %v", after, first != second, w.changed, err)
		}
	}
}

func TestMillionthFileIsTheLast(t *testing.T) {
	file := put(t, t.TempDir(), "a.nfo", plain)
	w := walk{files: 999_999, jobs: make(chan *note, 2)}
	if _, err := w.note(filepath.Dir(file), entryOf(t, file), nil); err != nil {
		t.Errorf("the millionth: %v", err)
	}
	if _, err := w.note(filepath.Dir(file), entryOf(t, file), nil); !errors.Is(err, ErrTooMany) {
		t.Errorf("one more: %v", err)
	}
}

// A file of 1 MiB is read to its end; a longer one is not read.
func TestLargestFile(t *testing.T) {
	root := t.TempDir()
	room := 1<<20 - len(plain)
	put(t, root, "a.nfo", strings.Repeat("\n", room)+plain)
	put(t, root, "b.nfo", strings.Repeat("\n", room+1)+plain)
	snap, _ := read(t, New(root))
	if len(snap.Files) != 1 || filepath.Base(snap.Files[0].Path) != "a.nfo" || snap.Remark != "some NFO files give less than they could: 1 larger than 1 MiB" {
		t.Errorf("%q, remark %q", says(root, snap), snap.Remark)
	}
}

// A file that comes or goes is a change, also where its folder stays.
func TestFileComesAndGoes(t *testing.T) {
	root := t.TempDir()
	put(t, root, "a.nfo", plain)
	r := New(root)
	read(t, r)
	gone := put(t, root, "b.nfo", strings.ReplaceAll(plain, "603", "604"))
	if snap, tree := read(t, r); !tree.Changed || len(snap.Files) != 2 {
		t.Errorf("it came: changed %v, %d files", tree.Changed, len(snap.Files))
	}
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	if snap, tree := read(t, r); !tree.Changed || len(snap.Files) != 1 {
		t.Errorf("it went: changed %v, %d files", tree.Changed, len(snap.Files))
	}
	if _, tree := read(t, r); tree.Changed {
		t.Error("nothing happened, and a change is told")
	}
}

// An empty folder that comes or goes is a change: watches have to follow.
func TestEmptyFolderComesAndGoes(t *testing.T) {
	root := t.TempDir()
	r := New(root)
	if _, tree := read(t, r); !tree.Changed {
		t.Error("the first reading is no change")
	}
	put(t, root, "x/readme.txt", "")
	if _, tree := read(t, r); !tree.Changed || len(tree.Folders) != 2 {
		t.Errorf("it came: %+v", tree)
	}
	if err := os.RemoveAll(filepath.Join(root, "x")); err != nil {
		t.Fatal(err)
	}
	if _, tree := read(t, r); !tree.Changed || len(tree.Folders) != 1 {
		t.Errorf("it went: %+v", tree)
	}
}

func TestFoldersThatAreSkipped(t *testing.T) {
	root := t.TempDir()
	names := []string{"extrafanart", "ExtraThumbs", "@eaDir", "#recycle", "$RECYCLE.BIN", "lost+found", "System Volume Information", ".hidden"}
	for _, name := range append(names, "extras") {
		put(t, root, name+"/a.nfo", plain)
	}
	if snap, _ := read(t, New(root)); len(snap.Files) != 1 || filepath.Base(filepath.Dir(snap.Files[0].Path)) != "extras" {
		t.Errorf("%q", says(root, snap))
	}
}

// Of several exports the newest counts; of two of one moment, the one whose
// folder has the later name.
func TestNewestExport(t *testing.T) {
	film := func(name string) string {
		return "<videodb><movie><title>" + name + "</title><filenameandpath>/" + name + ".mkv</filenameandpath></movie></videodb>"
	}
	moment := time.Now().Add(-time.Hour)
	for name, times := range map[string][3]time.Duration{"B": {0, 1, 0}, "A": {2, 1, 0}, "C": {0, 0, 0}} {
		root := t.TempDir()
		for n, folder := range []string{"A", "B", "C"} {
			putAt(t, root, folder+"/VideoDB.xml", film(folder), moment.Add(times[n]*time.Minute))
		}
		if snap, _ := read(t, New(root)); len(snap.Files) != 1 || snap.Files[0].Path != "/"+name+".mkv" {
			t.Errorf("want %s: %q", name, says(root, snap))
		}
	}
}

// An export is read again when its place, time or size is another, and goes
// with its file.
func TestExportIsReadAgain(t *testing.T) {
	film := func(name string) string {
		return "<videodb><movie><title>" + name + "</title><filenameandpath>/x.mkv</filenameandpath></movie></videodb>"
	}
	at := time.Now().Add(-time.Hour)
	root := t.TempDir()
	r := New(root)
	step := func(name string, changed bool, want ...string) {
		t.Helper()
		snap, tree := read(t, r)
		var got []string
		for _, f := range snap.Files {
			got = append(got, f.Items[0].Media.Title)
		}
		if tree.Changed != changed || !slices.Equal(got, want) {
			t.Errorf("%s: changed %v, %q, want %q", name, tree.Changed, got, want)
		}
	}
	step("none", true)
	step("still none", false)
	putAt(t, root, "videodb.xml", film("A"), at)
	step("it came", true, "A")
	step("nothing happened", false, "A")
	putAt(t, root, "videodb.xml", film("B"), at)
	step("the same time and size", false, "A")
	putAt(t, root, "videodb.xml", film("B"), at.Add(time.Second))
	step("another time", true, "B")
	putAt(t, root, "videodb.xml", film("CC"), at.Add(time.Second))
	step("another size", true, "CC")
	putAt(t, root, "videodb.xml", film("DD"), time.Now().Add(time.Hour))
	step("a time to come", true, "DD")
	putAt(t, root, "videodb.xml", film("EE"), time.Now().Add(time.Hour))
	step("a time to come again", true, "EE")
	if err := os.Remove(filepath.Join(root, "videodb.xml")); err != nil {
		t.Fatal(err)
	}
	step("it went", true)
	putAt(t, root, "x/videodb.xml", film("F"), at)
	step("a folder with one", true, "F")
	if err := os.Rename(filepath.Join(root, "x"), filepath.Join(root, "y")); err != nil {
		t.Fatal(err)
	}
	putAt(t, root, "y/videodb.xml", film("G"), at)
	step("another folder", true, "G")
}

// One NFO file is no place: its folder is.
func TestOneNFOFileIsNoPlace(t *testing.T) {
	file := put(t, t.TempDir(), "Film.NFO", plain)
	if _, _, err := New(file).Read(t.Context()); !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), "give the folder of Film.NFO") {
		t.Errorf("%v", err)
	}
}

// What was never known does not come back by itself, and is not waited for.
func TestUnknownUnreadableFileIsNotWaitedFor(t *testing.T) {
	fresh := note{path: filepath.Join(t.TempDir(), "gone.nfo")}
	fresh.read(&bytes.Buffer{}, time.Now())
	if fresh.passing || fresh.trouble != unreadable {
		t.Errorf("%+v", fresh)
	}
}

// A torn file is believed to be broken 30 seconds after its change.
func TestTornFileIsBelievedAfterThirtySeconds(t *testing.T) {
	torn := strings.TrimSuffix(plain, "</movie>")
	at := time.Now().Add(-time.Hour).Truncate(time.Second)
	file := putAt(t, t.TempDir(), "a.nfo", torn, at)
	for after, waits := range map[time.Duration]bool{29999 * time.Millisecond: true, 30 * time.Second: false} {
		n := note{path: file, changed: at.UnixNano(), before: []item{{path: "before"}}}
		n.read(&bytes.Buffer{}, at.Add(after))
		if n.passing != waits || n.trouble != broken || !n.torn {
			t.Errorf("%s after the change: %+v", after, n)
		}
	}
	if halfWritten != 30*time.Second {
		t.Errorf("it is looked at again after %s", halfWritten)
	}
}

func TestFileLargerThanFourGiBIsNoExport(t *testing.T) {
	file := put(t, t.TempDir(), "videodb.xml", "<videodb></videodb>")
	r := New(file)
	if _, err := r.readExport(t.Context(), candidate{path: file, size: 4 << 30}); err != nil {
		t.Errorf("of 4 GiB: %v", err)
	}
	if _, err := r.readExport(t.Context(), candidate{path: file, size: 4<<30 + 1}); !errors.Is(err, ErrTooMany) {
		t.Errorf("larger: %v", err)
	}
	if _, err := r.readExport(t.Context(), candidate{path: file + ".gone"}); !errors.Is(err, ErrNotFound) {
		t.Errorf("it vanished: %v", err)
	}
}
