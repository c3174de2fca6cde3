package nfo

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/filmspool/filmspool/queue/viewing"
)

// pathOf is the path that an export with one film gives it.
func pathOf(t *testing.T, written string) string {
	t.Helper()
	items, err := parseExport(strings.NewReader("<videodb><movie><filenameandpath>" + written + "</filenameandpath></movie></videodb>"))
	if err != nil || len(items) != 1 {
		t.Fatalf("%d items, %v", len(items), err)
	}
	return items[0].path
}

// A value ends with the last whole character of its first 4096 bytes.
func TestLongValues(t *testing.T) {
	for written, want := range map[string]string{
		strings.Repeat("x", 4001):                         strings.Repeat("x", 4000),
		strings.Repeat("🎬", 1025):                         strings.Repeat("🎬", 1024),
		"x" + strings.Repeat("🎬", 1025):                   "x" + strings.Repeat("🎬", 1023),
		"<![CDATA[x" + strings.Repeat("🎬", 1025) + "]]>":  "x" + strings.Repeat("🎬", 1023),
		"x" + strings.Repeat("🎬", 1023) + "&amp;&amp;y":   "x" + strings.Repeat("🎬", 1023) + "&&y",
		strings.Repeat("x", 3000) + "<![CDATA[&]]>" + "y": strings.Repeat("x", 3000) + "&y",
	} {
		if got := pathOf(t, written); got != want {
			t.Errorf("%.20q…: %d bytes, want %d", written, len(got), len(want))
		}
	}
	title, _ := parse(around("Alpha One", strings.Repeat("é", 1001)))
	when, _ := parse(around("2026-11-20", strings.Repeat("1", 41)))
	if len(title) != 1 || title[0].media.Title != strings.Repeat("é", 1000) || len(when) != 1 || when[0].lastPlayed != strings.Repeat("1", 40) {
		t.Errorf("%+v, %+v", title, when)
	}
}

func TestManyIdentifiersAndWords(t *testing.T) {
	for before, want := range map[int]int64{31: 603, 32: 0} {
		items, _ := parse([]byte("<movie>" + strings.Repeat(`<uniqueid type="x">1</uniqueid>`, before) + `<uniqueid type="tmdb">603</uniqueid></movie>`))
		if len(items) != 1 || items[0].media.IDs.TMDB != want {
			t.Errorf("after %d others: %+v", before, items)
		}
	}
	for fields, want := range map[string]int{
		strings.Repeat("<genre>a</genre>", 51):     50,
		strings.Repeat("<genre>a / b</genre>", 26): 50,
		strings.Repeat("<genre>a</genre>", 50):     50,
	} {
		if items, _ := parse([]byte("<movie>" + fields + "</movie>")); len(items) != 1 || len(items[0].genres) != want {
			t.Errorf("%.30s: %d genres", fields, len(items[0].genres))
		}
	}
	items, _ := parse([]byte("<movie><tag>" + strings.Repeat("é", 201) + "</tag></movie>"))
	if len(items) != 1 || items[0].tags[0] != strings.Repeat("é", 200) {
		t.Errorf("a long tag: %+v", items)
	}
}

// An export may hold 32 MiB of texts: titles, paths, times and doubts.
func TestExportOfManyTexts(t *testing.T) {
	if got := (item{media: viewing.Media{Title: "1"}, path: "22", lastPlayed: "4444", doubt: "88888888"}).texts(); got != 15 {
		t.Errorf("an item has %d bytes", got)
	}
	const films = 32 << 20 / 4096
	text := "<movie><title>" + strings.Repeat("t", 96) + "</title><filenameandpath>" + strings.Repeat("x", 4000) + "</filenameandpath></movie>"
	for n, want := range map[int]error{films: nil, films + 1: ErrTooMany} {
		whole := io.MultiReader(strings.NewReader("<videodb>"), &endless{text: text, left: n}, strings.NewReader("</videodb>"))
		items, err := parseExport(whole)
		if !errors.Is(err, want) || want == nil && len(items) != films {
			t.Errorf("%d films: %d items, %v", n, len(items), err)
		}
	}
}

