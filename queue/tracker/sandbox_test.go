package tracker_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/tracker/sandbox"
	"github.com/filmspool/filmspool/queue/viewing"
)

// openSandbox serves a sandbox. Every request of an operation of the contract, except empty probes, is checked
// against the OpenAPI document.
func openSandbox(t *testing.T, contractOnly bool) (*sandbox.Service, string) {
	t.Helper()
	s, err := sandbox.Open(t.Context(), sandbox.Options{Path: filepath.Join(t.TempDir(), "sandbox.jsonl"), ContractOnly: contractOnly})
	if err != nil {
		t.Fatal(err)
	}
	contract := tracker.LoadContract(t)
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if of := r.Clone(context.Background()); err == nil && r.Method == http.MethodPost && !strings.HasSuffix(r.URL.Path, "/items") && string(body) != "{}" {
			of.URL.Scheme, of.URL.Host, of.Host = "https", "tracker.example", "tracker.example"
			of.Body = io.NopCloser(bytes.NewReader(body))
			if err := contract.Request(of); err != nil {
				t.Errorf("request %s %s: %v", r.URL.Path, body, err)
			}
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		s.Handler().ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		h.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, h.URL + "/api/v1"
}

// Every operation of the client arrives at a service that implements the contract, and can be read back if the
// service has the optional endpoints.
func TestSandboxTakesEveryOperation(t *testing.T) {
	season, number := 0, 7
	film := viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}}
	special := viewing.Media{Type: viewing.Episode, Season: &season, Episode: &number, Show: &viewing.Show{IDs: viewing.IDs{TMDB: 1396}}}
	at := time.Date(2026, 3, 1, 19, 0, 0, 250e6, time.UTC)
	for _, contractOnly := range []bool{false, true} {
		s, base := openSandbox(t, contractOnly)
		c, err := tracker.New(tracker.Options{BaseURL: base, Key: s.SecretKey()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		if k := c.CheckKey(t.Context()); !k.Proven || (k.UserID == "") != contractOnly {
			t.Errorf("%+v", k)
		}
		send := func(kind viewing.Kind, m viewing.Media, at time.Time) tracker.Verdict {
			r := tracker.Request{Kind: kind, Media: m, WatchedAt: viewing.At(at), NewList: &viewing.List{Name: "Noir"}}
			v := c.Send(t.Context(), r)
			if v.Outcome != tracker.Delivered || !v.ProvesAddress {
				t.Errorf("%+v: %+v", r, v)
			}
			return v
		}
		send(viewing.KindViewing, film, at)
		send(viewing.KindViewing, film, at.Add(time.Hour))
		send(viewing.KindViewing, special, at)
		send(viewing.KindWatchlist, film, at)
		list := send(viewing.KindList, viewing.Media{}, at).ListID
		for id, there := range map[string]bool{list: !contractOnly, "lst_none": false, list + "/../" + list: false} {
			if v := c.Send(t.Context(), tracker.Request{Kind: viewing.KindListItem, Media: film, List: id}); (v.Outcome == tracker.Delivered) != there || !there && v.Outcome != tracker.Unsupported {
				t.Errorf("list %s, contract only %v: %+v", id, contractOnly, v)
			}
		}
		got, err := s.Records(t.Context())
		if err != nil || len(got.History) != 3 || len(got.Watchlist) != 1 || len(got.Lists) != 1 || got.Lists[0].ID != list || (len(got.ListItems) == 1) == contractOnly {
			t.Errorf("recorded %+v, %v; list id %q", got, err, list)
		}
		films, err := c.AllHistory(t.Context(), viewing.Movie)
		if contractOnly {
			_, me := c.Me(t.Context())
			_, _, lists := c.Lists(t.Context())
			if !errors.Is(err, tracker.ErrNoEndpoint) || !errors.Is(me, tracker.ErrNoEndpoint) || !errors.Is(lists, tracker.ErrNoEndpoint) {
				t.Errorf("%v, %v, %v", err, me, lists)
			}
			continue
		}
		if err != nil || !films.Complete || len(films.Items) != 2 || films.Items[1].Compare(film) != tracker.Same || !films.Items[1].WatchedAt.Equal(at) {
			t.Errorf("%+v, %v", films, err)
		}
		episodes, err := c.AllHistory(t.Context(), viewing.Episode)
		if err != nil || !episodes.Complete || len(episodes.Items) != 1 || episodes.Items[0].Compare(special) != tracker.Same {
			t.Errorf("%+v, %v", episodes, err)
		}
		if v := c.DeleteHistory(t.Context(), special); v.Outcome != tracker.Delivered {
			t.Errorf("%+v", v)
		}
		if again, err := c.AllHistory(t.Context(), viewing.Episode); err != nil || len(again.Items) != 0 {
			t.Errorf("%+v, %v", again, err)
		}
	}
}
