package transfer

import (
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

var update = flag.Bool("update", false, "write testdata/rows.golden")

// sample returns a file of testdata, or an archive of a folder.
func sample(t testing.TB, name string) string {
	t.Helper()
	var members []string
	root := filepath.Join("testdata", name)
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		inside, _ := filepath.Rel(root, path)
		members = append(members, filepath.ToSlash(inside), string(content))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(members) == 2 && members[0] == "." {
		return members[1]
	}
	return zipped(t, members...)
}

// samples returns the names of all samples in testdata.
func samples(t testing.TB) (names []string) {
	t.Helper()
	all, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if e.Name() != "rows.golden" && e.Name() != "fuzz" {
			names = append(names, e.Name())
		}
	}
	return names
}

// describe returns a row as a line of text, with its key unless that is a hash.
func describe(row Row) string {
	e, words := row.Event, []string{string(row.Skip)}
	if row.Skip == "" {
		words[0] = string(e.Kind)
	}
	add := func(is bool, form string, values ...any) {
		if is {
			words = append(words, fmt.Sprintf(form, values...))
		}
	}
	ids := func(ids viewing.IDs) {
		add(ids.TMDB > 0, "tmdb %d", ids.TMDB)
		add(ids.IMDB != "", "imdb %s", ids.IMDB)
		add(ids.TVDB > 0, "tvdb %d", ids.TVDB)
	}
	if e.List != nil {
		add(true, "%q %q", e.List.Name, e.List.Description)
	}
	for _, m := range e.Media {
		if m.Show != nil {
			add(true, "of %q", m.Show.Title)
			add(m.Show.Year > 0, "(%d)", m.Show.Year)
			ids(m.Show.IDs)
		}
		add(m.Season != nil, "season %d", deref(m.Season))
		add(m.Episode != nil, "episode %d", deref(m.Episode))
		add(true, "%s %q", m.Type, m.Title)
		add(m.Year > 0, "(%d)", m.Year)
		ids(m.IDs)
		add(m.Site != nil, "at %s", m.Site)
		add(m.Site.OwnCount(), "by its count")
		add(m.Unsure, "unsure")
	}
	if at := e.WatchedAt; e.Kind == viewing.KindViewing && row.Skip != SkipUnreadable && row.Skip != SkipMark && row.Skip != SkipRating {
		add(at.Offset != nil, "on %s", at.Time().In(time.FixedZone("", deref(at.Offset))).Format(time.RFC3339))
		add(at.Precision == viewing.Day, "(day)")
	}
	add(row.Ambiguous, "ambiguous")
	add(e.Class != "", "class %s", e.Class)
	add(e.InList != "" && len(e.InList) < 32, "on the list %s", e.InList)
	add(row.Key != "" && len(row.Key) < 32, "key %s", row.Key)
	add(row.Source != "", "source %s", row.Source)
	add(row.Person != "", "by %s", row.Person)
	return strings.Join(words, " ")
}

