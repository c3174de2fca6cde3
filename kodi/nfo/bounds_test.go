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

// An export may hold 32 MiB of texts: titles, also of series, paths, times,
// doubts and words.
func TestExportOfManyTexts(t *testing.T) {
	one := item{media: viewing.Media{Title: "1", Show: &viewing.Show{Title: strings.Repeat("s", 16)}}, path: "22", lastPlayed: "4444", doubt: "88888888"}
	if got := one.texts(); got != 31 {
		t.Errorf("an item has %d bytes", got)
	}
	const films = 32 << 20 / 4096
	for name, text := range map[string]string{
		"texts": "<title>" + strings.Repeat("t", 96) + "</title><filenameandpath>" + strings.Repeat("x", 4000) + "</filenameandpath>",
		"words": strings.Repeat("<genre>"+strings.Repeat("g", 184)+"</genre>", 10) + strings.Repeat("<tag>"+strings.Repeat("t", 184)+"</tag>", 10) +
			"<filenameandpath>" + strings.Repeat("x", 96) + "</filenameandpath>",
	} {
		for n, want := range map[int]error{films: nil, films + 1: ErrTooMany} {
			whole := io.MultiReader(strings.NewReader("<videodb>"), &endless{text: "<movie>" + text + "</movie>", left: n}, strings.NewReader("</videodb>"))
			items, err := parseExport(whole)
			if !errors.Is(err, want) || want == nil && len(items) != films {
				t.Errorf("%d films with %s: %d items, %v", n, name, len(items), err)
			}
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

// The form of markup is that of XML.
func TestFormOfMarkup(t *testing.T) {
	const endless = "a tag is not closed"
	for within, want := range map[string]string{
		"<![CDATA[x]]>":                "",
		"<a><![CDATA[x]]></a>":         "",
		"<!-- a - b -->":               "",
		"<!---->":                      "",
		"<!-- a --->":                  "a comment holds two dashes",
		"<!-- a":                       endless,
		"<?php x?>":                    "",
		"<? ?>":                        "a tag has no name",
		"</ a>":                        "an end tag is not well-formed",
		"<a></a b>":                    "an end tag is not well-formed",
		"<a></a >":                     "",
		"<a><b></a>":                   endless,
		"<a/ >":                        `an attribute is not written as name="value"`,
		"<a b=\"1\" c='2' d = \"3\"/>": "",
		"<a b=\"1\"c=\"2\"/>":          `an attribute is not written as name="value"`,
		"<a b/>":                       `an attribute is not written as name="value"`,
		"<a b=/>":                      `an attribute is not written as name="value"`,
		"<a =\"1\"/>":                  `an attribute is not written as name="value"`,
		"<a b=\"1'/>":                  `an attribute is not written as name="value"`,
		"<a b=\"\" c=''/>":             "",
		"<??>":                         "a tag has no name",
		"<a b=\"1>2\"/>":               "",
		"<a b=\"1<2\"/>":               endless,
		"<a b='\"' c=\"'>\"/>":         "",
		"<a b=\"&\"/>":                 "an & is not written as &amp;",
		"<a b=\"&amp;\"/>":             "",
		"<_a/><A/><Z/><z/><a1-.b:c/>":  "",
		"<1a/>":                        "a < is not written as &lt;",
		"<a0/><a9/>":                   "",
		"<-a/>":                        "a < is not written as &lt;",
		"<:a/>":                        "a < is not written as &lt;",
		"<a:b:c/>":                     "a < is not written as &lt;",
		"<@/>":                         "a < is not written as &lt;",
		"<[/>":                         "a < is not written as &lt;",
		"<{/>":                         "a < is not written as &lt;",
		"<a/>]]&gt;":                   "",
		"<!DOCTYPE a>":                 "",
		"<!DOCTYPE a SYSTEM 'b'>":      "it has a document type with definitions",
	} {
		if _, fault := parse([]byte("<movie><playcount>1</playcount>" + within + "</movie>")); strings.TrimPrefix(fault, "line 1: ") != want {
			t.Errorf("%s: %q, want %q", within, fault, want)
		}
	}
	for whole, want := range map[string]string{
		"<![CDATA[x]]>" + plain:                     "a text stands outside of every tag",
		plain + "<![CDATA[x]]>":                     "a text stands outside of every tag",
		plain + "</movie>":                          "an end tag has no beginning",
		plain + "a ]]> b & c":                       "",
		plain + "<movie":                            endless,
		plain + "<":                                 "a < is not written as &lt;",
		plain + "<!-- to the end":                   endless,
		"<movie>" + strings.Repeat("x", maxToken):   "it ends before its last tag is closed",
		"<movie>" + strings.Repeat("x", maxToken+1): "a tag or a text is too long",
	} {
		if _, fault := parse([]byte(whole)); strings.TrimPrefix(fault, "line 1: ") != want {
			t.Errorf("%.60s: %q, want %q", whole, fault, want)
		}
	}
}

// Fields count where they stand directly in an item, and the first of several.
func TestWhereFieldsStand(t *testing.T) {
	for fields, want := range map[string]string{
		"<title>A</title><title>B</title>":                  "A",
		"<title/><title>B</title>":                          "B",
		"<title> <b>X</b>A<b/> </title>":                    "A",
		"<set><title>X</title></set><title>A</title>":       "A",
		"<title>A<![CDATA[ & ]]>B</title>":                  "A & B",
		"A<title>B</title>C":                                "B",
		"<tvshow><title>X</title></tvshow><title>A</title>": "A",
		"<title>A</title><movie><title>X</title></movie>":   "A",
	} {
		items, fault := parse([]byte("<movie>" + fields + "</movie>"))
		if fault != "" || len(items) != 1 || items[0].media.Title != want {
			t.Errorf("%s: %q, %+v, want %q", fields, fault, items, want)
		}
	}
	for whole, want := range map[string]int{
		"<videodb><movie/></videodb>":                                  1,
		"<videodb><x><movie/></x></videodb>":                           0,
		"<videodb><tvshow><episodedetails/></tvshow></videodb>":        2,
		"<videodb><episodedetails/></videodb>":                         0,
		"<videodb><tvshow><x><episodedetails/></x></tvshow></videodb>": 1,
		"<x><tvshow/></x>":                                             0,
		"<movie/><tvshow/><episodedetails/>":                           3,
		"<tvshow><episodedetails/></tvshow>":                           1,
	} {
		if items, fault := parse([]byte(whole)); fault != "" || len(items) != want {
			t.Errorf("%s: %q, %d items, want %d", whole, fault, len(items), want)
		}
	}
}

// Numbers that cannot be are left out.
func TestNumbersOutOfBounds(t *testing.T) {
	of := func(fields string) item {
		t.Helper()
		items, fault := parse([]byte("<episodedetails>" + fields + "</episodedetails>"))
		if fault != "" || len(items) != 1 {
			t.Fatalf("%s: %q", fields, fault)
		}
		return items[0]
	}
	for text, want := range map[string]int{"0": 0, "1": 1, "1073741824": 1 << 30, "1073741825": -1, "-1": -1, "x": -1, "": -1} {
		if got := of("<season>" + text + "</season>").media.Season; (got == nil) != (want < 0) || got != nil && *got != want {
			t.Errorf("season %q: %v, want %d", text, got, want)
		}
	}
	if none, one := of("<episode>0</episode>"), of("<episode>1</episode>"); none.media.Episode != nil || one.media.Episode == nil {
		t.Errorf("episodes 0 and 1: %v, %v", none.media.Episode, one.media.Episode)
	}
	for text, want := range map[string]int{"1": 1, "1000000": 1_000_000, "1000001": 1_000_000, "-1": 0, "x": 0, "0": 0} {
		if got := of("<playcount>" + text + "</playcount>").playCount; got != want {
			t.Errorf("play count %s: %d, want %d", text, got, want)
		}
	}
	if got := of("<watched>false</watched>").playCount; got != 0 {
		t.Errorf("not watched: %d", got)
	}
	for fields, want := range map[string]string{
		"<runtime>1</runtime>":     "1m0s",
		"<runtime>10080</runtime>": "168h0m0s",
		"<runtime>10081</runtime>": "0s",
		"<runtime>0</runtime>":     "0s",
		"<runtime>2</runtime><durationinseconds>1</durationinseconds>":      "1s",
		"<runtime>2</runtime><durationinseconds>604800</durationinseconds>": "168h0m0s",
		"<runtime>2</runtime><durationinseconds>604801</durationinseconds>": "2m0s",
		"<runtime>2</runtime><durationinseconds>0</durationinseconds>":      "2m0s",
	} {
		if got := of(fields).duration.String(); got != want {
			t.Errorf("%s: %s, want %s", fields, got, want)
		}
	}
	for fields, want := range map[string]int{
		"<year>9999</year>": 9999, "<year>10000</year>": 0, "<premiered>1999</premiered>": 1999, "<premiered>199</premiered><year>2000</year>": 2000,
		"<premiered>2001-02-03</premiered><year>2000</year>": 2001, "<premiered>1970-01-01</premiered><year>2000</year>": 2000, "<year>1970</year>": 1970,
		"<premiered>0000-00-00</premiered><year>2000</year>": 2000,
	} {
		items, _ := parse([]byte("<movie>" + fields + "</movie>"))
		if len(items) != 1 || items[0].media.Year != want {
			t.Errorf("%s: %+v, want %d", fields, items, want)
		}
	}
	for id, want := range map[string]viewing.IDs{
		`<uniqueid type="tmdb">9007199254740991</uniqueid>`: {TMDB: 1<<53 - 1},
		`<uniqueid type="tmdb">9007199254740992</uniqueid>`: {},
		`<uniqueid type="tmdb">0</uniqueid>`:                {},
		`<uniqueid type="imdb">tt123456789012</uniqueid>`:   {IMDB: "tt123456789012"},
		`<uniqueid type="imdb">tt1234567890123</uniqueid>`:  {},
		`<uniqueid type="imdb">tt</uniqueid>`:               {},
		`<uniqueid type="imdb">tt1x</uniqueid>`:             {},
		`<imdbid>tt1</imdbid><imdb_id>tt2</imdb_id>`:        {IMDB: "tt1"},
		`<imdbid>x</imdbid><imdb_id>tt2</imdb_id>`:          {IMDB: "tt2"},
	} {
		if got := of(id).media.IDs; got != want {
			t.Errorf("%s: %+v", id, got)
		}
	}
}
