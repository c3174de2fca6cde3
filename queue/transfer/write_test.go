package transfer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/filmspool/filmspool/queue/viewing"
)

// east is a zone that is neither UTC nor this machine's.
var east = time.FixedZone("", 5*3600+1800)

// formatByName returns a format by its name.
func formatByName(t interface{ Fatalf(string, ...any) }, name string) Format {
	all := Formats
	i := slices.IndexFunc(all, func(f Format) bool { return f.Name == name })
	if i < 0 {
		t.Fatalf("no format %s", name)
	}
	return all[i]
}

// recordSeq yields records, and then an error unless it is nil.
func recordSeq(records []Record, err error) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
		if err != nil {
			yield(Record{}, err)
		}
	}
}

// export returns the file that a format writes. It must leave out the given number of records.
func export(t interface{ Fatalf(string, ...any) }, name string, records []Record, out int) []byte {
	var text bytes.Buffer
	if left, err := formatByName(t, name).Write(&text, recordSeq(records, nil)); err != nil || left != out {
		t.Fatalf("write %s: %d left out, want %d: %v", name, left, out, err)
	}
	return text.Bytes()
}

// readBack detects a file and reads it as records again. Lists appear only in their items.
func readBack(t interface{ Fatalf(string, ...any) }, name string, text []byte) (all []Record) {
	f, err := Open(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatalf("open %s: %v", name, err)
	}
	form, err := Detect(f)
	if err != nil || form.Name != name {
		t.Fatalf("%s is detected as %q: %v\n%s", name, form.Name, err, text)
	}
	lists, seen := map[string]*viewing.List{}, map[string]bool{}
	for row, err := range form.Read(f, Options{}) {
		if err != nil {
			t.Fatalf("read %s: %v\n%s", name, err, text)
		}
		if seen[row.Key] && row.Skip == "" {
			t.Fatalf("two rows have the key %q", row.Key)
		}
		seen[row.Key] = true
		e := row.Event
		switch {
		case row.Skip == SkipOther && name == "yamtrack": // series and seasons
		case row.Skip != "" || row.Ambiguous:
			t.Fatalf("row %+v is skipped\n%s", row, text)
		case e.Kind == viewing.KindList:
			lists[row.Key] = e.List
		default:
			r := Record{Kind: e.Kind, Media: e.Media[0], WatchedAt: e.WatchedAt, List: lists[e.InList], Source: e.Origin.Site}
			r.WatchedAt.Text = ""
			all = append(all, r)
		}
	}
	return all
}

// titleGen generates titles that are difficult for tables and spreadsheets.
var titleGen = rapid.OneOf(
	rapid.SampledFrom([]string{"=1+1", "-30-", "+1", "@home", "'=x", "'Allo 'Allo!", "A, \"B\"; C", "Amélie\tdeux", "千と千尋", "''-", "0", "=cmd|' /C calc'!A0"}),
	rapid.StringMatching(`[A-Za-zäé=+@'",;. -]{0,12}`),
)

// recordGen generates records as [queue.Store.Records] returns them, with titles without control characters
// and surrounding space.
func recordGen(kind viewing.Kind) *rapid.Generator[Record] {
	return rapid.Custom(func(t *rapid.T) Record {
		title := func(label string) string { return clean(titleGen.Draw(t, label)) }
		ids := func(label string) (ids viewing.IDs) {
			if rapid.Bool().Draw(t, label) {
				ids = viewing.IDs{TMDB: rapid.Int64Range(1, 1<<40).Draw(t, "tmdb"), TVDB: rapid.Int64Range(0, 9).Draw(t, "tvdb")}
			}
			if rapid.Bool().Draw(t, label) {
				ids.IMDB = fmt.Sprintf("tt%07d", rapid.IntRange(1, 1<<20).Draw(t, "imdb"))
			}
			return ids
		}
		types := []viewing.MediaType{viewing.Movie, viewing.Episode}
		if kind != viewing.KindViewing {
			types[1] = viewing.TV
		}
		r := Record{Kind: kind, Source: rapid.SampledFrom([]string{"kodi", "browser"}).Draw(t, "source")}
		m := viewing.Media{Type: rapid.SampledFrom(types).Draw(t, "type"), Title: title("title"), IDs: ids("ids")}
		if m.Type == viewing.Episode {
			season, number := rapid.IntRange(0, 30).Draw(t, "season"), rapid.IntRange(1, 300).Draw(t, "number")
			m.Season, m.Episode = &season, &number
			m.Show = &viewing.Show{Title: clean("Show " + titleGen.Draw(t, "show")), Year: rapid.IntRange(0, 2000).Draw(t, "year"), IDs: ids("show ids")}
		} else {
			m.Year = rapid.IntRange(0, 2030).Draw(t, "year")
		}
		r.Media = m
		if kind == viewing.KindViewing {
			at := time.UnixMilli(rapid.Int64Range(1e11, 4e12).Draw(t, "at")).In(east)
			r.WatchedAt = viewing.At(at)
			if rapid.Bool().Draw(t, "day") {
				r.WatchedAt = viewing.At(time.Date(at.Year(), at.Month(), at.Day(), 12, 0, 0, 0, east))
				r.WatchedAt.Precision = viewing.Day
			}
			r.WatchedAt.Text = ""
		}
		return r
	})
}

