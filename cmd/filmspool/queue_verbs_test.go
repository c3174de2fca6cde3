package main

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// TestWhatWasShownIsChangedOrNothing: of more entries than an answer names, all are as
// they were shown.
func TestWhatWasShownIsChangedOrNothing(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, after int64 // entries that the order changes, by the first dry run and by the next
		wantIDs       int
		want          string
	}{
		{"as they were", 150, 150, 0, ""},
		{"one more", 150, 151, 0, "something of it has changed meanwhile, so nothing is changed now"},
		{"few, and one more", 20, 21, 20, ""},
		{"nothing, and then one", 0, 1, 0, ""},
	} {
		var given []control.Order
		dry := 0
		ctl := control.API{
			List: func(context.Context, entry.Filter) ([]queue.Entry, error) { return []queue.Entry{{ID: 900}}, nil },
			Explain: func(_ context.Context, id int64) (control.Explanation, error) {
				return control.Explanation{Explanation: entry.Explanation{Entry: queue.Entry{ID: id}}}, nil
			},
			Operate: func(_ context.Context, o control.Order) (entry.Changed, error) {
				if !o.DryRun {
					given = append(given, o)
					return entry.Changed{Verb: o.Verb}, nil
				}
				n := c.before
				if dry++; dry > 1 {
					n = c.after
				}
				would := entry.Changed{Verb: o.Verb, DryRun: true, Changed: n, Left: map[string]int64{viewing.ReasonUnresolved: 3}}
				for id := range min(n, 100) {
					would.IDs = append(would.IDs, id+1)
				}
				return would, nil
			},
		}
		var out bytes.Buffer
		p := &program{stdin: strings.NewReader(""), stdout: terminal.To(&out), stderr: terminal.To(&out)}
		o := control.Order{Verb: control.Drop, Selection: entry.Selection{All: true}}
		did, err := p.agree(t.Context(), ctl, o)
		said := ""
		if err != nil {
			said = err.Error()
		}
		if said != c.want || did.Left[viewing.ReasonUnresolved] != 3 {
			t.Errorf("%s: %q, %+v", c.name, said, did)
		}
		if want := c.want == "" && c.before > 0; want != (len(given) == 1) {
			t.Errorf("%s: %d orders were given", c.name, len(given))
			continue
		}
		for _, o := range given {
			if len(o.IDs) != c.wantIDs || !slices.IsSorted(o.IDs) || (o.UpTo == 900) != (c.wantIDs == 0) || o.All {
				t.Errorf("%s: %+v", c.name, o)
			}
		}
	}
}
