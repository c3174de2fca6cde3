package nfo_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/kodi/nfo"
)

// describe returns a result as lines.
func describe(r nfo.Result) string {
	var b strings.Builder
	for _, f := range r.Files {
		fmt.Fprintf(&b, "%s | %d %s | %v", filepath.Base(f.Path), f.PlayCount, f.LastPlayed, f.Duration)
		for _, i := range f.Items {
			fmt.Fprintf(&b, " | %s %d %s %s", i.Media.Label(), i.Media.IDs.TMDB, i.Media.IDs.IMDB, i.Media.Key())
		}
		b.WriteByte('\n')
	}
	return b.String() + fmt.Sprintf("undated %d, unreadable %d\n", r.Undated, r.Unreadable)
}

func expect(t *testing.T, path, want string) {
	t.Helper()
	r, err := nfo.Read(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, describe(r)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// TestReadFolder reads an export of a real Kodi 20.1 and files made by hand: another encoding, a URL after
// the XML, an episode without a series, and unreadable files.
func TestReadFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/export")); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"Öl.nfo":     "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><movie><title>\xd6l</title><playcount>1</playcount><lastplayed>2020-01-02 20:00:00</lastplayed></movie>",
		"tail.nfo":   `<movie><title>Tail</title><playcount>2</playcount><lastplayed>2020-01-03</lastplayed><uniqueid type="imdb">tt0133093</uniqueid></movie>` + "\nhttps://films.example/?a=1&b=2",
		"alone.nfo":  `<episodedetails><showtitle>Alone</showtitle><season>1</season><episode>2</episode><playcount>1</playcount><lastplayed>2020-01-04T23:00:00Z</lastplayed></episodedetails>`,
		"never.nfo":  `<movie><title>Never</title><playcount>0</playcount></movie>`,
		"when.nfo":   `<movie><title>When</title><playcount>1</playcount></movie>`,
		"word.nfo":   "https://films.example/603",
		"cut.nfo":    `<movie><title>Cut</title><playcount>1</playcount><lastplayed>2020-01-05</lastplayed>`,
		"bomb.nfo":   strings.Repeat("<a>", 100_000),
		"long.nfo":   "<movie><title>" + strings.Repeat("x", 17<<20) + "</title></movie>",
		"entity.nfo": `<!DOCTYPE movie [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><movie><title>&b;</title><playcount>1</playcount><lastplayed>2020-01-06</lastplayed></movie>`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(dir, "tail.nfo"), filepath.Join(dir, "link.nfo")); err != nil {
		t.Log("no links here:", err)
	}
	expect(t, dir, `entity | 1 2020-01-06 00:00:00 | 0s | &b; 0  
Alpha One (1999) | 3 2026-11-21 00:00:00 | 4m0s | Alpha One (1999) 603 tt0133093 movie:603
tail | 2 2020-01-03 00:00:00 | 0s | Tail 0 tt0133093 
Öl | 1 2020-01-02 20:00:00 | 0s | Öl 0  
alone | 1 2020-01-04 00:00:00 | 0s | Alone S01E02 0  
Show Red S01E01 | 2 2026-07-15 00:00:00 | 4m0s | Show Red S01E01 62085  episode:1396:1:1
Show Red S01E04E05 | 1 2026-11-02 00:00:00 | 1m0s | Show Red S01E04 62088  episode:1396:1:4 | Show Red S01E05 62089  episode:1396:1:5
undated 1, unreadable 4
`)
}

// TestReadExport reads a videodb.xml as Kodi 20.1 exports it.
func TestReadExport(t *testing.T) {
	path := filepath.Join(t.TempDir(), "videodb.xml")
	film := func(file string) string {
		return `<movie><title>Alpha</title><playcount>1</playcount><lastplayed>2020-01-02</lastplayed><filenameandpath>` + file + `</filenameandpath></movie>`
	}
	episode := func(n int) string {
		return fmt.Sprintf(`<episodedetails><season>1</season><episode>%d</episode><playcount>1</playcount><lastplayed>2020-01-03</lastplayed>
			<filenameandpath>/tv/both.mkv</filenameandpath><uniqueid type="tmdb">1396</uniqueid></episodedetails>`, n)
	}
	text := `<videodb><version>1</version>` + film("/a.mkv") + film("") + film("") +
		`<tvshow><title>Red</title><uniqueid type="tmdb" default="true">1396</uniqueid>` + episode(1) + episode(2) + `</tvshow></videodb>`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	expect(t, path, `a.mkv | 1 2020-01-02 00:00:00 | 0s | Alpha 0  
videodb | 1 2020-01-02 00:00:00 | 0s | Alpha 0  
videodb#2 | 1 2020-01-02 00:00:00 | 0s | Alpha 0  
both.mkv | 1 2020-01-03 00:00:00 | 0s | Red S01E01 0  episode:1396:1:1 | Red S01E02 0  episode:1396:1:2
undated 0, unreadable 0
`)
}

func TestReadMissingAndEmptyFolder(t *testing.T) {
	if _, err := nfo.Read(t.Context(), filepath.Join(t.TempDir(), "none")); !errors.Is(err, nfo.ErrUnread) {
		t.Errorf("got %v", err)
	}
	expect(t, t.TempDir(), "undated 0, unreadable 0\n")
}
