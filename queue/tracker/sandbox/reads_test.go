package sandbox

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// filled has five viewings, two wishes and three lists.
func filled(t *testing.T) *probe {
	p := newProbe(t, options(t))
	for _, body := range []string{
		`{"type":"movie","id":603,"watchedAt":"2026-03-03T00:00:00Z"}`,
		`{"type":"movie","id":603,"watchedAt":"2026-03-01T00:00:00Z"}`,
		`{"type":"episode","id":62085,"watchedAt":"2026-03-02T00:00:00Z"}`,
		`{"type":"episode","tvShowId":1396,"seasonNumber":1,"episodeNumber":1,"watchedAt":"2026-03-05T00:00:00Z"}`,
		`{"type":"episode","id":62090,"tmdbId":1396,"seasonNumber":1,"episodeNumber":7,"watchedAt":"2026-03-04T00:00:00.5Z"}`,
	} {
		p.mustBe(t, history(body), 200)
	}
	p.mustBe(t, to("watchlist", `{"type":"movie","id":603,"priority":4}`), 200)
	p.mustBe(t, to("watchlist", `{"type":"tv","id":1396}`), 200)
	for i := range 3 {
		p.mustBe(t, to("lists", fmt.Sprintf(`{"name":"list %d"}`, i)), 201)
	}
	return p
}

func TestReadHistory(t *testing.T) {
	p := filled(t)
	const (
		first  = `{"type":"episode","tvShowId":1396,"seasonNumber":1,"episodeNumber":1,"watchedAt":"2026-03-05T00:00:00Z","rewatchCount":0}`
		second = `{"type":"episode","id":62090,"tmdbId":62090,"tvShowId":1396,"seasonNumber":1,"episodeNumber":7,"watchedAt":"2026-03-04T00:00:00.500Z","rewatchCount":0}`
		third  = `{"type":"movie","id":603,"tmdbId":603,"watchedAt":"2026-03-03T00:00:00Z","rewatchCount":1}`
		fourth = `{"type":"episode","id":62085,"tmdbId":62085,"watchedAt":"2026-03-02T00:00:00Z","rewatchCount":0}`
		fifth  = `{"type":"movie","id":603,"tmdbId":603,"watchedAt":"2026-03-01T00:00:00Z","rewatchCount":1}`
	)
	for query, c := range map[string]struct {
		items string
		pages string
	}{
		"":                                      {join(first, second, third, fourth, fifth), `{"page":1,"pageSize":20,"total":5,"totalPages":1,"hasMore":false}`},
		"sort=watchedAt:asc":                    {join(fifth, fourth, third, second, first), `{"page":1,"pageSize":20,"total":5,"totalPages":1,"hasMore":false}`},
		"pageSize=2":                            {join(first, second), `{"page":1,"pageSize":2,"total":5,"totalPages":3,"hasMore":true}`},
		"pageSize=2&page=3":                     {join(fifth), `{"page":3,"pageSize":2,"total":5,"totalPages":3,"hasMore":false}`},
		"pageSize=100&page=9":                   {``, `{"page":9,"pageSize":100,"total":5,"totalPages":1,"hasMore":false}`},
		"type=movie&sort=watchedAt%3Adesc":      {join(third, fifth), `{"page":1,"pageSize":20,"total":2,"totalPages":1,"hasMore":false}`},
		"type=episode&pageSize=1&page=2":        {join(second), `{"page":2,"pageSize":1,"total":3,"totalPages":3,"hasMore":true}`},
		"type=tv":                               {``, `{"page":1,"pageSize":20,"total":0,"totalPages":0,"hasMore":false}`},
		"minimal=true&type=movie&unknown=field": {strings.ReplaceAll(join(third, fifth), `,"rewatchCount":1`, ""), `{"page":1,"pageSize":20,"total":2,"totalPages":1,"hasMore":false}`},
	} {
		r := p.mustBe(t, get("/api/v1/history?"+query), 200)
		if want := `{"success":true,"data":[` + c.items + `],"pagination":` + c.pages + `}`; string(r.body) != want {
			t.Errorf("%s: answered %s, want %s", query, r.body, want)
		}
		checkEnvelope(t, r)
	}
	for query, field := range map[string]string{
		"type=film": "type", "page=0": "page", "page=x": "page", "page=": "page", "pageSize=101": "pageSize", "pageSize=0": "pageSize",
		"pageSize=-1": "pageSize", "sort=title": "sort", "sort=watchedAt": "sort", "minimal=perhaps": "minimal", "page=99999999999999999999": "page",
	} {
		checkError(t, p.mustBe(t, get("/api/v1/history?"+query), 400), codeValidation, field)
	}
}

func join(items ...string) string { return strings.Join(items, ",") }

