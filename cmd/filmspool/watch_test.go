package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// TestAWatchTellsEachThingOnce, and asks no more than it is answered: an hour without
// news costs nothing.
func TestAWatchTellsEachThingOnce(t *testing.T) {
	one := entry.Entry{ID: 7, State: viewing.StateHeld, Reason: viewing.ReasonFuture, Media: &viewing.Media{Type: viewing.Movie, Title: "Up"}}
	ends := errors.New("it ends")
	begins := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // as the clock of the bubble does
	at := func(hours time.Duration) string {
		return begins.Add(hours*time.Hour).Local().Format(time.TimeOnly) + "  "
	}
	for asJSON, want := range map[bool]string{
		false: at(0) + "Ready.\nhint:  filmspool pair\n" +
			at(1) + "2,000 changes came too fast to be told one by one\n" + at(1) + "7  held  future  Up\n" +
			at(2) + "All is delivered.\n",
		true: `{"last":3,"state":"","summary":"Ready.","hint":"filmspool pair","entries":[],"missed":0}` + "\n" +
			`{"last":2004,"state":"","summary":"Ready.","entries":[{"id":7,`,
	} {
		synctest.Test(t, func(t *testing.T) {
			var out strings.Builder
			w := &watching{program: &program{stdout: terminal.To(&out)}, asJSON: asJSON, known: control.Watch{After: -1}}
			answers := []control.News{
				{Last: 3, Summary: "Ready.", Hint: "filmspool pair", Entries: []entry.Entry{}},
				{Last: 2004, Summary: "Ready.", Entries: []entry.Entry{one}, Missed: 2000},
				{Last: 2004, Summary: "All is delivered."},
				{Last: 2004, Summary: "All is delivered."}, // nothing is new
			}
			var asked []control.Watch
			err := w.follow(t.Context(), control.API{Watch: func(_ context.Context, q control.Watch) (control.News, error) {
				if asked = append(asked, q); len(asked) > len(answers) {
					return control.News{}, ends
				}
				time.Sleep(time.Until(begins.Add(time.Duration(len(asked)-1) * time.Hour)))
				return answers[len(asked)-1], nil
			}})
			if !errors.Is(err, ends) || !strings.HasPrefix(out.String(), want) || !asJSON && out.String() != want {
				t.Errorf("%v, it told\n%swant\n%s", err, out.String(), want)
			}
			if lines := strings.Count(out.String(), "\n"); asJSON && lines != 3 {
				t.Errorf("%d lines of JSON, want one for each answer with news:\n%s", lines, out.String())
			}
			if len(asked) != 5 || asked[0].After != -1 || asked[1] != (control.Watch{After: 3, Summary: "Ready."}) || asked[3].After != 2004 {
				t.Errorf("it asked %+v", asked)
			}
		})
	}
}
