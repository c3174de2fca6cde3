package identify

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/queue/account"
)

// After trouble, what could not be asked is asked about anew: once it is over,
// and once a day at most.
func TestWhatTMDBMissedIsAskedAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := &Identifier{}
		away := errors.New("away")
		for n, step := range []struct {
			wait time.Duration
			err  error
			anew bool
		}{
			{0, nil, false},
			{0, away, false},
			{time.Hour, nil, true},
			{0, nil, false},
			{time.Hour, away, false},
			{time.Hour, nil, false},
			{23 * time.Hour, nil, true},
			{anewEvery, nil, false},
		} {
			time.Sleep(step.wait)
			if got := i.mayAgain(step.err); got != step.anew {
				t.Errorf("step %d: %v", n, got)
			}
		}
	})
}

// What keeps TMDB from being asked stands in the status; nothing else waits for it.
func TestTMDBWithoutItsMemory(t *testing.T) {
	var none *Identifier
	if rows := none.Sources(); len(rows) > 0 {
		t.Error("a row without TMDB")
	}
	o := Options{
		TMDB: Where{On: true, Address: "https://api.themoviedb.org/3"}, Token: func() (string, error) { return "", nil },
		Recovered: func(context.Context) {},
		State:     t.TempDir(), Logger: slog.New(slog.DiscardHandler),
	}
	i := Open(t.Context(), o)
	rows := i.Sources()
	if s := rows[0]; len(rows) != 1 || s.State != account.Attention || s.Hint != "filmspool login --tmdb" {
		t.Errorf("without a token: %+v", rows)
	}
	if _, err := i.Decide(context.Background(), nil); !errors.Is(err, errNobody) {
		t.Error(err)
	}
	if err := i.Close(); err != nil {
		t.Error(err)
	}
	o.State += "/not/there"
	i = Open(t.Context(), o)
	if rows = i.Sources(); len(rows) != 1 || rows[0].State != account.Attention || rows[0].Detail == "" {
		t.Errorf("without a folder: %+v", rows)
	}
	if err := i.Close(); err != nil {
		t.Error(err)
	}
}
