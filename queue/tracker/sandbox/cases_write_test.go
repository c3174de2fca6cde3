package sandbox

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

const placed = `"tvShowId":1396,"seasonNumber":1,"episodeNumber":2`

func historyRows() []row {
	return []row{
		{number: 29, says: "a film now", variants: exactly(`{"success":true}`, accepted("history", `{"type":"movie","id":603}`)), after: atArrival},
		{
			number: 30, says: "an episode by id", variants: exactly(`{"success":true}`, accepted("history", `{"type":"episode","id":62085}`)),
			after: lastViewing(HistoryItem{Type: "episode", ID: 62085, TMDBID: 62085}),
		},
		{number: 31, says: "an episode by place", variants: accepted("history", `{"type":"episode",`+placed+`}`,
			`{"type":"episode","tmdbId":1396,"seasonNumber":1,"episodeNumber":2}`), after: bothFormsSame},
		{
			number: 32, says: "id decides", variants: slices.Concat(
				accepted("history", `{"type":"episode","id":62085,`+placed+`}`),
				refused("history", "seasonNumber", `{"type":"episode","id":62085,"seasonNumber":-1}`),
				refused("history", "episodeNumber", `{"type":"episode","id":62085,"episodeNumber":0}`),
				refused("history", "tvShowId", `{"type":"episode","id":62085,"tvShowId":0}`)),
			after: lastViewing(HistoryItem{Type: "episode", ID: 62085, TMDBID: 62085, TVShowID: 1396, SeasonNumber: num(1), EpisodeNumber: 2}),
		},
		{number: 33, says: "an episode half told", variants: slices.Concat(
			refused("history", "tvShowId", `{"type":"episode"}`, `{"type":"episode","seasonNumber":1,"episodeNumber":2}`, `{"type":"episode","episodeNumber":2}`),
			refused("history", "seasonNumber", `{"type":"episode","tvShowId":1396,"episodeNumber":2}`, `{"type":"episode","tmdbId":1396}`),
			refused("history", "episodeNumber", `{"type":"episode","tvShowId":1396,"seasonNumber":1}`))},
		{number: 34, says: "series twice", variants: slices.Concat(
			accepted("history", `{"type":"episode","tmdbId":1396,`+placed+`}`),
			refused("history", "tmdbId", `{"type":"episode","tmdbId":1397,`+placed+`}`, `{"type":"episode","tmdbId":1397,"tvShowId":1396,"seasonNumber":-1}`),
			refused("history", "tvShowId", `{"type":"episode","tmdbId":1396,"tvShowId":"x","seasonNumber":1,"episodeNumber":2}`))},
		{number: 35, says: "a film without id", variants: refused("history", "id", `{"type":"movie"}`, `{"type":"movie","tmdbId":603}`,
			`{"type":"movie","tvShowId":603}`)},
		{
			number: 36, says: "a film with a place", variants: slices.Concat(
				accepted("history", `{"type":"movie","id":603,"tmdbId":5,`+placed+`}`),
				refused("history", "seasonNumber", `{"type":"movie","id":603,"seasonNumber":-1}`),
				refused("history", "episodeNumber", `{"type":"movie","id":603,"episodeNumber":0}`)),
			after: lastViewing(HistoryItem{Type: "movie", ID: 603, TMDBID: 603}),
		},
		{number: 37, says: "a series", variants: refused("history", "type", `{"type":"tv","id":1396}`, `{"type":"tv",`+placed+`}`, `{"type":"tv"}`)},
		{number: 38, says: "out of bounds", variants: slices.Concat(
			refused("history", "type", `{"id":603}`, `{"type":"Movie","id":603}`, `{"type":"film","id":603}`, `{"type":"","id":603}`, `{"type":5,"id":603}`),
			refused("history", "seasonNumber", `{"type":"episode","tvShowId":1396,"seasonNumber":-1,"episodeNumber":2}`),
			refused("history", "episodeNumber", `{"type":"episode","tvShowId":1396,"seasonNumber":1,"episodeNumber":0}`))},
		{
			number: 39, says: "specials", variants: accepted("history", `{"type":"episode","tvShowId":1396,"seasonNumber":0,"episodeNumber":1}`),
			after: lastViewing(HistoryItem{Type: "episode", TVShowID: 1396, SeasonNumber: num(0), EpisodeNumber: 1}),
		},
		{number: 40, says: "numbers", variants: numbers(), after: lastViewing(HistoryItem{Type: "movie", ID: 603, TMDBID: 603})},
		{number: 41, says: "identifiers", variants: slices.Concat(
			refused("history", "id", `{"type":"movie","id":0}`, `{"type":"movie","id":-603}`, `{"type":"movie","id":9007199254740992}`,
				`{"type":"movie","id":1e300}`, `{"type":"movie","id":99999999999999999999999}`),
			refused("history", "tvShowId", `{"type":"episode","tvShowId":0,"seasonNumber":1,"episodeNumber":2}`,
				`{"type":"episode","tvShowId":-1,"seasonNumber":1,"episodeNumber":2}`, `{"type":"episode","tvShowId":9007199254740992,"seasonNumber":1,"episodeNumber":2}`),
			refused("history", "tmdbId", `{"type":"episode","tmdbId":0,"seasonNumber":1,"episodeNumber":2}`),
			accepted("history", `{"type":"movie","id":9007199254740991}`)), after: viewings(1)},
		{number: 42, says: "nowhere", variants: accepted("history", `{"type":"movie","id":999999999999}`), after: viewings(1)},
		{number: 43, says: "count absent", variants: accepted("history", valid("history")), after: viewings(1)},
		{number: 44, says: "count adds", variants: accepted("history", `{"type":"movie","id":603,"count":3}`, `{"type":"movie","id":603,"count":3}`), after: threeAndThree},
		{number: 45, says: "count below one", variants: refused("history", "count", `{"type":"movie","id":603,"count":0}`, `{"type":"movie","id":603,"count":-3}`,
			`{"type":"movie","id":603,"count":10001}`)},
		{number: 46, says: "times", variants: times()},
		{number: 47, says: "no zone", variants: badTimes("2026-03-01T19:00:00", "2026-03-01T19:00:00.5", "2026-03-01 19:00:00")},
		{number: 48, says: "no time", variants: slices.Concat(
			badTimes("2026-03-01", "", "2026-02-30T19:00:00Z", "2025-02-29T19:00:00Z", "2026-13-01T19:00:00Z", "2026-03-01T25:00:00Z", "2026-03-01T19:00:60Z",
				"2026-03-01T9:00:00Z", "2026-03-01T19:00:00,5Z", "2026-03-01T19:00:00+25:00", "2026-03-01T19:00:00+24:00", "2026-03-01T19:00:00-10:60", "now", "1772391600", "9999-12-31T23:59:59-01:00"),
			refused("history", "watchedAt", `{"type":"movie","id":603,"watchedAt":1772391600}`, `{"type":"movie","id":603,"watchedAt":{}}`))},
		{number: 49, says: "far times", variants: accepted("history", `{"type":"movie","id":603,"watchedAt":"2126-03-01T19:00:00Z"}`,
			`{"type":"movie","id":603,"watchedAt":"1895-12-28T19:00:00Z"}`), after: farTimesKept},
		{number: 50, says: "the same again", variants: accepted("history", valid("history"), valid("history")), after: viewings(2)},
	}
}

