package nfo

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// played is an episode with a count and a time.
func played(season, number, id int, count, at string) string {
	text := strings.Replace(episode(season, number, id), "<playcount>1", "<playcount>"+count, 1)
	return strings.Replace(text, "2026-11-02", at, 1)
}

// Of an NFO of two episodes each has its own count: what is said of one is not
// said of the other. A part is named the same whatever its place in the file.
func TestEachEpisodeHasItsOwnCount(t *testing.T) {
	one, two := played(1, 3, 62087, "1", "2026-11-02"), played(1, 4, 62088, "0", "")
	for name, text := range map[string]string{
		"in order":  one + two,
		"reversed":  two + "\n" + one,
		"in frames": "<xbmcmultiepisode>\n" + one + two + "</xbmcmultiepisode>",
	} {
		root := t.TempDir()
		put(t, root, "d.nfo", text)
		snap, _ := read(t, New(root))
		want := map[string]bool{
			`d.nfo/S01E03 1 "2026-11-02" show  RED S01E03 episode:62087`: true,
			`d.nfo/S01E04 0 "" show  RED S01E04 episode:62088`:           true,
		}
		got := map[string]bool{}
		for _, line := range says(root, snap) {
			got[line] = true
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", name, diff)
		}
		if len(snap.Files) == 2 && snap.Files[0].ID == snap.Files[1].ID {
			t.Errorf("%s: one number for both parts", name)
		}
	}
}

// What cannot be told apart stays one file: the same episode twice, and what has
// no place.
func TestPartsWithoutAPlaceStayTogether(t *testing.T) {
	root := t.TempDir()
	placeless := strings.NewReplacer("<season>1</season>", "", "<episode>5</episode>", "").Replace(episode(1, 5, 62089))
	put(t, root, "twice.nfo", episode(1, 1, 62085)+episode(1, 1, 62085))
	put(t, root, "odd.nfo", placeless+strings.Replace(placeless, "62089", "62090", 1))
	put(t, root, "films.nfo", plain+strings.ReplaceAll(plain, "603", "604"))
	snap, _ := read(t, New(root))
	for _, f := range snap.Files {
		if len(f.Items) != 2 {
			t.Errorf("%s has %d items", f.Path, len(f.Items))
		}
	}
	if len(snap.Files) != 3 {
		t.Errorf("%q", says(root, snap))
	}
}

// The frame holds episodes alone, and only as the outermost element.
func TestFrameOfEpisodes(t *testing.T) {
	for text, want := range map[string]int{
		"<xbmcmultiepisode>" + episode(1, 1, 1) + "</xbmcmultiepisode>":                      1,
		"<xbmcmultiepisode></xbmcmultiepisode>":                                              0,
		"<xbmcmultiepisode>" + plain + "</xbmcmultiepisode>":                                 0,
		"<other>" + episode(1, 1, 1) + "</other>":                                            0,
		"<a><xbmcmultiepisode>" + episode(1, 1, 1) + "</xbmcmultiepisode></a>":               0,
		"<xbmcmultiepisode><a>" + episode(1, 1, 1) + "</a></xbmcmultiepisode>":               0,
		episode(1, 1, 1) + "<xbmcmultiepisode>" + episode(1, 2, 2) + "</xbmcmultiepisode>":   2,
		"<xbmcmultiepisode>" + strings.Repeat(episode(1, 1, 1), 51) + "</xbmcmultiepisode>":  0,
		"<xbmcmultiepisode>" + strings.Repeat(episode(1, 1, 1), 50) + "</xbmcmultiepisode >": 50,
	} {
		if items, _ := parse([]byte(text)); len(items) != want {
			t.Errorf("%.80s: %d items, want %d", text, len(items), want)
		}
	}
}

// A fault is named with its line.
func TestFaultsNameTheirLine(t *testing.T) {
	head, tail := "<movie>\n  <playcount>1</playcount>\n", "\n</movie>\n"
	for text, want := range map[string]string{
		head + "<title>Tom & Jerry</title>" + tail:                                 "line 3: an & is not written as &amp;",
		head + "<title>\n\nTom\n& Jerry</title>" + tail:                            "line 6: an & is not written as &amp;",
		head + "<thumb\nurl=\"a?b&c\"/>" + tail:                                    "line 4: an & is not written as &amp;",
		head + "<title>A ]]> b</title>" + tail:                                     "line 3: a text holds ]]>",
		head + "<title>A < b</title>" + tail:                                       "line 3: a < is not written as &lt;",
		head + "<title>A</tilte>" + tail:                                           "line 3: an end tag has no beginning",
		head + "<title>A" + tail:                                                   "line 4: a tag is not closed",
		head + "<title>A</title>\n<plot>\n":                                        "line 5: it ends before its last tag is closed",
		head + "<!-- a -- b -->" + tail:                                            "line 3: a comment holds two dashes",
		head + "<thumb url=x/>" + tail:                                             "line 3: an attribute is not written as name=\"value\"",
		"<movie><playcount>1</playcount>" + strings.Repeat("\r\n", 4) + "&" + tail: "line 5: an & is not written as &amp;",
		"<!DOCTYPE movie [\n<!ENTITY a \"b\">]>\n<movie/>":                         "line 1: it has a document type with definitions",
		head + strings.Repeat("<a>\n", 300) + tail:                                 "line 258: it is nested too deep",
	} {
		if _, fault := parse([]byte(text)); fault != want {
			t.Errorf("%q: %q, want %q", text[:min(len(text), 60)], fault, want)
		}
		for n := range text { // where a stream is cut does not matter
			_, err := parseExport(io.MultiReader(strings.NewReader(text[:n]), strings.NewReader(text[n:])))
			if err == nil || !strings.HasSuffix(err.Error(), ": "+want) {
				t.Errorf("%q, cut after %d bytes: %v, want %q", text[:min(len(text), 60)], n, err, want)
			}
		}
	}
	long := strings.Repeat("\n", 1<<20) + "<movie><title>\n\na & b</title></movie>"
	if _, err := parseExport(strings.NewReader("<videodb>" + long + "</videodb>")); err == nil || !strings.HasSuffix(err.Error(), "line 1048579: an & is not written as &amp;") {
		t.Errorf("of a stream: %v", err)
	}
}