// recordsGen generates the records of a diary in order.
var recordsGen = rapid.Custom(func(t *rapid.T) (all []Record) {
	all = rapid.SliceOfN(recordGen(viewing.KindViewing), 0, 8).Draw(t, "viewings")
	all = append(all, rapid.SliceOfN(recordGen(viewing.KindWatchlist), 0, 4).Draw(t, "watchlist")...)
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"=list", "B, C", "Ü"}), 0, 3, rapid.ID).Draw(t, "lists") {
		for _, r := range rapid.SliceOfN(recordGen(viewing.KindListItem), 1, 3).Draw(t, "items") {
			r.List = &viewing.List{Name: name}
			all = append(all, r)
		}
	}
	return all
})

// representable returns, for each format, the record as it is read back, or false if the format cannot
// represent it.
var representable = map[string]func(Record) (Record, bool){
	"csv": func(r Record) (Record, bool) { return r, true },
	"trakt": func(r Record) (Record, bool) {
		r.Source, r.WatchedAt.Precision = "trakt", viewing.Second
		if zone := 0; r.Kind == viewing.KindViewing {
			r.WatchedAt.Offset = &zone
		} else {
			r.WatchedAt = viewing.Instant{}
		}
		if r.List != nil {
			r.List = &viewing.List{Name: r.List.Name, Visibility: "PRIVATE"}
		}
		return r, true
	},
	"letterboxd": func(r Record) (Record, bool) {
		m := &r.Media
		day := r.WatchedAt.Time().In(east)
		r.WatchedAt = viewing.At(time.Date(day.Year(), day.Month(), day.Day(), 12, 0, 0, 0, east))
		r.WatchedAt.Precision, r.WatchedAt.Text = viewing.Day, ""
		r.Source, m.IDs.TVDB = "letterboxd", 0
		return r, r.Kind == viewing.KindViewing && m.Type == viewing.Movie
	},
	"yamtrack": func(r Record) (Record, bool) {
		r.Source, r.Media.Year = "yamtrack", 0
		if m := &r.Media; m.Type == viewing.Episode {
			m.Show = &viewing.Show{IDs: viewing.IDs{TMDB: m.Show.IDs.TMDB}, Title: m.Show.Title}
			m.Title, m.IDs = "", viewing.IDs{}
		} else {
			m.IDs = viewing.IDs{TMDB: m.IDs.TMDB}
		}
		return r, r.Kind != viewing.KindListItem && (r.Media.Placed() || r.Media.Type != viewing.Episode && r.Media.IDs.TMDB > 0)
	},
}

// TestExportReadsBack: representable records are read back unchanged and in order, and the rest is counted.
func TestExportReadsBack(t *testing.T) {
	setLocalZone(t, east)
	for name, holds := range representable {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				records := recordsGen.Draw(t, "records")
				want := []Record{}
				shows := map[int64]bool{} // in Yamtrack a watched series has no watchlist row
				for _, r := range records {
					if r, ok := holds(r); ok {
						if name == "yamtrack" && r.Media.Type == viewing.Episode {
							shows[r.Media.Show.IDs.TMDB] = true
						}
						if name == "yamtrack" && r.Media.Type == viewing.TV {
							if shows[r.Media.IDs.TMDB] {
								continue
							}
							shows[r.Media.IDs.TMDB] = true
						}
						want = append(want, r)
					}
				}
				text := export(t, name, records, len(records)-len(want))
				got := readBack(t, name, text)
				for i := range max(len(got), len(want)) {
					if i >= len(got) || i >= len(want) || !reflect.DeepEqual(got[i], want[i]) {
						t.Fatalf("record %d: read back %s, want %s", i, firstAsJSON(got[min(i, len(got)):]), firstAsJSON(want[min(i, len(want)):]))
					}
				}
			})
		})
	}
}

