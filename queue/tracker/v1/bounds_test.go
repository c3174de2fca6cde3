package v1

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// flood answers every page with the same body and measures the heap. Beyond
// far it ends the reading, so that a client without bounds spoils no machine.
type flood struct {
	body []byte
	most int // pages; 0 for no end

	mu    sync.Mutex
	pages int
	peak  uint64 // bytes of the heap in use, the largest
}

const (
	far    = 400 << 20
	enough = 12 // pages: by then a client without bounds is far beyond
)

func (f *flood) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	f.mu.Lock()
	f.pages++
	f.peak = max(f.peak, now.HeapInuse)
	stop := f.peak > far || f.pages > f.most && f.most > 0
	f.mu.Unlock()
	if stop {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.Write(f.body)
}

// filled is a page of n equal items that says that there are more.
func filled(n int, item string) string {
	return `{"success":true,"pagination":{"page":1,"hasMore":true},"data":[` + strings.Repeat(item+",", n-1) + item + `]}`
}

// A service cannot fill the memory, whatever it answers and for however long,
// and nothing of such a reading proves that a record is not there.
func TestReadingsAreBoundedInMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("reads a hundred megabytes, in one goroutine")
	}
	const most = 64 << 20
	long := strings.Repeat("x", 3<<20)
	listed := fmt.Sprintf(`{"id":"%[1]s","name":"%[1]s","description":"%[1]s"}`, strings.Repeat("x", 12<<10))
	for name, body := range map[string]string{
		"a million items":      filled(maxReading/3-100, `{}`),
		"a hundred items":      filled(100, `{}`),
		"a long text":          filled(1, `{"type":"`+long+`","id":1}`),
		"a long name":          filled(1, `{"`+long+`":1,"type":"movie"}`),
		"long texts of a list": filled(85, listed),
		"a million members":    `{"hasMore":true,"data":[{}]` + strings.Repeat(`,"a":{}`, 500_000) + `}`,
		"deep":                 `{"hasMore":true,"data":[{"x":` + strings.Repeat(`[`, 9000) + strings.Repeat(`]`, 9000) + `}]}`,
		"too deep":             `{"data":` + strings.Repeat(`[`, 2_000_000) + strings.Repeat(`]`, 2_000_000) + `}`,
		"a long message":       `{"success":true,"message":"` + strings.Repeat("a ", 1<<20) + `"}`,
		"no end":               `[` + strings.Repeat(`{"id":1},`, 900_000),
	} {
		t.Run(name, func(t *testing.T) {
			f := &flood{body: []byte(body), most: enough}
			h := httptest.NewServer(f)
			defer h.Close()
			c := newTestClient(t, Options{BaseURL: h.URL + "/api/v1", Proven: true}, nil)
			debug.FreeOSMemory()
			var idle runtime.MemStats
			runtime.ReadMemStats(&idle)
			r, err := c.AllHistory(t.Context(), viewing.Movie)
			lists, complete, listErr := c.Lists(t.Context())
			if f.peak > idle.HeapInuse+most {
				t.Errorf("%d MB more than idle", (f.peak-idle.HeapInuse)>>20)
			}
			if r.Complete || complete {
				t.Errorf("taken for whole: %d records, %d lists", len(r.Items), len(lists))
			}
			if !r.Bound && err == nil || !complete && listErr == nil && f.pages < 2 {
				t.Errorf("neither refused nor at a bound: %v, %v", err, listErr)
			}
			runtime.KeepAlive(lists)
		})
	}
}

// More items than were asked for are no answer: nothing says what they are.
func TestMoreItemsThanAskedForAreNoAnswer(t *testing.T) {
	items := strings.Repeat(film603+",", 100) + film603
	for _, body := range []string{`[` + items + `]`, `{"data":[` + items + `],"total":101}`} {
		r, err := pagesOf(t, "history", reply{200, body}).AllHistory(t.Context(), viewing.Movie)
		if v, ok := tracker.VerdictOf(err); !ok || v.Fate != tracker.Offline || len(r.Items) != 0 {
			t.Errorf("%d items, %v", len(r.Items), err)
		}
	}
	hundred := `{"data":[` + strings.Repeat(film603+",", 99) + film603 + `],"total":100}`
	if r, err := pagesOf(t, "history", reply{200, hundred}).AllHistory(t.Context(), viewing.Movie); err != nil || !r.Complete {
		t.Errorf("a whole page: %+v, %v", r.Complete, err)
	}
}

