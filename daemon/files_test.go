package daemon

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// traktZip returns an export with episodes and, every tenth, a film without a number, the newest
// first.
func traktZip(t testing.TB, plays int) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	w, err := z.Create("export-trakt-ann/watched-history-1.json")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(w, "[")
	first := time.Date(2024, 1, 1, 20, 0, 0, 0, time.UTC)
	for n := plays; n > 0; n-- {
		fmt.Fprintf(w, `{"id":%d,"watched_at":"%s","action":"scrobble",`, n, first.Add(time.Duration(n)*time.Hour).Format(time.RFC3339))
		if n%10 == 0 {
			fmt.Fprintf(w, `"type":"movie","movie":{"title":"Film %d","year":1999,"ids":{"trakt":%d}}}`, n%70, n)
		} else {
			fmt.Fprintf(w, `"type":"episode","episode":{"season":1,"number":%d,"title":"Part","ids":{"trakt":%d}},"show":{"title":"Red","ids":{"trakt":8,"tmdb":1396}}}`, n, n)
		}
		if n > 1 {
			fmt.Fprint(w, ",\n")
		}
	}
	fmt.Fprint(w, "]")
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// openOffline opens a new state folder offline.
func openOffline(t testing.TB, o Options, work func(*core)) {
	t.Helper()
	c := newCore(o)
	if err := c.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := c.withQueue(t.Context(), func(context.Context) error { work(c); return nil }); err != nil {
		t.Error(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// previewed adds a file and previews its import.
func (d *core) previewed(t testing.TB, content []byte) control.File {
	t.Helper()
	f, err := d.AddFile(t.Context(), "some/file.zip", bytes.NewReader(content))
	if err == nil {
		f, err = d.PreviewFile(t.Context(), control.FileOrder{ID: f.ID})
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// imported imports a file. The result must be that of the preview.
func (d *core) imported(t testing.TB, content []byte) control.File {
	t.Helper()
	said := d.previewed(t, content)
	did, err := d.ImportFile(t.Context(), control.FileOrder{ID: said.ID, Wait: true})
	if err != nil || did.EndedAt.IsZero() || did.Problem.Code != "" {
		t.Fatal(did, err)
	}
	if a, b := fmt.Sprint(said.FilePreview), fmt.Sprint(did.FilePreview); a != b {
		t.Errorf("the preview said\n%s\nand the import did\n%s", a, b)
	}
	return did
}

// everything returns the content of the queue without its own times.
func (d *core) everything(t testing.TB) string {
	t.Helper()
	all, err := d.List(t.Context(), entry.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	lines := make([]string, len(all))
	for i, e := range all {
		lines[i] = fmt.Sprintln(e.Source, e.EventID, e.State, e.Reason, e.Label(), e.WatchedAt.Millis, e.Lane, e.Class)
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// cutting is a context that ends after a number of calls.
type cutting struct {
	context.Context
	left int
}

func (c *cutting) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// An import is interrupted at each step and continued with the files of that moment. The result
// is that of an uninterrupted one.
func TestInterruptedImportContinues(t *testing.T) {
	content := traktZip(t, 1200)
	var want string
	var counted control.File
	openOffline(t, testOptions(t), func(c *core) {
		counted = c.imported(t, content)
		want = c.everything(t)
	})
	if counted.New != 1200 || counted.Unresolved != 120 || counted.Viewings != 1200 {
		t.Fatalf("%+v", counted)
	}
	for steps := 0; ; steps++ {
		o, after := testOptions(t), testOptions(t)
		cut := false
		openOffline(t, o, func(c *core) {
			f := c.previewed(t, content)
			f.Agreed = true
			if err := c.saveFile(f); err != nil {
				t.Fatal(err)
			}
			i := newFileImport(c, f)
			cut = i.read(&cutting{t.Context(), steps}) != nil
			if err := os.CopyFS(filepath.Join(after.Paths.State), os.DirFS(o.Paths.State)); err != nil {
				t.Fatal(err)
			}
		})
		openOffline(t, after, func(c *core) {
			c.resumeFiles(t.Context())
			all, err := c.Files(t.Context())
			if err != nil || len(all) != 1 || all[0].EndedAt.IsZero() || fmt.Sprint(all[0].FilePreview) != fmt.Sprint(counted.FilePreview) {
				t.Errorf("cut at step %d: %v, %v", steps, all, err)
			}
			if got := c.everything(t); got != want {
				t.Errorf("cut at step %d, the queue has other entries", steps)
			}
			if again := c.previewed(t, content); again.New != 0 {
				t.Errorf("cut at step %d, importing again would add %d", steps, again.New)
			}
		})
		if !cut {
			if steps < 6 {
				t.Errorf("only %d steps", steps)
			}
			return
		}
	}
}

// An import adds only new viewings of a later file, and not those that a browser has reported or
// that our own export contains.
func TestImportAddsOnlyWhatIsNew(t *testing.T) {
	openOffline(t, testOptions(t), func(c *core) {
		live, other := movie("live", 603, "The Matrix", 0), movie("other", 604, "Reloaded", 0)
		if _, err := c.store.Commit(t.Context(), viewing.Batch{Source: "browser:b", Events: []viewing.Event{live, other}}); err != nil {
			t.Fatal(err)
		}
		c.imported(t, traktZip(t, 30))
		if f := c.imported(t, traktZip(t, 33)); f.New != 3 || f.Known != 30 {
			t.Errorf("newer: %+v", f)
		}
		line := func(id string, v viewing.Event, at viewing.Instant) string {
			v.EventID, v.WatchedAt = id, at
			text, err := json.Marshal(map[string]any{"v": 1, "source": "other:x", "eventId": id, "event": v, "entries": []any{map[string]any{
				"state": "delivered", "account": "default", "media": v.Media[0], "watchedAt": at.Time(),
			}}})
			if err != nil {
				t.Fatal(err)
			}
			return strings.Replace(string(text), `{"entries"`, `{"v":1,"entries"`, 1) + "\n"
		}
		day := live.WatchedAt
		day.Precision = viewing.Day
		old := viewing.At(live.WatchedAt.Time().Add(-48 * time.Hour))
		if f := c.imported(t, []byte(line("same", live, live.WatchedAt)+line("day", other, day)+line("old", live, old))); f.Format != "jsonl" || f.Known != 2 || f.New != 1 {
			t.Errorf("seen by a browser: %+v", f)
		}
		var out bytes.Buffer
		if _, err := c.Export(t.Context(), control.Export{}, &out); err != nil {
			t.Fatal(err)
		}
		if f := c.previewed(t, out.Bytes()); f.New != 0 || f.Known != 36 {
			t.Errorf("our own export: %+v", f)
		}
		o := testOptions(t)
		openOffline(t, o, func(other *core) {
			other.imported(t, out.Bytes())
			if f := other.previewed(t, traktZip(t, 33)); f.New != 0 {
				t.Errorf("what our own export has brought is not known: %+v", f)
			}
		})
	})
}

// The person and the order of day and month are asked once for the whole file.
func TestPersonAndDateOrderOfAFile(t *testing.T) {
	openOffline(t, testOptions(t), func(c *core) {
		content := "Profile Name,Start Time,Duration,Attributes,Title,Supplemental Video Type,Device Type,Bookmark,Latest Bookmark,Country\n"
		for _, row := range []string{"Ann,2024-02-11 19:03:12,01:41:07", "Bob,2024-02-12 19:03:12,01:41:07", "Bob,2024-02-14 19:03:12,01:41:07"} {
			content += row + `,,"A Film",,TV,01:41:07,01:41:07,DE (Germany)` + "\n"
		}
		f := c.previewed(t, []byte(content))
		if _, err := c.ImportFile(t.Context(), control.FileOrder{ID: f.ID, Wait: true}); control.FaultOf(err).Message.Code != "fault.severalPeople" {
			t.Errorf("everybody's: %v, %+v", err, f)
		}
		if _, err := c.PreviewFile(t.Context(), control.FileOrder{ID: f.ID, Person: "Eve"}); control.FaultOf(err).Message.Code != "fault.noPerson" {
			t.Errorf("nobody's: %v", err)
		}
		if f, err := c.PreviewFile(t.Context(), control.FileOrder{ID: f.ID, Person: "Bob"}); err != nil || f.New != 2 || f.Skipped["person"] != 1 {
			t.Errorf("one's: %v, %+v", err, f)
		}
		f = c.previewed(t, []byte("Title,Date\n\"A Film\",\"3/4/24\"\n"))
		if _, err := c.ImportFile(t.Context(), control.FileOrder{ID: f.ID, Wait: true}); control.FaultOf(err).Message.Code != "fault.ambiguousDates" {
			t.Errorf("either date: %v, %+v", err, f)
		}
		f, err := c.PreviewFile(t.Context(), control.FileOrder{ID: f.ID, Dates: control.DayFirst})
		if err == nil {
			_, err = c.ImportFile(t.Context(), control.FileOrder{ID: f.ID, Wait: true})
		}
		all, _ := c.List(t.Context(), entry.Filter{})
		if err != nil || len(all) != 1 || all[0].WatchedAt.Time().Local().Format(time.DateOnly) != "2024-04-03" || all[0].WatchedAt.Precision != viewing.Day {
			t.Errorf("the day first: %v, %+v", err, all)
		}
	})
}

// Invalid files are refused with the reason and not stored.
func TestInvalidFilesAreRefused(t *testing.T) {
	openOffline(t, testOptions(t), func(c *core) {
		for content, code := range map[string]string{"": "file.empty", "hello": "file.unknown", "PK\x03\x04": "file.zip"} {
			if _, err := c.AddFile(t.Context(), "x", strings.NewReader(content)); control.FaultOf(err).Message.Code != code {
				t.Errorf("%q: %v", content, err)
			}
		}
		f, err := c.AddFile(t.Context(), "x", bytes.NewReader(traktZip(t, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.ImportFile(t.Context(), control.FileOrder{ID: f.ID}); control.FaultOf(err).Message.Code != "fault.noPreview" {
			t.Errorf("without a preview: %v", err)
		}
		for _, id := range []string{"", "../../x", f.ID + "00"} {
			if _, err := c.PreviewFile(t.Context(), control.FileOrder{ID: id}); control.FaultOf(err).Code != control.CodeNotFound {
				t.Errorf("%q: %v", id, err)
			}
		}
		if err := c.ForgetFile(t.Context(), f.ID); err != nil {
			t.Error(err)
		}
		if left, err := os.ReadDir(c.filePath("")); err != nil || len(left) > 0 {
			t.Errorf("left: %v, %v", left, err)
		}
	})
}

// A file is imported with a form without scripts, and the service gets what the preview showed.
func TestImportOnThePage(t *testing.T) {
	l := looking(t)
	send := func(name string, content []byte) *httptest.ResponseRecorder {
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		w, err := form.CreateFormFile("file", name)
		if err == nil {
			_, err = w.Write(content)
		}
		if err != nil {
			t.Fatal(err)
		}
		_ = form.Close()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/import/file", &body)
		r.Header.Set("Content-Type", form.FormDataContentType())
		for _, c := range l.cookies {
			r.AddCookie(c)
		}
		answer := httptest.NewRecorder()
		l.pages.ServeHTTP(answer, r)
		return answer
	}
	if a := send("x.txt", []byte("hello")); a.Code != http.StatusUnprocessableEntity || !strings.Contains(a.Body.String(), "does not know this kind of file") {
		t.Errorf("%d\n%s", a.Code, a.Body)
	}
	if a := send("", nil); a.Code != http.StatusUnprocessableEntity || !strings.Contains(a.Body.String(), "Choose a file first") {
		t.Errorf("%d\n%s", a.Code, a.Body)
	}
	l.refused("/import/begin", url.Values{"id": {"00"}}, "not kept any more")
	l.sees("/import", `data-most="1073741824" data-large="The file is larger than 1024 MB`)
	// The service already has one of them.
	l.becomes(l.commits("browser:x", viewing.Event{
		Kind: viewing.KindViewing, EventID: "1", Count: 1, WatchedAt: viewing.At(time.Date(2024, 1, 1, 21, 1, 0, 0, time.UTC)),
		Media: []viewing.Media{{Type: viewing.Episode, Show: &viewing.Show{IDs: viewing.IDs{TMDB: 1396}}, Season: intPointer(1), Episode: intPointer(1)}},
	})[0], viewing.StateDelivered)
	if a := send("<b>trakt.zip", traktZip(t, 12)); a.Code != http.StatusSeeOther {
		t.Fatalf("%d\n%s", a.Code, a.Body)
	}
	body := l.sees("/import", "&lt;b&gt;trakt.zip", "11 new", "1 of them without a known title", "1 already here", "Import 11 rows")
	l.does("/import/begin", l.form(body, "/import/begin"))
	changed, stop := l.d.store.Subscribe()
	defer stop()
	for l.recorded() < 11 {
		select {
		case <-changed:
		case <-time.After(20 * time.Second):
			t.Fatalf("the service has %d", l.recorded())
		}
	}
	body = l.sees("/import", "Imported: 11 rows.", `href="/review"`)
	l.does("/import/forget", l.form(body, "/import/forget"))
	if body := l.sees("/import"); strings.Contains(body, "trakt.zip") {
		t.Errorf("it is still there:\n%s", body)
	}
}

func intPointer(n int) *int { return &n }

// Items that a list already has are not added again, and the list is not duplicated.
func TestImportOfLists(t *testing.T) {
	openOffline(t, testOptions(t), func(c *core) {
		adds := func(list, id string, film int64) entry.Entry {
			t.Helper()
			is, err := c.Add(t.Context(), viewing.Event{Kind: viewing.KindList, EventID: "list " + id, List: &viewing.List{Name: list}})
			if err != nil {
				t.Fatal(err)
			}
			item := movie(id, film, "", 0)
			item.Kind, item.InList, item.WatchedAt, item.Count = viewing.KindListItem, is.EventID, viewing.Instant{}, 0
			e, err := c.Add(t.Context(), item)
			if err != nil || e.State != viewing.StatePending {
				t.Fatal(e, err)
			}
			return e
		}
		adds("Noir", "mine", 10_000)
		wish := movie("wish", 603, "", 0)
		wish.Kind, wish.WatchedAt, wish.Count = viewing.KindWatchlist, viewing.Instant{}, 0
		if _, err := c.Add(t.Context(), wish); err != nil {
			t.Fatal(err)
		}
		text := strings.Builder{}
		text.WriteString("kind,type,title,year,tmdb,imdb,tvdb,series,series_year,series_tmdb,series_imdb,series_tvdb,season,episode,watched_at,rewatch,list,source\n")
		for n := range 1500 {
			fmt.Fprintf(&text, "list_item,movie,Film,2001,%d,,,,,,,,,,,,%s,cli\n", 10_000+n, []string{"Noir", "Red"}[n/750])
		}
		for _, film := range []int{603, 604, 604} {
			fmt.Fprintf(&text, "watchlist,movie,Film,2001,%d,,,,,,,,,,,,,cli\n", film)
		}
		if f := c.imported(t, []byte(text.String())); f.New != 1501 || f.Known != 4 || f.Held != 0 || f.SendSeconds != 0 {
			t.Errorf("%+v", f)
		}
		if f := c.imported(t, []byte(text.String())); f.New != 0 {
			t.Errorf("again: %+v", f)
		}
		if e := adds("Red", "more", 603); e.After == 0 {
			t.Errorf("%+v", e)
		}
		if lists, err := c.List(t.Context(), entry.Filter{Kind: viewing.KindList}); err != nil || len(lists) != 2 {
			t.Errorf("%d lists, %v", len(lists), err)
		}
	})
}
