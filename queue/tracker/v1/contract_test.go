package v1

import (
	"bytes"
	"context"
	"errors"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
	"pgregory.net/rapid"

	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

const contractBase = "https://tracker.example/api/v1"

// Contract is the OpenAPI document, and whether something keeps to it.
type Contract struct {
	doc    *openapi3.T
	router routers.Router
}

func LoadContract(t *testing.T) Contract {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	// Examples are checked along with the rest.
	if err := doc.Validate(context.Background()); err != nil {
		t.Fatal(err)
	}
	router, err := legacy.NewRouter(doc)
	if err != nil {
		t.Fatal(err)
	}
	return Contract{doc: doc, router: router}
}

// Request checks one HTTP request; its key may stand in either header.
func (c Contract) Request(r *http.Request) error {
	route, params, err := c.router.FindRoute(r)
	if err != nil {
		return err
	}
	return openapi3filter.ValidateRequest(context.Background(), &openapi3filter.RequestValidationInput{
		Request: r, Route: route, PathParams: params,
		Options: &openapi3filter.Options{AuthenticationFunc: authenticate},
	})
}

func authenticate(_ context.Context, in *openapi3filter.AuthenticationInput) error {
	h := in.RequestValidationInput.Request.Header
	if in.SecuritySchemeName == "bearer" && strings.HasPrefix(h.Get("Authorization"), "Bearer sk_") ||
		in.SecuritySchemeName == "apiKeyHeader" && strings.HasPrefix(h.Get("X-Api-Key"), "sk_") {
		return nil
	}
	return errors.New("no key")
}

// Answer checks one answer to an operation.
func (c Contract) Answer(op tracker.Operation, status int, body string) error {
	r, _ := http.NewRequest(http.MethodPost, contractBase+"/"+string(op), nil)
	route, params, err := c.router.FindRoute(r)
	if err != nil {
		return err
	}
	in := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, Route: route, PathParams: params},
		Status:                 status, Header: http.Header{"Content-Type": {"application/json; charset=utf-8"}},
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	}
	return openapi3filter.ValidateResponse(context.Background(), in.SetBodyBytes([]byte(body)))
}

func TestContractDocument(t *testing.T) {
	doc := LoadContract(t).doc
	if doc.Info.Version != "1.0.0" || len(doc.Servers) != 1 || !strings.HasSuffix(doc.Servers[0].URL, "/api/v1") {
		t.Errorf("version %s, servers %v", doc.Info.Version, doc.Servers)
	}
	if n := doc.Paths.Len(); n != 3 {
		t.Errorf("%d paths", n)
	}
	if unknown, _ := doc.Info.Extensions["x-unknown"].([]any); len(unknown) == 0 {
		t.Error("nothing is marked unknown")
	}
}

func TestAnswersOfTheContract(t *testing.T) {
	c := LoadContract(t)
	list := `{"id":"list_1","name":"Noir","description":"d","visibility":"PRIVATE","itemCount":0,"createdAt":"2026-03-01T19:00:00Z","updatedAt":"2026-03-01T19:00:00.5+01:00"}`
	good := []struct {
		op     tracker.Operation
		status int
		body   string
	}{
		{tracker.History, 200, okBody},
		{tracker.History, 200, `{}`},
		{tracker.History, 400, invalid},
		{tracker.History, 401, noAuth},
		{tracker.History, 403, forbidden},
		{tracker.History, 422, otherError},
		{tracker.Watchlist, 200, okBody},
		{tracker.Watchlist, 201, okBody},
		{tracker.Watchlist, 400, invalid},
		{tracker.Watchlist, 401, noAuth},
		{tracker.Lists, 201, list},
		{tracker.Lists, 200, list},
		{tracker.Lists, 400, invalid},
		{tracker.Lists, 403, forbidden},
	}
	for _, g := range good {
		if err := c.Answer(g.op, g.status, g.body); err != nil {
			t.Errorf("%s %d %s: %v", g.op, g.status, g.body, err)
		}
		if s := (row{op: g.op, status: g.status, body: g.body}.seen(false)); !judge(s).Proves {
			t.Errorf("%s %d %s does not prove the address", g.op, g.status, g.body)
		}
	}
	for _, b := range []struct {
		op     tracker.Operation
		status int
		body   string
	}{{tracker.History, 200, `{"success":"yes"}`}, {tracker.History, 400, `{"error":"X"}`}, {tracker.Lists, 201, `{"id":7}`}, {tracker.Watchlist, 500, okBody}} {
		if c.Answer(b.op, b.status, b.body) == nil {
			t.Errorf("%s %d %s passes", b.op, b.status, b.body)
		}
	}
}

