package entry

import (
	"database/sql"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/disk"
	"github.com/filmspool/filmspool/queue/schema"
	"github.com/filmspool/filmspool/queue/viewing"
)

// empty is a database of the present shape with nothing in it.
func empty(t *testing.T) *sql.DB {
	t.Helper()
	scripts, err := schema.Scripts()
	if err != nil {
		t.Fatal(err)
	}
	file, err := disk.OpenNothing(t.Context(), disk.Options{Schema: scripts})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return file.Reader()
}

// plan is what SQLite means to do for a query, one step a line.
func plan(t *testing.T, db *sql.DB, query string, args ...any) string {
	t.Helper()
	rows, err := db.Query("EXPLAIN QUERY PLAN "+query, args...)
	steps, err := disk.Collect(rows, err, func(r *sql.Rows) (detail string, err error) {
		var id, parent, unused int
		return detail, r.Scan(&id, &parent, &unused, &detail)
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(steps, "\n")
}

func TestListsReadAlongTheirIndexes(t *testing.T) {
	db := empty(t)
	for name, tt := range map[string]struct {
		filter Filter
		want   string
	}{
		"held":            {Filter{State: viewing.StateHeld}, `USING INDEX entries_open \(state=\?\)`},
		"rejected before": {Filter{State: viewing.StateRejected, Below: 9}, `entries_open \(state=\? AND rowid<\?\)`},
		"all":             {Filter{Below: 9}, `SEARCH n USING INTEGER PRIMARY KEY`},
		"before":          {Filter{Before: time.Unix(1e9, 0)}, `SCAN n\n`},
		"by time":         {Filter{ByTime: true}, `SCAN n USING INDEX entries_happened`},
		"by time, past":   {Filter{ByTime: true, Account: "a", Since: time.Unix(1e9, 0), Past: Place{9, 9}}, `entries_happened \(happened_at>\? AND happened_at<\?\)`},
	} {
		query, args, err := tt.filter.query()
		if err != nil {
			t.Fatal(err)
		}
		got := plan(t, db, query, args...)
		if !regexp.MustCompile(tt.want).MatchString(got) || strings.Contains(got, "TEMP B-TREE") {
			t.Errorf("%s does not %s, or sorts:\n%s", name, tt.want, got)
		}
	}
}

// TestWhoWaitsIsFoundByTheIndexes: at the same cost whatever waits.
func TestWhoWaitsIsFoundByTheIndexes(t *testing.T) {
	db := empty(t)
	for _, tt := range []struct {
		query string
		args  []any
		want  string
	}{
		{selectWaits, []any{"a"}, `COVERING INDEX entries_due \(account=\? AND lane=\?\)`},
		{selectOldest, []any{1, "a"}, `SEARCH entries USING INTEGER PRIMARY KEY \(rowid>\?\)`},
		{selectNewest, nil, `SEARCH entries$`}, // the end of the table, not a scan
		{selectPendingAccounts, nil, `SEARCH entries USING COVERING INDEX entries_due\n(.*\n)*.*SEARCH entries USING COVERING INDEX entries_due \(account>\?\)`},
	} {
		got := plan(t, db, tt.query, tt.args...)
		if !regexp.MustCompile(tt.want).MatchString(got) || strings.Contains(got, "SCAN entries") || strings.Contains(got, "TEMP B-TREE") {
			t.Errorf("%s does not %s:\n%s", tt.query, tt.want, got)
		}
	}
}

// TestPagesForVerbsNeverSort shows that going through a million entries page
// by page reads each of them once.
func TestPagesForVerbsNeverSort(t *testing.T) {
	db := empty(t)
	for _, state := range []viewing.State{viewing.StatePending, viewing.StateHeld, viewing.StateInDoubt, viewing.StateRejected, ""} {
		for _, f := range []Filter{
			{State: state},
			{State: state, Account: "a"},
			{State: state, Source: "browser"},
			{State: state, Reason: "bulk"},
			{State: state, Kind: viewing.KindList},
			{State: state, Before: time.Unix(1e9, 0)},
			{State: state, Account: "a", Before: time.Unix(1e9, 0)},
		} {
			f.Below = 9
			query, args, err := f.query()
			if err != nil {
				t.Fatal(err)
			}
			got := plan(t, db, query, args...)
			if strings.Contains(got, "TEMP B-TREE") || strings.Contains(got, "SCAN n") || strings.Contains(got, "SCAN v") {
				t.Errorf("%+v reads too much:\n%s", f, got)
			}
		}
	}
}

func TestDaysReadAlongTheirIndex(t *testing.T) {
	got := plan(t, empty(t), selectDays, "[1,2]")
	for _, step := range []string{"SEARCH n USING INDEX entries_happened (happened_at>? AND happened_at<?)", "SEARCH v USING INTEGER PRIMARY KEY"} {
		if !strings.Contains(got, step) {
			t.Errorf("it does not %s:\n%s", step, got)
		}
	}
}
