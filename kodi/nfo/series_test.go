package nfo

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/kodi/snapshot"
	"github.com/filmspool/filmspool/queue/viewing"
)

// joined is an episode after it has been told of its series.
func joined(t *testing.T, show, episode string) snapshot.Item {
	t.Helper()
	series, _ := parse([]byte("<tvshow>" + show + "</tvshow>"))
	items, fault := parse([]byte("<episodedetails><season>1</season><episode>2</episode>" + episode + "</episodedetails>"))
	if fault != "" || len(items) != 1 {
		t.Fatalf("%q, %d items", fault, len(items))
	}
	n := note{path: "/e.nfo", items: items}
	files := n.files(&note{items: series})
	return files[0].Items[0]
}

const allIDs = `<uniqueid type="tmdb">1396</uniqueid><uniqueid type="tvdb">81189</uniqueid><uniqueid type="imdb">tt0903747</uniqueid>`

// An identifier of the series is none of the episode, and its own stay.
func TestEpisodeOfASeries(t *testing.T) {
	series := viewing.IDs{TMDB: 1396, TVDB: 81189, IMDB: "tt0903747"}
	for _, c := range []struct {
		name, show, episode string
		own, theirs         viewing.IDs
		title               string
		year                int
		doubt               string
	}{
		{"the series' identifiers", "<title>Red</title>" + allIDs, "<showtitle>Red</showtitle>" + allIDs, viewing.IDs{}, series, "Red", 0, ""},
		{
			"its own", "<title>Red</title><year>2008</year>" + allIDs,
			`<showtitle>RED </showtitle><uniqueid type="tmdb">1</uniqueid><uniqueid type="tvdb">2</uniqueid><uniqueid type="imdb">tt3</uniqueid>`,
			viewing.IDs{TMDB: 1, TVDB: 2, IMDB: "tt3"},
			series, "Red", 2008, "",
		},
		{"a series without a name", allIDs, "<showtitle>Red</showtitle>", viewing.IDs{}, series, "Red", 0, ""},
		{"an episode without its name", "<title>Red</title>" + allIDs, "", viewing.IDs{}, series, "Red", 0, ""},
		{
			"of another series", "<title>Red</title><year>2008</year>" + allIDs, `<showtitle>Blue</showtitle><uniqueid type="tmdb">1</uniqueid>`,
			viewing.IDs{TMDB: 1},
			viewing.IDs{},
			"Blue", 0, `it calls its series "Blue", but the file of the series says "Red"`,
		},
		{
			"a series of two numbers", `<title>Red</title><uniqueid type="tmdb">1</uniqueid><uniqueid type="tmdb">2</uniqueid>`, "",
			viewing.IDs{},
			viewing.IDs{},
			"Red", 0, "it names two tmdb identifiers, 1 and 2, and none as the default",
		},
		{
			"an episode of two numbers and another series", "<title>Red</title>", `<showtitle>Blue</showtitle><uniqueid type="tmdb">1</uniqueid><uniqueid type="tmdb">2</uniqueid>`,
			viewing.IDs{},
			viewing.IDs{},
			"Blue", 0, "it names two tmdb identifiers, 1 and 2, and none as the default",
		},
	} {
		got := joined(t, c.show, c.episode)
		want := &viewing.Show{Title: c.title, Year: c.year, IDs: c.theirs}
		if c.doubt != "" {
			c.doubt = "Of its identifiers not all are used: " + c.doubt + "."
		}
		if got.Media.IDs != c.own || cmp.Diff(want, got.Media.Show) != "" || got.Doubt != c.doubt {
			t.Errorf("%s: %v of %+v, doubt %q", c.name, got.Media.IDs, got.Media.Show, got.Doubt)
		}
	}
}