// firstAsJSON returns the first record as JSON.
func firstAsJSON(records []Record) string {
	text, _ := json.Marshal(records[:min(1, len(records))])
	return string(text)
}

// sampleRecords returns a small diary.
func sampleRecords() []Record {
	one, two := 1, 2
	show := &viewing.Show{Title: "Invented House", Year: 2020, IDs: viewing.IDs{TMDB: 77, TVDB: 78}}
	at := viewing.At(time.Date(2026, 3, 1, 23, 30, 0, 0, time.UTC).In(east))
	day := viewing.At(time.Date(2026, 3, 3, 12, 0, 0, 0, east))
	day.Precision = viewing.Day
	film := viewing.Media{Type: viewing.Movie, Title: "=A Film", Year: 1999, IDs: viewing.IDs{TMDB: 603, IMDB: "tt0133093"}}
	return []Record{
		{Kind: viewing.KindViewing, Media: film, WatchedAt: at, Source: "kodi"},
		{Kind: viewing.KindViewing, Media: viewing.Media{Type: viewing.Episode, Title: "The Cellar", Show: show, Season: &one, Episode: &two}, WatchedAt: at, Source: "browser"},
		{Kind: viewing.KindViewing, Media: film, WatchedAt: day, Rewatch: true, Source: "kodi"},
		{Kind: viewing.KindViewing, Media: viewing.Media{Type: viewing.Movie, Title: "No Number"}, WatchedAt: day, Source: "file", EventID: "trakt:9000000001"},
		{Kind: viewing.KindWatchlist, Media: viewing.Media{Type: viewing.TV, Title: "Wish", IDs: viewing.IDs{TMDB: 5}}, Source: "cli"},
		{Kind: viewing.KindListItem, Media: film, List: &viewing.List{Name: "Best of ’99", Visibility: "PUBLIC"}, Source: "cli"},
	}
}

