package sandbox

import (
	"strings"
	"testing"
)

const (
	theMatrix   = `{"type":"movie","tmdbId":603,"imdbId":"tt0133093","title":"The Matrix","year":1999,"matchConfidence":"high"}`
	theWire     = `{"type":"tv","tmdbId":1438,"imdbId":"tt0306414","title":"The Wire","year":2002,"matchConfidence":"medium"}`
	dune        = `{"type":"movie","tmdbId":438631,"imdbId":"tt1160419","title":"Dune","year":2021,"matchConfidence":"medium"}`
	fargoOnTV   = `{"type":"tv","tmdbId":60622,"imdbId":"tt2802850","title":"Fargo","year":2014,"matchConfidence":"high"}`
	partOfTitle = `{"type":"movie","tmdbId":603,"imdbId":"tt0133093","title":"The Matrix","year":1999,"matchConfidence":"low"}`
)

func TestResolve(t *testing.T) {
	p := newProbe(t, options(t))
	for body, want := range map[string]string{
		`{"imdbId":"tt0133093","title":5}`:                  theMatrix,
		`{"title":"the matrix","type":"movie","year":1999}`: theMatrix,
		`{"title":"The Wire","type":"tv"}`:                  theWire,
		`{"title":"Dune","type":"movie","year":2020}`:       dune,
		`{"title":"Fargo","type":"tv","year":2014}`:         fargoOnTV,
		`{"title":"matrix","type":"movie","year":1999}`:     partOfTitle,
	} {
		r := p.mustBe(t, to("media/resolve", body), 200)
		if got := `{"success":true,"data":` + want + `}`; string(r.body) != got {
			t.Errorf("%s: answered %s, want %s", body, r.body, got)
		}
		checkEnvelope(t, r)
	}
	for _, body := range []string{`{"imdbId":"tt1"}`, `{"title":"The Matrix","type":"tv"}`} {
		checkError(t, p.mustBe(t, to("media/resolve", body), 404), codeNotFound, "")
	}
	for body, field := range map[string]string{
		`{}`: "imdbId", `{"imdbId":5}`: "imdbId", `{"title":" ","type":"movie"}`: "imdbId", `{"title":"Dune"}`: "type",
		`{"title":"Dune","type":"episode"}`: "type", `{"title":"Dune","type":"movie","year":0}`: "year",
	} {
		checkError(t, p.mustBe(t, to("media/resolve", body), 400), codeValidation, field)
	}
}

func TestResolveBatch(t *testing.T) {
	p := newProbe(t, options(t))
	r := p.mustBe(t, to("media/resolve/batch", `{"items":[{"imdbId":"tt0133093"},{"title":"The Wire","type":"tv"},
		{"imdbId":"tt1"},{"title":"Unheard of","type":"movie"}]}`), 200)
	if want := `{"success":true,"data":{"1":` + theWire + `,"tt0133093":` + theMatrix + `}}`; string(r.body) != want {
		t.Errorf("answered %s, want %s", r.body, want)
	}
	many := func(n int) string {
		return `{"items":[` + strings.Repeat(`{"imdbId":"tt1"},`, n-1) + `{"imdbId":"tt1"}]}`
	}
	p.mustBe(t, to("media/resolve/batch", many(50)), 200)
	for body, field := range map[string]string{
		`{}`: "items", many(51): "items", `{"items":[5]}`: "items[0]", `{"items":[{"imdbId":"tt1"},{"title":"Dune"}]}`: "items[1].type",
	} {
		checkError(t, p.mustBe(t, to("media/resolve/batch", body), 400), codeValidation, field)
	}
}

// Its faults strike as they do elsewhere.
func TestResolveMeetsFaults(t *testing.T) {
	p := newProbe(t, options(t))
	if err := p.Arm(Fault{Match: "POST /media/resolve/batch", Fault: "status:503", Times: 1}); err != nil {
		t.Fatal(err)
	}
	p.mustBe(t, to("media/resolve/batch", `{"items":[]}`), 503)
	p.mustBe(t, to("media/resolve/batch", `{"items":[]}`), 200)
}