// Genres and tags are those of the series, where it has any.
func TestWordsOfASeries(t *testing.T) {
	of := joined(t, "<genre>Drama</genre><tag>kids</tag>", "<genre>Own</genre><tag>own</tag>")
	if cmp.Diff([]string{"Drama"}, of.Genres) != "" || cmp.Diff([]string{"kids"}, of.Tags) != "" {
		t.Errorf("%q, %q", of.Genres, of.Tags)
	}
	own := joined(t, "", "<genre>Own</genre><tag>own</tag>")
	if cmp.Diff([]string{"Own"}, own.Genres) != "" || cmp.Diff([]string{"own"}, own.Tags) != "" {
		t.Errorf("%q, %q", own.Genres, own.Tags)
	}
}

// A broken series leaves nothing that could be its own, and its fault is told.
func TestEpisodeOfABrokenSeries(t *testing.T) {
	episode, _ := parse([]byte(`<episodedetails><showtitle>Red</showtitle><uniqueid type="tmdb">7</uniqueid></episodedetails>`))
	torn, _ := parse([]byte(`<tvshow><title>Red</title><uniqueid type="tmdb">8</uniqueid>`))
	for _, c := range []struct {
		name string
		show note
		own  int64
		says string
	}{
		{"cut off after its number", note{items: torn, trouble: broken}, 7, "line 1: it ends before its last tag is closed"},
		{"unreadable", note{trouble: unreadable}, 0, "nothing of it can be read"},
		{"too large", note{trouble: tooLarge}, 0, "nothing of it can be read"},
	} {
		n := note{path: "/e.nfo", items: episode}
		got := n.files(&c.show)[0].Items[0]
		if got.Media.IDs.TMDB != c.own || got.Media.Show.IDs != (viewing.IDs{}) || !strings.HasSuffix(got.Doubt, "the file of its series is broken: "+c.says+".") {
			t.Errorf("%s: %+v, doubt %q", c.name, got.Media, got.Doubt)
		}
	}
	n := note{path: "/e.nfo", items: episode}
	if got := n.files(&note{})[0].Items[0]; got.Media.IDs.TMDB != 7 || got.Doubt != "" {
		t.Errorf("of a file that tells of no series: %+v", got)
	}
}

// In an export each episode is told of its own series alone.
func TestExportOfTwoSeries(t *testing.T) {
	series := func(name, id string) string {
		return "<tvshow><title>" + name + "</title><year>2008</year><uniqueid type=\"tmdb\">" + id + "</uniqueid><episodedetails><season>1</season><episode>2</episode><showtitle>" +
			name + "</showtitle><filenameandpath>/" + name + ".mkv</filenameandpath></episodedetails></tvshow>"
	}
	items, err := parseExport(strings.NewReader("<videodb>" + series("Red", "1") + series("Blue", "2") + "</videodb>"))
	if err != nil || len(items) != 2 {
		t.Fatalf("%d items, %v", len(items), err)
	}
	for n, want := range []viewing.Show{{Title: "Red", Year: 2008, IDs: viewing.IDs{TMDB: 1}}, {Title: "Blue", Year: 2008, IDs: viewing.IDs{TMDB: 2}}} {
		if got := items[n]; got.doubt != "" || *got.media.Show != want {
			t.Errorf("%+v, doubt %q", got.media.Show, got.doubt)
		}
	}
}

// The numbers of files and items are kept by the state: they never change.
func TestNumbersStay(t *testing.T) {
	f := fileOf("/films/Alpha.mkv", []item{{}, {}})
	if want := int64(4428133951254429486); f.ID != want || f.Items[0].KodiID != want+1 || f.Items[1].KodiID != want+2 {
		t.Errorf("file %d, items %d, %d", f.ID, f.Items[0].KodiID, f.Items[1].KodiID)
	}
}

// Of one media file the items lie in the order of their places; those without
// one come last.
func TestItemsOfAFileAreInOrder(t *testing.T) {
	at := func(title string, season, episode int) item {
		i := item{media: viewing.Media{Type: viewing.Episode, Title: title, Show: &viewing.Show{}}}
		if season >= 0 {
			i.media.Season = &season
		}
		if episode >= 0 {
			i.media.Episode = &episode
		}
		return i
	}
	f := fileOf("/f", []item{at("none", -1, -1), at("2x1", 2, 1), at("last", 1, -1), at("far", 1, math.MaxInt32), at("1x2", 1, 2), at("1x1", 1, 1)})
	var got []string
	for _, i := range f.Items {
		got = append(got, i.Media.Title)
	}
	if want := []string{"1x1", "1x2", "far", "last", "2x1", "none"}; cmp.Diff(want, got) != "" {
		t.Errorf("%q", got)
	}
}