// TestExportFormats compares the text of each format with what the importing programs expect.
func TestExportFormats(t *testing.T) {
	for name, want := range map[string]string{
		"csv": `kind,type,title,year,tmdb,imdb,tvdb,series,series_year,series_tmdb,series_imdb,series_tvdb,season,episode,watched_at,rewatch,list,source
viewing,movie,'=A Film,1999,603,tt0133093,,,,,,,,,2026-03-02T05:00:00+05:30,false,,kodi
viewing,episode,The Cellar,,,,,Invented House,2020,77,,78,1,2,2026-03-02T05:00:00+05:30,false,,browser
viewing,movie,'=A Film,1999,603,tt0133093,,,,,,,,,2026-03-03,true,,kodi
viewing,movie,No Number,,,,,,,,,,,,2026-03-03,false,,file
watchlist,tv,Wish,,5,,,,,,,,,,,,,cli
list_item,movie,'=A Film,1999,603,tt0133093,,,,,,,,,,,Best of ’99,cli
`,
		"letterboxd": `tmdbID,imdbID,Title,Year,WatchedDate,Rewatch
603,tt0133093,'=A Film,1999,2026-03-02,false
603,tt0133093,'=A Film,1999,2026-03-03,true
,,No Number,,2026-03-03,false
`,
		"yamtrack": `media_id,source,media_type,title,image,season_number,episode_number,score,progress,status,start_date,end_date,notes,progressed_at
603,tmdb,movie,'=A Film,,,,,1,Completed,,2026-03-02 05:00:00+05:30,,
77,tmdb,tv,Invented House,,,,,,In progress,,,,
77,tmdb,season,Invented House,,1,,,,In progress,,,,
77,tmdb,episode,Invented House,,1,2,,,,,2026-03-02 05:00:00+05:30,,
603,tmdb,movie,'=A Film,,,,,1,Completed,,2026-03-03,,
5,tmdb,tv,Wish,,,,,,Planning,,,,
`,
	} {
		if got := string(export(t, name, sampleRecords(), map[string]int{"letterboxd": 3, "yamtrack": 2}[name])); got != want {
			t.Errorf("%s is\n%s, want\n%s", name, got, want)
		}
	}
	var got strings.Builder
	for _, member := range open(t, string(export(t, "trakt", sampleRecords(), 0))).parts {
		got.WriteString(member.Name + " " + member.Head())
	}
	want := fmt.Sprintf(`watched-history-1.json [
{"watched_at":"2026-03-01T23:30:00.000Z","action":"scrobble","type":"movie","movie":{"title":"=A Film","year":1999,"ids":{"tmdb":603,"imdb":"tt0133093"}}},
{"watched_at":"2026-03-01T23:30:00.000Z","action":"scrobble","type":"episode","episode":{"season":1,"number":2,"title":"The Cellar","ids":{}},"show":{"title":"Invented House","year":2020,"ids":{"tmdb":77,"tvdb":78}}},
{"watched_at":"2026-03-03T06:30:00.000Z","action":"scrobble","type":"movie","movie":{"title":"=A Film","year":1999,"ids":{"tmdb":603,"imdb":"tt0133093"}}},
{"id":9000000001,"watched_at":"2026-03-03T06:30:00.000Z","action":"scrobble","type":"movie","movie":{"title":"No Number","ids":{}}}
]
lists-watchlist.json [
{"type":"show","show":{"title":"Wish","ids":{"tmdb":5}}}
]
lists-list-%[1]d-best-of-99.json [
{"type":"movie","movie":{"title":"=A Film","year":1999,"ids":{"tmdb":603,"imdb":"tt0133093"}}}
]
lists-lists.json [
{"name":"Best of ’99","description":"","privacy":"public","ids":{"trakt":%[1]d,"slug":"best-of-99"}}
]
`, crc32.ChecksumIEEE([]byte("Best of ’99")))
	if got.String() != want {
		t.Errorf("trakt is\n%s, want\n%s", got.String(), want)
	}
}

// TestEmptyExportReadsBack: an empty export is detected and has no rows, in every format.
func TestEmptyExportReadsBack(t *testing.T) {
	for name := range representable {
		if got := readBack(t, name, export(t, name, nil, 0)); len(got) > 0 {
			t.Errorf("%s: %s", name, firstAsJSON(got))
		}
	}
}

// TestExportErrors: an error while reading records or writing the file is returned, in every format.
func TestExportErrors(t *testing.T) {
	broken := errors.New("disk")
	for _, form := range Formats {
		if form.Write == nil {
			continue
		}
		var out bytes.Buffer
		if _, err := form.Write(&out, recordSeq(sampleRecords(), broken)); !errors.Is(err, broken) {
			t.Errorf("%s: %v", form.Name, err)
		}
		if _, err := form.Write(failingWriter{}, recordSeq(slices.Repeat(sampleRecords(), 2000), nil)); !errors.Is(err, errNoSpace) {
			t.Errorf("%s: a full disk: %v", form.Name, err)
		}
	}
}

var errNoSpace = errors.New("no space")

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errNoSpace }

// TestTraktExportKeepsKeys: an imported Trakt archive is exported with the same plays, watchlist and lists
// and the same keys, so that importing the export adds nothing.
func TestTraktExportKeepsKeys(t *testing.T) {
	read := func(content string) (lines string, records []Record) {
		lists := map[string]*viewing.List{}
		_, rows, err := readAll(content)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			e := row.Event
			switch e.Class = ""; {
			case row.Skip != "":
				continue
			case e.Kind == viewing.KindList:
				lists[row.Key] = e.List
			default:
				records = append(records, Record{Kind: e.Kind, Media: e.Media[0], WatchedAt: e.WatchedAt, List: lists[e.InList], EventID: "trakt:" + row.Key})
			}
			row.Event = e
			lines += describe(row) + "\n"
		}
		return lines, records
	}
	before, records := read(sample(t, "trakt_en"))
	after, _ := read(string(export(t, "trakt", records, 0)))
	if before != after || len(records) < 10 {
		t.Errorf("in\n%sout\n%s", before, after)
	}
}