// A reading that ends at a bound of ours says so: a reading that was moved
// meanwhile may be taken again, this one need not.
func TestReadingAtItsBoundSaysSo(t *testing.T) {
	if testing.Short() {
		t.Skip("reads a hundred megabytes, in one goroutine")
	}
	for name, c := range map[string]struct {
		body  string
		pages int
	}{
		"pages": {`{"data":[` + film603 + `],"hasMore":true}`, maxPages},
		"bytes": {`{"data":[` + film603 + `],"hasMore":true}` + string(bytes.Repeat([]byte(" "), maxReading-1000)), maxAnswers/(maxReading-1000) + 1},
	} {
		f := &flood{body: []byte(c.body)}
		h := httptest.NewServer(f)
		r, err := newTestClient(t, Options{BaseURL: h.URL + "/api/v1", Proven: true}, nil).AllHistory(t.Context(), viewing.Movie)
		h.Close()
		if err != nil || r.Complete || !r.Bound || f.pages != c.pages {
			t.Errorf("%s: complete %v, bound %v after %d pages, want %d: %v", name, r.Complete, r.Bound, f.pages, c.pages, err)
		}
	}
	total := func(n int) reply { return reply{200, fmt.Sprintf(`{"data":[%s],"total":%d}`, film603, n)} }
	if r, err := pagesOf(t, "history", total(2), total(3)).AllHistory(t.Context(), viewing.Movie); err != nil || r.Complete || r.Bound {
		t.Errorf("one that moved: %+v, %v", r, err)
	}
}

// A list whose texts are too long to be ours is never taken for one of ours.
func TestListOfLongTextsIsNobodys(t *testing.T) {
	long := strings.Repeat("x", maxListText+1)
	body := fmt.Sprintf(`{"lists":[{"id":"a","name":%q},{"id":"b","name":"Noir","description":%q},{"id":%q,"name":"Noir"},{"id":"d","name":"Noir"}],"total":4}`, long, long, long)
	lists, complete, err := pagesOf(t, "lists", reply{200, body}).Lists(t.Context())
	if err != nil || !complete || len(lists) != 4 || lists[3] != (tracker.RemoteList{ID: "d", Name: "Noir"}) {
		t.Fatalf("%d lists, %v, %v", len(lists), complete, err)
	}
	for _, l := range lists[:3] {
		if l != (tracker.RemoteList{}) {
			t.Errorf("kept a list of %d bytes", len(l.ID)+len(l.Name)+len(l.Description))
		}
	}
}

// FuzzMembers: an object is read as encoding/json reads it.
func FuzzMembers(f *testing.F) {
	f.Add([]byte(`{"a":1,"b":"x\"y\\","a":[{"c":"]}"},2], "data" : {"d":null} ,"\u0061\u0062":true}`))
	f.Add([]byte(` {} `))
	f.Add([]byte(`{"a":{},"b":[],"":-1.5e3}`))
	f.Fuzz(func(t *testing.T, body []byte) { sameAsJSON(t, body) })
}

func sameAsJSON(t *testing.T, body []byte) {
	t.Helper()
	object, ok := readObject(body)
	var want map[string]json.RawMessage
	if json.Unmarshal(body, &want) != nil || want == nil {
		return
	}
	if !ok {
		t.Fatalf("%q was not read", body)
	}
	for name, value := range want {
		if !utf8.ValidString(name) || strings.ContainsRune(name, utf8.RuneError) {
			continue
		}
		if got := object.get(name); !bytes.Equal(got, value) {
			t.Errorf("%q of %q is %q, want %q", name, body, got, value)
		}
		var list []json.RawMessage
		if json.Unmarshal(value, &list) != nil || len(list) == 0 {
			continue
		}
		i := 0
		for e := range elements(object.get(name)) {
			if i >= len(list) || !bytes.Equal(e, list[i]) {
				t.Fatalf("element %d of %q is %q", i, value, e)
			}
			i++
		}
		if i != len(list) {
			t.Errorf("%d elements of %q, want %d", i, value, len(list))
		}
	}
}
