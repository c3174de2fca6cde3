package queue

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// TestExportContainsEverything: each event with its entries.
func TestExportContainsEverything(t *testing.T) {
	s := openNew(t)
	s.oneInEachState(t)
	double := film("double", 7, -70)
	double.Count = 2
	s.commit(t, double, aList("list"), anItem("item", "list", 8))
	s.commitBatch(t, viewing.Batch{Source: living, Events: []viewing.Event{film("seen by another", 2001, -19)}})
	var out bytes.Buffer
	if err := s.Export(t.Context(), entry.Filter{}, &out); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for line := range strings.Lines(out.String()) {
		var r exportRecord
		var seen viewing.Event
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if err := json.Unmarshal(r.Event, &seen); err != nil || seen.EventID != r.EventID || seen.Validate() != nil {
			t.Errorf("%s: %v", line, err)
		}
		for _, e := range r.Entries {
			got[r.EventID] += string(e.State) + " "
		}
		if len(r.Entries) == 0 {
			got[r.EventID] = "none"
		}
	}
	for event, want := range map[string]string{
		"pending": "pending ", "sending": "sending ", "delivered": "delivered ", "held": "held ", "in_doubt": "in_doubt ",
		"rejected": "rejected ", "dropped": "dropped ", "double": "pending pending ", "list": "pending ", "item": "pending ",
		"seen by another": "none",
	} {
		if got[event] != want {
			t.Errorf("event %s: %q, want %q", event, got[event], want)
		}
	}
}

// TestExportWithAFilter: the events with a matching entry, each with all its entries.
func TestExportWithAFilter(t *testing.T) {
	s := openTwoAccounts(t)
	s.commit(t, film("old", 1, -2000), film("new", 2, -10))
	var out bytes.Buffer
	if err := s.Export(t.Context(), entry.Filter{Since: noon().Add(-time.Hour), Account: "ben"}, &out); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, `"eventId":"new"`) || strings.Count(text, `"account":`) != 2 {
		t.Errorf("wrote %s", text)
	}
}

// TestRecords: the diary, the watchlist and the lists, each entry once, sorted, with titles from
// other entries.
func TestRecords(t *testing.T) {
	s := openTwoAccounts(t)
	untitled := film("again", 1, -20)
	untitled.Media[0].Title = ""
	other := aList("other")
	other.List = &viewing.List{Name: "Other", Visibility: "PUBLIC"}
	s.commit(t, film("first", 1, -30), watchlistEntry("wish", 4), aList("noir"), other, anItem("a", "noir", 7), anItem("b", "other", 8), anItem("c", "noir", 9))
	s.commit(t, unidentified("held"), untitled, film("gone", 2, -15), film("early", 3, -40))
	s.amend(t, viewing.Amendment{EventID: "gone", Drop: true, Reason: viewing.Say("unmarked")})
	s.deliver(t, "anna")
	many := viewing.Batch{Source: player}
	for i := range 2500 { // more than two pages
		many.Events = append(many.Events, film(fmt.Sprint("many", i), 100, -100_000-i/2*1000))
	}
	s.commitBatch(t, many)
	labels := func(f entry.Filter) (all []string) {
		for r, err := range s.Records(t.Context(), f) {
			if err != nil {
				t.Fatal(err)
			}
			text := strings.TrimSpace(fmt.Sprint(r.Kind, " ", r.EventID, " ", r.Media.Title, " ", r.Source))
			if r.Rewatch {
				text += " again"
			}
			if r.List != nil {
				text += " on " + r.List.Name + r.List.Visibility
			}
			all = append(all, text)
		}
		return all
	}
	all := labels(entry.Filter{})
	wished := []string{
		"viewing early Alpha One browser", "viewing first Alpha One browser", "viewing held Alpha One browser", "viewing again Alpha One browser again",
		"watchlist wish  browser", "list_item a  browser on Noir", "list_item c  browser on Noir", "list_item b  browser on OtherPUBLIC",
	}
	if len(all) != 2500+len(wished) || !slices.Equal(all[2500:], wished) {
		t.Errorf("%d records, at the end %q", len(all), all[max(0, len(all)-len(wished)):])
	}
	seen := map[string]bool{}
	for i, r := range all {
		if seen[r] {
			t.Fatalf("record %d, %q, comes twice", i, r)
		}
		seen[r] = true
	}
	if got := labels(entry.Filter{Since: noon().Add(-35 * time.Minute), Kind: viewing.KindViewing}); !slices.Equal(got, wished[1:4]) {
		t.Errorf("since then: %q", got)
	}
	if got := labels(entry.Filter{Since: noon().Add(-35 * time.Minute), Account: "ben", Words: "alpha"}); !slices.Equal(got, wished[1:4]) {
		t.Errorf("of ben: %q", got)
	}
}

// TestExportSkipsUnreadableEvents: and names them.
func TestExportSkipsUnreadableEvents(t *testing.T) {
	s := openNew(t)
	batch := viewing.Batch{Source: chrome}
	for i := range 20 {
		batch.Events = append(batch.Events, film(fmt.Sprint("e", i), int64(i+1), -i-1))
	}
	s.commitBatch(t, batch)
	s.change(t, "UPDATE entries SET media = '{' WHERE id IN (7, 9)")
	var out bytes.Buffer
	if err := s.Export(t.Context(), entry.Filter{}, &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 20 {
		t.Fatalf("%d lines", len(lines))
	}
	for i, line := range lines {
		var r exportRecord
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if bad := i == 6 || i == 8; bad && r.Unreadable != int64(i+1) || !bad && (r.EventID != fmt.Sprint("e", i) || len(r.Entries) != 1) {
			t.Errorf("line %d: %s", i, line)
		}
	}
}