func deref(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

// readAll detects the format of a file and reads its rows.
func readAll(content string) (form string, rows []Row, err error) {
	f, err := Open(strings.NewReader(content), int64(len(content)))
	if err != nil {
		return "", nil, err
	}
	format, err := Detect(f)
	if err != nil {
		return "", nil, err
	}
	for row, err := range format.Read(f, Options{}) {
		if err != nil {
			return format.Name, rows, err
		}
		rows = append(rows, row)
	}
	return format.Name, rows, nil
}

// setLocalZone sets the machine's zone until the test ends.
func setLocalZone(t testing.TB, zone *time.Location) {
	before := time.Local
	t.Cleanup(func() { time.Local = before })
	time.Local = zone
}

func setBerlinZone(t testing.TB) {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	setLocalZone(t, zone)
}

// TestReadAllFormats compares the rows of each sample with rows.golden, which was checked by
// hand. To update it: go test -run TestReadAllFormats -update.
func TestReadAllFormats(t *testing.T) {
	setBerlinZone(t)
	var got strings.Builder
	for _, name := range samples(t) {
		content := sample(t, name)
		form, rows, err := readAll(content)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		fmt.Fprintf(&got, "-- %s: %s --\n", name, form)
		for _, row := range rows {
			fmt.Fprintln(&got, describe(row))
		}
		checkRows(t, name, rows)
		if _, again, _ := readAll(content); !slices.EqualFunc(rows, again, func(a, b Row) bool { return a.Key == b.Key }) {
			t.Errorf("%s: other keys when read again", name)
		}
	}
	const golden = "testdata/rows.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	wanted, lines := append(strings.Split(string(want), "\n"), "no more"), append(strings.Split(got.String(), "\n"), "no more")
	for i := range wanted {
		if wanted[i] != lines[i] {
			t.Fatalf("line %d:\n%s, want\n%s", i+1, lines[i], wanted[i])
		}
	}
}

// TestReadStopsWithConsumer: a reader yields nothing more after the consumer stopped.
func TestReadStopsWithConsumer(t *testing.T) {
	for _, name := range samples(t) {
		f := open(t, sample(t, name))
		format, err := Detect(f)
		if err != nil {
			t.Fatal(err)
		}
		for end, more := 1, true; more; end++ {
			n := 0
			more = false
			for range format.Read(f, Options{}) {
				if n++; n == end {
					more = true
					break
				}
			}
		}
	}
}

// TestPrivateMembersStayClosed: account archives also contain tokens and bills, which are never opened.
func TestPrivateMembersStayClosed(t *testing.T) {
	for name, private := range map[string]string{
		"tvtime_en": "access_token.csv", "netflix_data_en": "payment_and_billing/*", "letterboxd_en": "deleted/*", "trakt_en": "user-profile.json",
	} {
		f := open(t, sample(t, name))
		closed := shape{members: private}.partsOf(f)
		if len(closed) != 1 {
			t.Fatal(name, len(closed))
		}
		closed[0].open = func() (io.ReadCloser, error) {
			t.Errorf("%s: %s is opened", name, private)
			return nil, io.EOF
		}
		format, err := Detect(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range format.Read(f, Options{}) {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// checkRows checks what the queue relies on: unique keys, valid events, and lists before their items.
func checkRows(t testing.TB, name string, rows []Row) {
	t.Helper()
	keys := map[string]bool{}
	for _, row := range rows {
		if row.Skip != "" || row.Source != "" { // rows of our own export have the event ids of their sources
			continue
		}
		if row.Key == "" || len(row.Key) > 150 || keys[row.Key] {
			t.Fatalf("%s: key %q of %s", name, row.Key, describe(row))
		}
		keys[row.Key] = true
		row.Event.EventID = row.Key
		if err := row.Event.Validate(); err != nil {
			t.Fatalf("%s: %s: %v", name, describe(row), err)
		}
		if list := row.Event.InList; list != "" && !keys[list] {
			t.Fatalf("%s: %s: its list does not come before it", name, describe(row))
		}
	}
}

// TestNewerFileKeepsRowKeys: rows of an older file have the same keys in a newer one.
func TestNewerFileKeepsRowKeys(t *testing.T) {
	const begin = "Title,Date\n"
	older := "\"Plain Film\",\"9/13/23\"\n\"Plain Film\",\"9/13/23\"\n\"Other\",\"9/2/23\"\n"
	_, before, err := readAll(begin + older)
	if err != nil {
		t.Fatal(err)
	}
	_, after, err := readAll(begin + "\"Plain Film\",\"9/14/23\"\n" + older)
	if err != nil || len(before) != 3 || len(after) != 4 {
		t.Fatal(before, after, err)
	}
	for i, row := range before {
		if row.Key != after[i+1].Key || row.Key == after[0].Key {
			t.Errorf("row %d: key %s, before %s", i, after[i+1].Key, row.Key)
		}
	}
}

// TestTruncatedSamples: each sample, cut anywhere, gives valid rows or an error with a message.
func TestTruncatedSamples(t *testing.T) {
	for _, name := range samples(t) {
		content := sample(t, name)
		for at := 1; at < len(content); at += 1 + len(content)/40 {
			_, rows, err := readAll(content[:at])
			checkRows(t, name, rows)
			if err != nil && code(err) == "" {
				t.Errorf("%s, cut at %d: %v", name, at, err)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range samples(f) {
		f.Add([]byte(sample(f, name)))
	}
	f.Fuzz(func(t *testing.T, content []byte) { fuzzRows(t, string(content)) })
}

func FuzzTrakt(f *testing.F) {
	const folder = "trakt_en/export-trakt-ann/"
	f.Add(sample(f, folder+"watched-history-1.json"), sample(f, folder+"lists-list-77-rain.json"))
	f.Fuzz(func(t *testing.T, history, list string) {
		fuzzRows(t, zipped(t, "watched-history.json", history, "lists-list-1.json", list))
	})
}

func FuzzOwn(f *testing.F) {
	f.Add(sample(f, "own.jsonl"))
	f.Fuzz(func(t *testing.T, lines string) { fuzzRows(t, `{"v":1,"eventId":"x"}`+"\n"+lines) })
}

// fuzzRows reads a file and checks that rows are valid and errors have a message.
func fuzzRows(t *testing.T, content string) {
	form, rows, err := readAll(content)
	if form != "jsonl" && form != "trakt" { // their keys come from the file
		checkRows(t, "fuzz", rows)
	}
	for _, row := range rows {
		probe := row.Event
		if probe.EventID = row.Key; row.Skip == "" && probe.Validate() != nil {
			t.Errorf("%+v: %v", row, probe.Validate())
		}
	}
	if err != nil && code(err) == "" {
		t.Errorf("no message: %v", err)
	}
}

// generatedFile is a Netflix page with many rows, generated on the fly.
type generatedFile struct{ rows int }

const generatedBegin = "Title,Date\n"

func (g generatedFile) size() int64 { return int64(len(generatedBegin) + g.rows*len(g.row(0))) }

func (g generatedFile) row(i int) string {
	const row = "\"Invented Series %05d: Season %02d: The Episode of %08d\",\"%02d/%02d/2%1d\"\n"
	return fmt.Sprintf(row, i/60%20000, i/20%3+1, i%7000000, i/30%12+1, i%28+1, i/200000%4)
}

// ReadAt generates the rows between at and the end of b.
func (g generatedFile) ReadAt(b []byte, at int64) (n int, err error) {
	if at < int64(len(generatedBegin)) {
		n = copy(b, generatedBegin[at:])
	}
	for n < len(b) {
		place, length := int(at)+n-len(generatedBegin), len(g.row(0))
		if place/length >= g.rows {
			return n, io.EOF
		}
		n += copy(b[n:], g.row(place / length)[place%length:])
	}
	return n, nil
}

// BenchmarkNetflix reads a page of a million rows, and measures the largest heap.
func BenchmarkNetflix(b *testing.B) {
	file := generatedFile{rows: 1_000_000}
	for b.Loop() {
		runtime.GC()
		started, rows, most := time.Now(), 0, uint64(0)
		f, err := Open(file, file.size())
		if err != nil {
			b.Fatal(err)
		}
		format, err := Detect(f)
		if err != nil {
			b.Fatal(err)
		}
		for row, err := range format.Read(f, Options{}) {
			if err != nil || row.Skip != "" {
				b.Fatal(describe(row), err)
			}
			if rows++; rows%100_000 == 0 {
				var now runtime.MemStats
				runtime.ReadMemStats(&now)
				most = max(most, now.HeapInuse)
			}
		}
		if rows != file.rows {
			b.Fatal(rows)
		}
		b.ReportMetric(float64(rows)/time.Since(started).Seconds(), "rows/s")
		b.ReportMetric(float64(most)/(1<<20), "MB-most")
	}
}
