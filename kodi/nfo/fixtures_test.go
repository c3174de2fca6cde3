package nfo

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/kodi/snapshot"
)

// exported is what a real Kodi has exported of one library: Kodi 20.1 to a tree
// of files and to one file, Kodi 21.2 to one file later.
func exported(name string) string { return filepath.Join("testdata", "exported", name) }

// plays lists what a snapshot says was watched, by item.
func plays(snap snapshot.Snapshot) map[string]string {
	all := map[string]string{}
	for _, f := range snap.Files {
		for _, i := range f.Items {
			path, _, _ := strings.Cut(f.Path, ".nfo/") // a part of an NFO file
			name := filepath.Base(strings.TrimSuffix(strings.TrimSuffix(path, ".nfo"), filepath.Ext(path)))
			m := i.Media
			all[fmt.Sprintf("%s: %s", name, m.Label())] = fmt.Sprintf("%s %v %d %q %s", m.Key(), m.IDs, f.PlayCount, f.LastPlayed, f.Duration)
		}
	}
	return all
}

// One library, exported by a real Kodi both ways, says the same in both.
func TestBothExportsAgree(t *testing.T) {
	tree, _ := read(t, New(exported("files")))
	single, _ := read(t, New(exported("kodi20.xml")))
	if diff := cmp.Diff(plays(tree), plays(single)); diff != "" || len(plays(tree)) < 15 {
		t.Errorf("%d items; NFO files (-), videodb.xml (+):\n%s", len(plays(tree)), diff)
	}
	if tree.Remark != "" || single.Remark != "" {
		t.Errorf("remarks %q, %q", tree.Remark, single.Remark)
	}
}

// A newer Kodi's export holds what the older one's does, and its later plays.
func TestExportOfKodi21(t *testing.T) {
	snap, _ := read(t, New(exported("kodi21.xml")))
	old, _ := read(t, New(exported("kodi20.xml")))
	if len(plays(snap)) < len(plays(old)) {
		t.Errorf("%d items, the older one has %d", len(plays(snap)), len(plays(old)))
	}
}
