package queue

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/queue/viewing"
)

// TestExportTellsEverything: each event with all that became of it, and no other key.
func TestExportTellsEverything(t *testing.T) {
	s := fresh(t)
	s.several(t)
	double := film("double", 7, -70)
	double.Count = 2
	s.commit(t, double, aList("list"), anItem("item", "list", 8))
	s.commitBatch(t, viewing.Batch{Source: living, Events: []viewing.Event{film("seen by another", 2001, -19)}})
	var out bytes.Buffer
	if err := s.Export(t.Context(), &out); err != nil {
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

// TestExportPassesOverWhatCannotBeRead, and names it.
func TestExportPassesOverWhatCannotBeRead(t *testing.T) {
	s := fresh(t)
	batch := viewing.Batch{Source: chrome}
	for i := range 20 {
		batch.Events = append(batch.Events, film(fmt.Sprint("e", i), int64(i+1), -i-1))
	}
	s.commitBatch(t, batch)
	s.change(t, "UPDATE entries SET media = '{' WHERE id IN (7, 9)")
	var out bytes.Buffer
	if err := s.Export(t.Context(), &out); err != nil {
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