func num(n int64) *int64 { return &n }

// exactly adds that the answer is this body, byte for byte.
func exactly(body string, all []variant) []variant {
	for i := range all {
		all[i].check = func(t *testing.T, _ *probe, r reply) {
			if string(r.body) != body {
				t.Errorf("answered %s, want %s", r.body, body)
			}
		}
	}
	return all
}

func atArrival(t *testing.T, p *probe) {
	v := p.records(t).History
	if len(v) != 1 || !v[0].WatchedAt.Equal(v[0].ReceivedAt.Time) || time.Since(v[0].ReceivedAt.Time).Abs() > time.Minute {
		t.Errorf("recorded %+v, want one viewing at the time of arrival", v)
	}
}

// lastViewing fails unless the newest record is this item.
func lastViewing(want HistoryItem) func(*testing.T, *probe) {
	return func(t *testing.T, p *probe) {
		all := p.records(t).History
		got := all[len(all)-1].HistoryItem
		want.WatchedAt = got.WatchedAt
		if a, b := asJSON(t, got), asJSON(t, want); a != b {
			t.Errorf("recorded %s, want %s", a, b)
		}
	}
}

func asJSON(t *testing.T, v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func bothFormsSame(t *testing.T, p *probe) {
	want := HistoryItem{Type: "episode", TVShowID: 1396, SeasonNumber: num(1), EpisodeNumber: 2}
	for _, v := range p.records(t).History {
		v.WatchedAt = Stamp{}
		if asJSON(t, v.HistoryItem) != asJSON(t, want) {
			t.Errorf("recorded %s, want %s", asJSON(t, v.HistoryItem), asJSON(t, want))
		}
	}
	viewings(2)(t, p)
}

func numbers() []variant {
	all := slices.Concat(
		refused("history", "id", `{"type":"movie","id":"603"}`, `{"type":"movie","id":1.5}`, `{"type":"movie","id":603.0000001}`, `{"type":"movie","id":true}`,
			`{"type":"movie","id":[603]}`, `{"type":"movie","id":6031e-1}`, `{"type":"movie","id":1e-999999999999999999999}`),
		refused("history", "count", `{"type":"movie","id":603,"count":"1"}`, `{"type":"movie","id":603,"count":1.5}`),
		refused("watchlist", "id", `{"type":"tv","id":"1396"}`, `{"type":"tv","id":1.5}`),
		refused("watchlist", "priority", `{"type":"tv","id":1396,"priority":"2"}`, `{"type":"tv","id":1396,"priority":0.5}`))
	for _, field := range []string{"tvShowId", "tmdbId", "seasonNumber", "episodeNumber"} {
		all = append(all, refused("history", field, fmt.Sprintf(`{"type":"episode","id":62085,"%s":"1"}`, field), fmt.Sprintf(`{"type":"episode","id":62085,"%s":1.5}`, field))...)
	}
	return append(all, accepted("history", `{"type":"movie","id":603.0}`, `{"type":"movie","id":6.03e2}`, `{"type":"movie","id":60300e-2}`, `{"type":"movie","id":0.603E+3,"count":1.0}`)...)
}

func threeAndThree(t *testing.T, p *probe) {
	perTime := map[time.Time]int{}
	all := p.records(t).History
	for _, v := range all {
		perTime[v.WatchedAt.Time]++
	}
	if len(all) != 6 || len(perTime) > 2 {
		t.Errorf("%d viewings at %d times, want six, three for each request", len(all), len(perTime))
	}
	for i := 0; i < 3 && len(all) == 6; i++ {
		if all[i].WatchedAt != all[0].WatchedAt || all[i+3].WatchedAt != all[3].WatchedAt {
			t.Errorf("one request's viewings are at different times: %+v", all)
		}
	}
}

// times are the forms of an instant, and how each is kept.
func times() []variant {
	var all []variant
	for _, c := range []struct{ told, kept string }{
		{"2026-03-01T19:00:00Z", "2026-03-01T19:00:00Z"},
		{"2026-03-01T20:00:00+01:00", "2026-03-01T19:00:00Z"},
		{"2026-03-01T10:30:00-08:30", "2026-03-01T19:00:00Z"},
		{"2026-03-01T19:00:00.5Z", "2026-03-01T19:00:00.500Z"},
		{"2026-03-01T19:00:00.123456789Z", "2026-03-01T19:00:00.123Z"},
		{"2026-03-01T19:00:00.0009Z", "2026-03-01T19:00:00Z"},
		{"2026-03-01t19:00:00z", "2026-03-01T19:00:00Z"},
	} {
		for _, v := range accepted("history", fmt.Sprintf(`{"type":"movie","id":603,"watchedAt":%q}`, c.told)) {
			v.check = func(t *testing.T, p *probe, _ reply) {
				all := p.records(t).History
				if got := asJSON(t, all[len(all)-1].WatchedAt); got != `"`+c.kept+`"` {
					t.Errorf("%s was kept as %s, want %s", c.told, got, c.kept)
				}
			}
			all = append(all, v)
		}
	}
	return all
}

func badTimes(all ...string) []variant {
	var out []variant
	for _, text := range all {
		out = append(out, refused("history", "watchedAt", fmt.Sprintf(`{"type":"movie","id":603,"watchedAt":%q}`, text))...)
	}
	return out
}

func farTimesKept(t *testing.T, p *probe) {
	v := p.records(t).History
	if got := asJSON(t, []Stamp{v[0].WatchedAt, v[1].WatchedAt}); got != `["2126-03-01T19:00:00Z","1895-12-28T19:00:00Z"]` {
		t.Errorf("kept %s", got)
	}
}

func watchlistRows() []row {
	return []row{
		{
			number: 51, says: "wishes", variants: exactly(`{"success":true}`, accepted("watchlist", `{"type":"movie","id":1396,"priority":2}`, `{"type":"tv","id":1396,"priority":2}`)),
			after: priorities("movie 2", "tv 2"),
		},
		{number: 52, says: "bad wishes", variants: slices.Concat(
			refused("watchlist", "type", `{"id":1396}`, `{"type":"episode","id":1396}`, `{"type":"TV","id":1396}`),
			refused("watchlist", "id", `{"type":"tv"}`, `{"type":"tv","id":"1396"}`, `{"type":"tv","id":0}`, `{"type":"tv","id":-1}`, `{"type":"tv","id":9007199254740992}`))},
		{
			number: 53, says: "priorities", variants: accepted("watchlist", `{"type":"tv","id":1}`, `{"type":"tv","id":2,"priority":0}`, `{"type":"tv","id":3,"priority":-5}`),
			after: priorities("tv -", "tv 0", "tv -5"),
		},
		{number: 54, says: "the same wish again", variants: accepted("watchlist", `{"type":"tv","id":1,"priority":1}`, `{"type":"tv","id":1}`,
			`{"type":"movie","id":1}`, `{"type":"tv","id":1,"priority":7}`, `{"type":"tv","id":1}`), after: priorities("tv 7", "movie -")},
	}
}

// priorities fails unless the watchlist is this, in order.
func priorities(want ...string) func(*testing.T, *probe) {
	return func(t *testing.T, p *probe) {
		var got []string
		for _, w := range p.records(t).Watchlist {
			text := w.Type + " -"
			if w.Priority != nil {
				text = fmt.Sprint(w.Type, " ", *w.Priority)
			}
			got = append(got, text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("the watchlist is %q, want %q", got, want)
		}
	}
}

func listRows() []row {
	long := strings.Repeat("é", 200)
	return []row{
		{number: 55, says: "a list", variants: listAnswers("Noir", "d", "PRIVATE", accepted("lists", valid("lists"))), after: oneListRecorded},
		{number: 56, says: "names", variants: slices.Concat(
			refused("lists", "name", `{}`, `{"name":""}`, `{"name":"  \t"}`, `{"name":"`+long+`é"}`, `{"name":5}`),
			accepted("lists", `{"name":"`+long+`"}`))},
		{number: 57, says: "defaults", variants: listAnswers("a", "", "PRIVATE", accepted("lists", `{"name":"a"}`))},
		{number: 58, says: "visibility", variants: slices.Concat(listAnswers("a", "", "PUBLIC", accepted("lists", `{"name":"a","visibility":"PUBLIC"}`)),
			refused("lists", "visibility", `{"name":"a","visibility":"private"}`, `{"name":"a","visibility":"FRIENDS"}`, `{"name":"a","visibility":""}`, `{"name":"a","visibility":1}`),
			refused("lists", "description", `{"name":"a","description":1}`))},
		{number: 59, says: "the same name", variants: accepted("lists", valid("lists"), valid("lists")), after: twoLists},
	}
}

// listAnswers adds that the answer is the contract's list object and no more.
func listAnswers(name, description, visibility string, all []variant) []variant {
	for i := range all {
		all[i].check = func(t *testing.T, _ *probe, r reply) {
			var got map[string]any
			if err := json.Unmarshal(r.body, &got); err != nil {
				t.Fatal(err)
			}
			id, _ := got["id"].(string)
			created, _ := got["createdAt"].(string)
			at, err := time.Parse(time.RFC3339, created)
			if id == "" || err != nil || !strings.HasSuffix(created, "Z") || time.Since(at).Abs() > time.Minute {
				t.Errorf("answered %s", r.body)
			}
			want := map[string]any{
				"id": id, "name": name, "description": description, "visibility": visibility,
				"itemCount": 0.0, "createdAt": created, "updatedAt": created,
			}
			if asJSON(t, got) != asJSON(t, want) {
				t.Errorf("answered %s, want %s", asJSON(t, got), asJSON(t, want))
			}
		}
	}
	return all
}

func oneListRecorded(t *testing.T, p *probe) {
	if lists := p.records(t).Lists; len(lists) != 1 || lists[0].Name != "Noir" || lists[0].Description != "d" || lists[0].Visibility != "PRIVATE" {
		t.Errorf("recorded %+v", lists)
	}
}

func twoLists(t *testing.T, p *probe) {
	if lists := p.records(t).Lists; len(lists) != 2 || lists[0].ID == lists[1].ID {
		t.Errorf("recorded %+v, want two lists with an id each", lists)
	}
}