// A media file was played as often, as late and for as long as the most of its
// items say.
func TestFileOfSeveralItems(t *testing.T) {
	f := fileOf("/f", []item{
		{playCount: 2, lastPlayed: "2026-01-01", duration: 60}, {playCount: 3, lastPlayed: "2025-01-01", duration: 50}, {lastPlayed: "2026-01-02", duration: 61},
	})
	if f.PlayCount != 3 || f.LastPlayed != "2026-01-02" || f.Duration != 61 {
		t.Errorf("%+v", f)
	}
}

// A broken file's identifiers are told as evidence.
func TestSeeming(t *testing.T) {
	for ids, want := range map[viewing.IDs]string{
		{}: "", {TMDB: 1}: "; it seems to say tmdb 1", {TVDB: 1}: "; it seems to say tvdb 1",
		{TMDB: 7, IMDB: "tt8", TVDB: 9}: "; it seems to say tmdb 7, imdb tt8, tvdb 9",
	} {
		if got := seeming(ids); got != want {
			t.Errorf("%v: %q, want %q", ids, got, want)
		}
	}
}

// A remark counts what gives less, and names the first broken file.
func TestRemark(t *testing.T) {
	var a amiss
	if got := a.remark(0); got != "" {
		t.Errorf("nothing is amiss: %q", got)
	}
	long := strings.Repeat("é", 201)
	for _, n := range []note{
		{trouble: tooLarge, path: "/r/0.nfo"},
		{trouble: broken, path: "/r/" + long, fault: "line 1: x"},
		{trouble: broken, path: "/r/2.nfo", fault: "line 2: y"},
		{path: "/r/3.nfo"},
		{trouble: unreadable, path: "/r/4.nfo"},
	} {
		a.add("/r", &n)
	}
	want := "some NFO files give less than they could: 2 broken, so their identifiers are not used (the first: " + strings.Repeat("é", 200) +
		": line 1: x); 1 not readable by this user; 1 larger than 1 MiB; 2 folders lie more than 64 deep and are not looked at"
	if got := a.remark(2); got != want {
		t.Errorf("%q\nwant %q", got, want)
	}
	var elsewhere amiss
	elsewhere.add("r", &note{trouble: broken, path: "/elsewhere/a.nfo", fault: "line 3: z"})
	if got := elsewhere.remark(0); !strings.Contains(got, "(the first: a.nfo: line 3: z)") {
		t.Errorf("%q", got)
	}
}

// Only films make movie.nfo superfluous, and a name is enough where one of the
// two has no identifier.
func TestMovieNFOBesideOthers(t *testing.T) {
	bare := "<movie><title>Red</title><year>1999</year></movie>"
	for name, c := range map[string]struct {
		other string
		files int
	}{
		"the film with an identifier": {`<movie><title>Red</title><year>1999</year><uniqueid type="tmdb">7</uniqueid></movie>`, 1},
		"an episode of the same name": {`<episodedetails><title>Red</title><year>1999</year></episodedetails>`, 2},
		"the film in a broken file":   {`<movie><title>Red</title><year>1999</year><playcount>1</playcount><uniqueid type="tmdb">7</uniqueid><x></movie>`, 1},
		"the film, and then another":  {bare + strings.Replace(bare, "Red", "Blue", 1), 1},
		"another film, and then it":   {strings.Replace(bare, "Red", "Blue", 1) + bare, 1},
	} {
		root := t.TempDir()
		put(t, root, "f/Film.nfo", c.other)
		put(t, root, "f/movie.nfo", bare)
		snap, _ := read(t, New(root))
		if len(snap.Files) != c.files {
			t.Errorf("%s: %q", name, says(root, snap))
		}
	}
}
