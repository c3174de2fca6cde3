package nfo

import (
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/queue/viewing"
)

const plain = `<movie><title>Alpha One</title><playcount>1</playcount><lastplayed>2026-11-20</lastplayed>` +
	`<uniqueid type="imdb">tt0133093</uniqueid><uniqueid type="tmdb" default="true">603</uniqueid></movie>`

// wide writes text as UTF-16.
func wide(text string, mark, bigEndian bool) []byte {
	units := utf16.Encode([]rune(text))
	if mark {
		units = append([]uint16{0xfeff}, units...)
	}
	var out []byte
	for _, u := range units {
		if bigEndian {
			out = append(out, byte(u>>8), byte(u))
		} else {
			out = append(out, byte(u), byte(u>>8))
		}
	}
	return out
}

func around(old, replacement string) []byte {
	return []byte(strings.Replace(plain, old, replacement, 1))
}

// What is well-formed, and what can be told from the bytes, is trusted.
func TestParseTrusts(t *testing.T) {
	for _, c := range []struct {
		name, title string
		text        []byte
	}{
		{"plain", "Alpha One", []byte(plain)},
		{"byte order mark", "Alpha One", []byte("\xef\xbb\xbf" + plain)},
		{"leading blank line", "Alpha One", []byte("\n\n" + `<?xml version="1.0"?>` + plain)},
		{"URL after the end", "Alpha One", []byte(plain + "\nhttps://films.example/title?a=b&c=d\n")},
		{"URL before", "Alpha One", []byte("https://films.example/?a&b\n" + plain)},
		{"XML 1.1", "Alpha One", []byte(`<?xml version="1.1" encoding="UTF-8"?>` + plain)},
		{"a document type", "Alpha One", []byte(`<!DOCTYPE movie>` + plain)},
		{"a comment", "Alpha One", around("<title>", "<!-- <title>No</title> & so on --><title>")},
		{"CDATA", "Alpha <One> & only", around("Alpha One", "<![CDATA[Alpha <One> & only]]>")},
		{"references", "Alpha & Öne", around("Alpha One", "Alpha &amp; &#xD6;n&#101;")},
		{"control character", "Alpha One", around("Alpha One", "Alpha\x0b One")},
		{"latin-1, declared", "Älpha", []byte(`<?xml version="1.0" encoding="ISO-8859-1"?>` + string(around("Alpha One", "\xc4lpha")))},
		{"latin-1 that says UTF-8", "Älpha", []byte(`<?xml version="1.0" encoding="UTF-8"?>` + string(around("Alpha One", "\xc4lpha")))},
		{"windows-1252 quotes", "“Alpha”", around("Alpha One", "\x93Alpha\x94")},
		{"UTF-8 that says latin-1", "Älpha", []byte(`<?xml version="1.0" encoding="ISO-8859-1"?>` + string(around("Alpha One", "Älpha")))},
		{"UTF-16, little end first", "Älpha 🎬", wide(string(around("Alpha One", "Älpha 🎬")), true, false)},
		{"UTF-16, big end first", "Älpha 🎬", wide(string(around("Alpha One", "Älpha 🎬")), true, true)},
		{"UTF-16 without a mark", "Älpha 🎬", wide(string(around("Alpha One", "Älpha 🎬")), false, false)},
		{"fields of others with the same name", "Alpha One", around("</title>", "</title><actor><title>Dr</title><id>9</id></actor>")},
		{"names with a namespace", "Alpha One", around("<movie>", `<movie xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi='urn:x'>`)},
		{"an empty element", "Alpha One", around("</title>", "</title><thumb aspect='poster' /><outline/>")},
	} {
		items, fault := parse(c.text)
		if fault != "" || len(items) != 1 {
			t.Errorf("%s: fault %q, %d items", c.name, fault, len(items))
			continue
		}
		want := item{
			media:     viewing.Media{Type: viewing.Movie, Title: c.title, IDs: viewing.IDs{TMDB: 603, IMDB: "tt0133093"}},
			playCount: 1, lastPlayed: "2026-11-20",
		}
		if diff := cmp.Diff(want, items[0], cmp.AllowUnexported(item{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// Of what is broken the evidence is kept, and never trusted.
func TestParseDoubts(t *testing.T) {
	for _, c := range []struct {
		name  string
		text  []byte
		fault string
		ids   viewing.IDs // seen, unsure
		count int         // items
	}{
		{"a raw &", around("Alpha One", "Alpha & One"), "&amp;", viewing.IDs{TMDB: 603, IMDB: "tt0133093"}, 1},
		{"an HTML entity", around("Alpha One", "Alpha&eacute;"), "&amp;", viewing.IDs{TMDB: 603, IMDB: "tt0133093"}, 1},
		{"an unquoted attribute", around(`type="imdb"`, `type=imdb`), "attribute", viewing.IDs{TMDB: 603}, 1},
		{"an unclosed title", around("</title>", ""), "not closed", viewing.IDs{TMDB: 603, IMDB: "tt0133093"}, 1},
		{"an unclosed uniqueid", around("</uniqueid>", ""), "not closed", viewing.IDs{TMDB: 603, IMDB: "tt0133093"}, 1},
		{"cut off before the play count", []byte(plain[:40]), "not closed", viewing.IDs{}, 0},
		{"cut off within the play count", []byte(plain[:strings.Index(plain, "1</playcount")+1]), "last tag", viewing.IDs{}, 0},
		{"cut off before the time", []byte(plain[:strings.Index(plain, "2026")+4]), "last tag", viewing.IDs{}, 0},
		{"cut off after the time", []byte(plain[:strings.Index(plain, "tt0")+4]), "last tag", viewing.IDs{}, 1},
		{"an entity of its own", []byte(`<!DOCTYPE x [<!ENTITY a "604">]>` + string(around("603", "&a;"))), "definitions", viewing.IDs{IMDB: "tt0133093"}, 1},
		{"a < in a text", around("Alpha One", "Alpha < One"), "&lt;", viewing.IDs{TMDB: 603, IMDB: "tt0133093"}, 1},
		{"an end without a beginning", around("</title>", "</title></plot>"), "no beginning", viewing.IDs{TMDB: 603, IMDB: "tt0133093"}, 1},
	} {
		items, fault := parse(c.text)
		if !strings.Contains(fault, c.fault) || len(items) != c.count {
			t.Errorf("%s: fault %q, %d items, want %q, %d", c.name, fault, len(items), c.fault, c.count)
			continue
		}
		for _, i := range items {
			if !i.unsure || i.doubt == "" || i.playCount != 1 || i.media.IDs != c.ids {
				t.Errorf("%s: %+v", c.name, i)
			}
			file := fileOf("/f.nfo", items)
			if got := file.Items[0]; got.Media.Identified() || !got.Media.Unsure || got.Media.IDs != (viewing.IDs{}) || !strings.Contains(got.Doubt, "broken") {
				t.Errorf("%s: handed over as %+v", c.name, got)
			}
		}
	}
}

func TestParseFindsNothing(t *testing.T) {
	for name, text := range map[string]string{
		"nothing": "", "a URL": "https://films.example/603", "a web page": "<html><body><p>Not found</p></body></html>",
		"a drawing": "\xdc\xdc <<< PROUDLY >>> &c. \xdc\xdc", "another kind": "<musicvideo><title>x</title><playcount>1</playcount></musicvideo>", "an export inside an NFO": "<wrap>" + plain + "</wrap>",
	} {
		if items, fault := parse([]byte(text)); fault != "" || len(items) != 0 {
			t.Errorf("%s: %+v, fault %q", name, items, fault)
		}
	}
}

func TestIdentifiers(t *testing.T) {
	for _, c := range []struct {
		name, fields string
		want         viewing.IDs
		doubt        string
	}{
		{"legacy number", `<id>603</id>`, viewing.IDs{}, ""},
		{"legacy imdb", `<id>tt0133093</id>`, viewing.IDs{IMDB: "tt0133093"}, ""},
		{"unknown type", `<uniqueid type="unknown" default="true">603</uniqueid>`, viewing.IDs{}, ""},
		{"no type", `<uniqueid default="true">603</uniqueid>`, viewing.IDs{}, ""},
		{"type in capitals", `<uniqueid type="TMDB">603</uniqueid>`, viewing.IDs{TMDB: 603}, ""},
		{"no number", `<uniqueid type="tmdb">603a</uniqueid>`, viewing.IDs{}, ""},
		{"negative", `<uniqueid type="tmdb">-1</uniqueid>`, viewing.IDs{}, ""},
		{"two, the default counts", `<uniqueid type="tmdb">1</uniqueid><uniqueid type="tmdb" default="true">603</uniqueid>`, viewing.IDs{TMDB: 603}, ""},
		{"two that agree", `<uniqueid type="tmdb">603</uniqueid><uniqueid type="tmdb">603</uniqueid>`, viewing.IDs{TMDB: 603}, ""},
		{"two that differ", `<uniqueid type="tmdb">1</uniqueid><uniqueid type="tmdb">603</uniqueid><uniqueid type="imdb">tt1</uniqueid>`, viewing.IDs{IMDB: "tt1"}, "two tmdb"},
		{"as other programs write them", `<tmdbid>603</tmdbid><imdb_id>tt0133093</imdb_id><tvdbid>7</tvdbid>`, viewing.IDs{TMDB: 603, IMDB: "tt0133093", TVDB: 7}, ""},
		{"uniqueid wins", `<tmdbid>1</tmdbid><uniqueid type="tmdb">603</uniqueid>`, viewing.IDs{TMDB: 603}, ""},
		{"too large", `<uniqueid type="tmdb">9007199254740993</uniqueid>`, viewing.IDs{}, ""},
	} {
		items, fault := parse([]byte("<movie>" + c.fields + "</movie>"))
		if fault != "" || len(items) != 1 {
			t.Fatalf("%s: %q", c.name, fault)
		}
		if items[0].media.IDs != c.want || !strings.Contains(items[0].doubt, c.doubt) || c.doubt == "" && items[0].doubt != "" {
			t.Errorf("%s: %+v, doubt %q", c.name, items[0].media.IDs, items[0].doubt)
		}
	}
}

func TestValues(t *testing.T) {
	for _, c := range []struct {
		fields string
		want   item
	}{
		{`<playcount/><watched>true</watched>`, item{playCount: 1}},
		{`<playcount>0</playcount><watched>true</watched>`, item{}},
		{`<playcount>-3</playcount><runtime>x</runtime>`, item{}},
		{`<playcount> 2 </playcount><runtime>136 min</runtime>`, item{playCount: 2, duration: 136 * time.Minute}},
		{`<runtime>2</runtime><fileinfo><streamdetails><video><durationinseconds>61</durationinseconds></video></streamdetails></fileinfo>`, item{duration: 61 * time.Second}},
		{`<premiered>1970-01-01</premiered><year>1970</year>`, item{}},
		{`<premiered>1970-02-01</premiered>`, item{media: viewing.Media{Year: 1970}}},
		{`<year>1999</year><lastplayed>2026-11-20 20:10:00</lastplayed>`, item{media: viewing.Media{Year: 1999}, lastPlayed: "2026-11-20 20:10:00"}},
	} {
		c.want.media.Type = viewing.Movie
		items, _ := parse([]byte("<movie>" + c.fields + "</movie>"))
		if diff := cmp.Diff([]item{c.want}, items, cmp.AllowUnexported(item{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.fields, diff)
		}
	}
}

// What is meant to eat memory or time does not.
func TestParseIsBounded(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for name, text := range map[string]string{
		"a bomb":     `<!DOCTYPE b [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]><movie><title>` + strings.Repeat("&b;", 100_000) + `</title></movie>`,
		"deep":       strings.Repeat("<a>", 200_000),
		"attributes": "<movie " + strings.Repeat(`a="b" `, 100_000) + "/>",
		"one quote":  `<movie a="` + strings.Repeat("x", maxNFO),
		"ids":        "<movie>" + strings.Repeat(`<uniqueid type="tmdb">1</uniqueid>`, 20_000) + "</movie>",
		"long value": "<movie><title>" + strings.Repeat("x", maxNFO-50) + "</title></movie>",
		"items":      strings.Repeat("<movie/>", 100_000),
	} {
		items, _ := parse([]byte(text))
		for _, i := range items {
			if len(i.media.Title) > maxTitle || len(items) > maxHeld {
				t.Errorf("%s: %d items, a title of %d", name, len(items), len(i.media.Title))
			}
		}
	}
	runtime.ReadMemStats(&after)
	if grown := int64(after.TotalAlloc-before.TotalAlloc) >> 20; grown > 300 {
		t.Errorf("%d MiB were allocated on the way", grown)
	}
}

// FuzzParse compares with the standard library, which is slower: what is
// found well-formed here is so there, and what is handed over is valid.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"testdata/film.nfo", "testdata/double.nfo"} {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(plain + "\nhttps://x/?a&b"))
	f.Add([]byte(`<movie a='b'><!-- x --><title><![CDATA[a]]>&#65;</title></movie><movie/>`))
	f.Add(wide(plain, true, true))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if items, _ := parse(raw); len(items) > 0 {
			checkFile(t, items)
		}
		var films []*values
		if doc := decode(raw); gather(doc, false, func(v *values) { films = append(films, v) }) == "" {
			checkStandard(t, doc)
			checkTitles(t, doc, films)
		}
	})
}

// checkFile: what is made of items is valid in the shared vocabulary.
func checkFile(t *testing.T, items []item) {
	for _, i := range fileOf("/f.nfo", items).Items {
		if i.Media.Type == viewing.TV {
			continue
		}
		v := viewing.Event{
			Kind: viewing.KindViewing, EventID: "x", Count: 1, Media: []viewing.Media{i.Media}, WatchedAt: viewing.At(time.Unix(1, 0)),
		}
		if err := v.Validate(); err != nil {
			t.Errorf("not valid: %v", err)
		}
	}
}

// checkTitles: the standard library reads the same title of each item.
func checkTitles(t *testing.T, doc []byte, found []*values) {
	if bytes.Contains(doc, []byte("<?xml")) || bytes.Contains(doc, []byte("videodb")) {
		return
	}
	i := max(bytes.IndexByte(doc, '<'), 0)
	var want []string
	title, inside, depth := "", false, 0
	for d := xml.NewDecoder(bytes.NewReader(doc[i:])); ; {
		tok, err := d.RawToken()
		if err != nil {
			break
		}
		switch e := tok.(type) {
		case xml.StartElement:
			depth++
			if depth == 1 {
				title = ""
			}
			inside = depth == 2 && e.Name == xml.Name{Local: "title"} && title == ""
		case xml.CharData:
			if inside && depth == 2 {
				title += string(e)
			}
		case xml.EndElement:
			depth--
			if inside && depth == 1 {
				title, inside = strings.TrimSpace(title), false
			}
			if name := e.Name.Local; depth == 0 && e.Name.Space == "" && (name == "movie" || name == "tvshow" || name == "episodedetails") {
				want = append(want, title)
			}
		}
	}
	var got []string
	for _, v := range found {
		got = append(got, v.title)
	}
	if len(doc) < maxValue && len(got) == len(want) && cmp.Diff(want, got) != "" {
		t.Errorf("%q: titles %q, the standard library reads %q", doc, got, want)
	}
}

// checkStandard: the standard library takes the document for well-formed, too.
func checkStandard(t *testing.T, doc []byte) {
	i := bytes.IndexByte(doc, '<')
	if i < 0 {
		return
	}
	doc = doc[i:]
	if !utf8.Valid(doc) {
		t.Fatal("not UTF-8")
	}
	if bytes.Contains(doc, []byte("<?xml")) || bytes.Contains(doc, []byte("<!")) {
		return // it has its own mind about declarations
	}
	d := xml.NewDecoder(bytes.NewReader(doc))
	for depth := 0; ; {
		tok, err := d.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			if depth == 0 && !strings.Contains(err.Error(), "element") {
				return // a URL between the roots is free to hold an &
			}
			t.Fatalf("found well-formed: %v", err)
		}
		switch tok.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		}
	}
}

// Genres and tags are those of the series where it has any.
func TestParseWords(t *testing.T) {
	film, fault := parse(around("</title>", "</title><genre>Crime / Drama</genre><genre> Film &amp; Noir </genre><genre/><tag>kids</tag><actor><tag>no</tag></actor>"))
	if want := []string{"Crime", "Drama", "Film & Noir"}; fault != "" || !slices.Equal(film[0].genres, want) || !slices.Equal(film[0].tags, []string{"kids"}) {
		t.Errorf("fault %q, genres %q, tags %q", fault, film[0].genres, film[0].tags)
	}
	many, _ := parse(around("</title>", "</title>"+strings.Repeat("<genre>a / b</genre>", 200)))
	if len(many[0].genres) != maxWords || many[0].media.IDs.TMDB != 603 {
		t.Errorf("%d genres, %v", len(many[0].genres), many[0].media.IDs)
	}
	items, err := parseExport(strings.NewReader(`<videodb><tvshow><title>Show Red</title><genre>Family</genre>
		<episodedetails><title>One</title><filenameandpath>/one.mkv</filenameandpath><showtitle>Show Red</showtitle><genre>Own</genre><tag>seen</tag></episodedetails></tvshow>
		<tvshow><title>Show Blue</title><episodedetails><title>Two</title><filenameandpath>/two.mkv</filenameandpath><genre>Own</genre></episodedetails></tvshow></videodb>`))
	if err != nil || len(items) != 2 {
		t.Fatalf("%+v, %v", items, err)
	}
	one, two := items[0].item(1), items[1].item(2)
	if !slices.Equal(one.Genres, []string{"Family"}) || !slices.Equal(one.Tags, []string{"seen"}) || !slices.Equal(two.Genres, []string{"Own"}) {
		t.Errorf("%+v, %+v", one, two)
	}
}