func TestReadLists(t *testing.T) {
	p := filled(t)
	var got struct {
		Data       []map[string]any
		Pagination pagination
	}
	if err := json.Unmarshal(p.mustBe(t, get("/api/v1/lists?pageSize=2&page=2"), 200).body, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Data) != 1 || got.Data[0]["name"] != "list 2" || len(got.Data[0]) != 7 || got.Pagination != (pagination{2, 2, 3, 2, false}) {
		t.Errorf("answered %+v", got)
	}
	checkError(t, p.mustBe(t, get("/api/v1/lists?pageSize=101"), 400), codeValidation, "pageSize")
}

func TestReadMe(t *testing.T) {
	var got struct {
		User struct{ ID, Name, Username string }
	}
	p := filled(t)
	if err := json.Unmarshal(p.mustBe(t, get("/api/v1/me"), 200).body, &got); err != nil {
		t.Fatal(err)
	}
	if got.User.ID == "" || got.User.Name == "" || got.User.Username == "" {
		t.Errorf("the user is %+v", got.User)
	}
}

func TestReadStatus(t *testing.T) {
	p := filled(t)
	status := func(body string) *sent { return to("media/status", body).with("x-api-key", testPublic) }
	r := p.mustBe(t, status(`{"items":[{"type":"movie","id":603},{"type":"movie","tmdbId":604},{"type":"episode","id":62085},
		{"type":"episode","tmdbId":1396,"seasonNumber":1,"episodeNumber":1},{"type":"episode","tvShowId":1396,"seasonNumber":1,"episodeNumber":7},
		{"type":"episode","tmdbId":1396,"seasonNumber":9,"episodeNumber":9},{"type":"tv","id":1396}]}`), 200)
	want := `{"success":true,"data":{` + join(
		`"episode:1396:1:1":{"watched":true,"rewatchCount":0,"watchedAt":"2026-03-05T00:00:00Z","inWatchlist":false}`,
		`"episode:1396:1:7":{"watched":true,"rewatchCount":0,"watchedAt":"2026-03-04T00:00:00.500Z","inWatchlist":false}`,
		`"episode:1396:9:9":{"watched":false,"rewatchCount":0,"inWatchlist":false}`,
		`"episode:62085":{"watched":true,"rewatchCount":0,"watchedAt":"2026-03-02T00:00:00Z","inWatchlist":false}`,
		`"movie:603":{"watched":true,"rewatchCount":1,"watchedAt":"2026-03-03T00:00:00Z","inWatchlist":true,"watchlistPriority":4}`,
		`"movie:604":{"watched":false,"rewatchCount":0,"inWatchlist":false}`,
		`"tv:1396":{"inWatchlist":true}`) + `}}`
	if string(r.body) != want {
		t.Errorf("answered %s, want %s", r.body, want)
	}
	p.mustBe(t, status(`{"items":[`+strings.Repeat(`{"type":"movie","id":1},`, 49)+`{"type":"movie","id":1}]}`), 200)
	for body, field := range map[string]string{
		`{}`: "items", `{"items":null}`: "items", `{"items":5}`: "items", `{"items":[5]}`: "items[0]",
		`{"items":[` + strings.Repeat(`{"type":"movie","id":1},`, 50) + `{"type":"movie","id":1}]}`: "items",
		`{"items":[{"type":"movie","id":1},{"type":"film","id":1}]}`:                                "items[1].type",
		`{"items":[{"type":"movie"}]}`:                                                              "items[0].id",
		`{"items":[{"type":"movie","id":"1"}]}`:                                                     "items[0].id",
		`{"items":[{"type":"episode","seasonNumber":1,"episodeNumber":1}]}`:                         "items[0].tvShowId",
		`{"items":[{"type":"episode","tmdbId":1396,"seasonNumber":1}]}`:                             "items[0].episodeNumber",
	} {
		checkError(t, p.mustBe(t, status(body), 400), codeValidation, field)
	}
	checkError(t, p.mustBe(t, status(`{"items":[]}`).with("content-type", "text/plain"), 400), codeValidation, "")
}

func TestContractOnlyHasNoReads(t *testing.T) {
	o := options(t)
	o.ContractOnly = true
	p := newProbe(t, o)
	for _, s := range []*sent{
		get("/api/v1/me"), to("media/status", `{"items":[]}`),
		to("media/resolve", `{"imdbId":"tt0133093"}`), to("media/resolve/batch", `{"items":[]}`),
	} {
		checkError(t, p.mustBe(t, s, 404), codeNotFound, "")
	}
	for _, s := range []*sent{get("/api/v1/history"), get("/api/v1/lists")} {
		checkError(t, p.mustBe(t, s, 405), codeMethod, "")
	}
	if err := p.Arm(Fault{Match: "GET /me", Fault: "html", Times: 1}); err == nil {
		t.Error("armed a fault for an operation that is not served")
	}
	p.mustBe(t, get("/_sandbox/records"), 200)
}
