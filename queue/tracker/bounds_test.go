package tracker

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/queue/viewing"
)

// More items than were asked for are no answer: nothing says what they are.
func TestMoreItemsThanAskedForAreNoAnswer(t *testing.T) {
	items := strings.Repeat(film603+",", 100) + film603
	for _, body := range []string{`[` + items + `]`, `{"data":[` + items + `],"total":101}`} {
		r, err := pagesOf(t, "history", reply{200, body}).AllHistory(t.Context(), viewing.Movie)
		if v, ok := VerdictOf(err); !ok || v.Fate != Offline || len(r.Items) != 0 {
			t.Errorf("%d items, %v", len(r.Items), err)
		}
	}
	hundred := `{"data":[` + strings.Repeat(film603+",", 99) + film603 + `],"total":100}`
	if r, err := pagesOf(t, "history", reply{200, hundred}).AllHistory(t.Context(), viewing.Movie); err != nil || !r.Complete {
		t.Errorf("a whole page: %+v, %v", r.Complete, err)
	}
}

// A service cannot fill the memory: a reading ends at a bound of ours and says so. A
// reading that was moved meanwhile may be taken again, this one need not.
func TestReadingAtItsBoundSaysSo(t *testing.T) {
	for name, c := range map[string]struct {
		most  limits
		pages int
	}{
		"pages": {limits{pages: 7, bytes: 1 << 20}, 7},
		"bytes": {limits{pages: 100, bytes: 1000}, 1000/len(`{"data":[`+film603+`],"hasMore":true}`) + 1},
	} {
		pages := 0
		h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			pages++
			io.WriteString(w, `{"data":[`+film603+`],"hasMore":true}`)
		}))
		client := newTestClient(t, Options{BaseURL: h.URL + "/api/v1", Proven: true}, nil)
		client.limits = c.most
		r, err := client.AllHistory(t.Context(), viewing.Movie)
		h.Close()
		if err != nil || r.Complete || !r.Bound || pages != c.pages {
			t.Errorf("%s: complete %v, bound %v after %d pages, want %d: %v", name, r.Complete, r.Bound, pages, c.pages, err)
		}
	}
	long := pagesOf(t, "history", reply{200, `{"data":[` + film603 + strings.Repeat(" ", maxPage) + `]}`})
	if r, err := long.AllHistory(t.Context(), viewing.Movie); err == nil || r.Complete {
		t.Errorf("an answer beyond its bound: %+v, %v", r, err)
	}
	total := func(n int) reply { return reply{200, fmt.Sprintf(`{"data":[%s],"total":%d}`, film603, n)} }
	if r, err := pagesOf(t, "history", total(2), total(3)).AllHistory(t.Context(), viewing.Movie); err != nil || r.Complete || r.Bound {
		t.Errorf("one that moved: %+v, %v", r, err)
	}
}
