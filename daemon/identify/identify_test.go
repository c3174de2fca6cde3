package identify

import (
	"context"
	"log/slog"
	"testing"

	"github.com/filmspool/filmspool/queue/account"
)

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
	if s := rows[0]; len(rows) != 1 || s.State != account.Attention || s.Hint.Args["command"] != "filmspool login --tmdb" {
		t.Errorf("without a token: %+v", rows)
	}
	if len(i.Chain()) > 0 {
		t.Error("it is asked")
	}
	if err := i.Close(); err != nil {
		t.Error(err)
	}
	o.State += "/not/there"
	i = Open(t.Context(), o)
	if rows = i.Sources(); len(rows) != 1 || rows[0].State != account.Attention || len(rows[0].Details) == 0 {
		t.Errorf("without a folder: %+v", rows)
	}
	if err := i.Close(); err != nil {
		t.Error(err)
	}
}