// Items are counted wherever the stream is divided.
func TestItemsAreCountedInPieces(t *testing.T) {
	marks := func(n int) io.Reader {
		return iotest.OneByteReader(strings.NewReader("<videodb>" + strings.Repeat("<filenameandpath", n)))
	}
	if err := few(marks(200_000)); err != nil {
		t.Errorf("as many as may be: %v", err)
	}
	if err := few(marks(200_001)); !errors.Is(err, ErrTooMany) {
		t.Errorf("one more: %v", err)
	}
	out := errors.New("out of order")
	if err := few(iotest.ErrReader(out)); !errors.Is(err, out) {
		t.Errorf("a drive that fails: %v", err)
	}
	if _, err := parseExport(io.MultiReader(strings.NewReader("<videodb>"), iotest.ErrReader(out))); !errors.Is(err, out) {
		t.Errorf("a drive that fails later: %v", err)
	}
}

// Elements may lie 256 deep, and a tag or a text may have 1 MiB.
func TestDeepestElementAndLongestText(t *testing.T) {
	nested := func(n int) string {
		return "<movie><playcount>1</playcount>" + strings.Repeat("<a>", n-1) + strings.Repeat("</a>", n-1) + "</movie>"
	}
	if _, fault := parse([]byte(nested(256))); fault != "" {
		t.Errorf("256 deep: %s", fault)
	}
	if _, fault := parse([]byte(nested(257))); !strings.Contains(fault, "too deep") {
		t.Errorf("257 deep: %q", fault)
	}
	for n, want := range map[int]string{1<<20 - 8: "", 1<<20 - 7: "a tag or a text is too long"} {
		_, fault := parse(fmt.Appendf(nil, `<movie><playcount>1</playcount><a b="%s"/></movie>`, strings.Repeat("x", n)))
		if !strings.HasSuffix(fault, want) || want == "" && fault != "" {
			t.Errorf("a tag of %d bytes: %q", n+8, fault)
		}
	}
}

// Every byte that is not UTF-8 is a character of windows-1252. What XML does not
// allow is dropped; white space stays.
func TestCharacters(t *testing.T) {
	for written, want := range map[string]string{
		"\x80\x81\x9f\xa0\xff.": "€\u0081Ÿ\u00a0ÿ.",
		"a\x00b\x08c\x1fd e":    "abcd e",
		"a\x0b\tb\nc\rd e":      "a\tb\nc\rd e",
		"a\ufffeb\uffffc":       "abc",
		"a\ufffeb":              "ab",
		"a\uffffb":              "ab",
		"a\xff\ufffeb":          "aÿb",
		"a\xff\uffffb":          "aÿb",
		"a\xff\ufffdb":          "aÿ\ufffdb",
		"a\ufffdb":              "a\ufffdb",
	} {
		if got := string(decode([]byte(written))); got != want {
			t.Errorf("%q: %q, want %q", written, got, want)
		}
	}
	if items, fault := parse(wide(plain, false, true)); fault != "" || len(items) != 1 || items[0].media.IDs.TMDB != 603 {
		t.Errorf("UTF-16, big end first, without a mark: %q, %+v", fault, items)
	}
}

// References are five names, and numbers of characters that XML allows.
func TestReferences(t *testing.T) {
	for written, want := range map[string]string{
		"&lt;&gt;&amp;&quot;&apos;": `<>&"'`,
		"&#x10FFFF;&#65;&#x41;":     "\U0010ffffAA",
		"&#0000000065;":             "A",
	} {
		items, fault := parse(around("Alpha One", written))
		if fault != "" || len(items) != 1 || items[0].media.Title != want {
			t.Errorf("%s: %q, %+v", written, fault, items)
		}
	}
	for _, written := range []string{"&;", "&", "&#;", "&#x;", "&#x110000;", "&#xD800;", "&#0;", "&#x1F;", "&#xFFFE;", "&#00000000065;", "&nbsp;", "&#-1;"} {
		if _, fault := parse(around("Alpha One", written)); !strings.HasSuffix(fault, "an & is not written as &amp;") {
			t.Errorf("%s: %q", written, fault)
		}
	}
}