// TestEveryRequestKeepsTheContract makes requests from all kinds of valid
// viewings.
func TestEveryRequestKeepsTheContract(t *testing.T) {
	c := LoadContract(t)
	clients := []*Client{newTestClient(t, Options{BaseURL: contractBase}, nil), newTestClient(t, Options{BaseURL: contractBase, KeyHeader: "bearer"}, nil)}
	rapid.Check(t, func(t *rapid.T) {
		v := validViewing().Draw(t, "viewing")
		if err := v.Validate(); err != nil {
			t.Fatalf("generator: %v", err)
		}
		var m viewing.Media
		if len(v.Media) > 0 {
			m = v.Media[0]
		}
		r, err := tracker.NewRequest(v.Kind, m, v.WatchedAt, v.List, v.Priority)
		if errors.Is(err, tracker.ErrUnidentified) && v.Kind != viewing.KindList && !m.Identified() {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := encode(r)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(body, []byte("null")) && v.Kind != viewing.KindList {
			t.Fatalf("null in %s", body)
		}
		for _, client := range clients {
			req, err := client.request(context.Background(), call{op: r.Operation, body: body, key: testKey})
			if err == nil {
				err = c.Request(req)
			}
			if err != nil {
				t.Fatalf("%s: %v", body, err)
			}
		}
	})
}

func validViewing() *rapid.Generator[viewing.Event] {
	return rapid.Custom(func(t *rapid.T) viewing.Event {
		v := viewing.Event{EventID: "e", Kind: rapid.SampledFrom([]viewing.Kind{viewing.KindViewing, viewing.KindWatchlist, viewing.KindList}).Draw(t, "kind")}
		switch v.Kind {
		case viewing.KindViewing:
			v.Count = 1
			v.Media = []viewing.Media{anyMedia(t, viewing.Movie, viewing.Episode)}
			// The years 0 to 9999, known to the millisecond.
			v.WatchedAt = viewing.Instant{Millis: rapid.Int64Range(-2587680000000, 253402300799999).Draw(t, "millis"), Text: "t", Precision: viewing.Second}
		case viewing.KindWatchlist:
			v.Media = []viewing.Media{anyMedia(t, viewing.Movie, viewing.TV)}
			v.Priority = rapid.Ptr(rapid.IntRange(math.MinInt32, math.MaxInt32), true).Draw(t, "priority")
		default:
			v.List = &viewing.List{
				Name:        "n" + rapid.StringN(0, 199, -1).Draw(t, "name"),
				Description: rapid.StringN(0, 2000, -1).Draw(t, "description"),
				Visibility:  rapid.SampledFrom([]string{"", "PRIVATE", "PUBLIC"}).Draw(t, "visibility"),
			}
		}
		return v
	})
}

func anyMedia(t *rapid.T, types ...viewing.MediaType) viewing.Media {
	id := rapid.Int64Range(0, 1<<53-1)
	m := viewing.Media{
		Type: rapid.SampledFrom(types).Draw(t, "type"),
		IDs:  viewing.IDs{TMDB: id.Draw(t, "tmdb"), IMDB: rapid.SampledFrom([]string{"", "tt0133093"}).Draw(t, "imdb"), TVDB: id.Draw(t, "tvdb")},
		Year: rapid.IntRange(0, 9999).Draw(t, "year"),
	}
	m.Season = rapid.Ptr(rapid.IntRange(0, math.MaxInt32), true).Draw(t, "season")
	m.Episode = rapid.Ptr(rapid.IntRange(1, math.MaxInt32), true).Draw(t, "episode")
	if m.Type == viewing.Episode && rapid.Bool().Draw(t, "has show") {
		m.Show = &viewing.Show{IDs: viewing.IDs{TMDB: id.Draw(t, "show")}}
	}
	return m
}
