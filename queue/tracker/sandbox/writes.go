package sandbox

import (
	"context"
	"crypto/rand"
	"database/sql"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	maxCount    = 10_000 // viewings of one request, so that no number fills the disk
	maxListName = 200    // characters
)

// The kinds of media, in the contract's words.
const (
	movie   = "movie"
	episode = "episode"
	tv      = "tv"
)

// input is what a write asks for, checked.
type input interface {
	// save records it within tx and gives the answer.
	save(ctx context.Context, tx *sql.Tx, r request) (answer, error)
}

// request is a write that passed every check.
type request struct {
	operation string // "POST /history"
	input     input
	body      []byte
	key       string // the Idempotency-Key as sent
	once      bool   // whether the key counts
	at        time.Time
}

// viewing is the history input (contract, section 2.1).
type viewing struct {
	kind                  string
	at                    *time.Time // nil: the time of arrival
	count                 int64
	item                  *int64
	show, season, episode *int64
}

// parseViewing reads the fields in the order of the contract's table.
func parseViewing(o object) (input, error) {
	f := &fields{object: o}
	v := viewing{kind: viewingType(f)}
	v.item = f.integer("id", 1)
	if v.kind == movie && v.item == nil {
		f.fail("id", "is required for a film")
	}
	v.count = count(f)
	v.at = f.instant("watchedAt")
	placed := v.kind == episode && v.item == nil // place decides which episode it is
	v.show = series(f, placed)
	v.season = place(f, "seasonNumber", 0, placed)
	v.episode = place(f, "episodeNumber", 1, placed)
	if v.kind == movie {
		v.show, v.season, v.episode = nil, nil, nil
	}
	return v, f.fault
}

func viewingType(f *fields) string {
	if string(f.object["type"]) == `"tv"` {
		f.fail("type", "a series is no history entry: send its episodes")
	}
	return f.requiredOf("type", movie, episode)
}

func count(f *fields) int64 {
	n := f.integer("count", 1)
	if n == nil {
		return 1
	}
	if *n > maxCount {
		f.fail("count", "must be at most 10000")
	}
	return *n
}

// series is tvShowId or its alias tmdbId. Where it decides, both must agree.
func series(f *fields, decides bool) *int64 {
	alias := f.integer("tmdbId", 1)
	ahead := fields{object: f.object} // a fault of tvShowId itself is named in its turn
	show := ahead.integer("tvShowId", 1)
	if decides && alias != nil && show != nil && *alias != *show {
		f.fail("tmdbId", "differs from tvShowId, whose alias it is")
	}
	show = f.integer("tvShowId", 1)
	if show == nil {
		show = alias
	}
	if decides && show == nil {
		f.fail("tvShowId", "is required: an episode needs id, or tvShowId, seasonNumber and episodeNumber")
	}
	return show
}

func place(f *fields, name string, least int64, required bool) *int64 {
	n := f.integer(name, least)
	if required && n == nil {
		f.fail(name, "is required for an episode without id")
	}
	return n
}

func (v viewing) save(ctx context.Context, tx *sql.Tx, r request) (answer, error) {
	at := r.at
	if v.at != nil {
		at = *v.at
	}
	_, err := tx.ExecContext(ctx, `
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
		INSERT INTO history (type, item, show, season, episode, watched_at, received_at, idempotency_key)
		SELECT ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9 FROM n`,
		v.count, v.kind, v.item, v.show, v.season, v.episode, at.UnixMilli(), r.at.UnixMilli(), r.key)
	return success(), err
}

// wish is the watchlist input (contract, section 2.2).
type wish struct {
	kind     string
	item     int64
	priority *int64
}

func parseWish(o object) (input, error) {
	f := &fields{object: o}
	w := wish{kind: f.requiredOf("type", movie, tv)}
	if item := f.integer("id", 1); item != nil {
		w.item = *item
	} else {
		f.fail("id", "is required")
	}
	w.priority = f.integer("priority", -maxInteger)
	return w, f.fault
}

func (w wish) save(ctx context.Context, tx *sql.Tx, r request) (answer, error) {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO watchlist (type, item, priority, received_at, updated_at, idempotency_key) VALUES (?1, ?2, ?3, ?4, ?4, ?5)
		ON CONFLICT (type, item) DO UPDATE
		SET priority = coalesce(excluded.priority, priority), updated_at = excluded.updated_at`,
		w.kind, w.item, w.priority, r.at.UnixMilli(), r.key)
	return success(), err
}

// newList is the list request (contract, section 2.3).
type newList struct{ name, description, visibility string }

func parseList(o object) (input, error) {
	f := &fields{object: o}
	l := newList{visibility: "PRIVATE"}
	if name := f.text("name"); name != nil {
		l.name = *name
	}
	switch {
	case strings.TrimSpace(l.name) == "":
		f.fail("name", "is required")
	case utf8.RuneCountInString(l.name) > maxListName:
		f.fail("name", "must have at most 200 characters")
	}
	if description := f.text("description"); description != nil {
		l.description = *description
	}
	if _, given := o["visibility"]; given {
		l.visibility = f.oneOf("visibility", "PRIVATE", "PUBLIC")
	}
	return l, f.fault
}

func (l newList) save(ctx context.Context, tx *sql.Tx, r request) (answer, error) {
	at := Stamp{r.at}
	list := List{ID: "lst_" + rand.Text(), Name: l.name, Description: l.description, Visibility: l.visibility, CreatedAt: at, UpdatedAt: at}
	_, err := tx.ExecContext(ctx,
		"INSERT INTO lists (public_id, name, description, visibility, received_at, idempotency_key) VALUES (?, ?, ?, ?, ?, ?)",
		list.ID, list.Name, list.Description, list.Visibility, at.UnixMilli(), r.key)
	if err != nil {
		return answer{}, err
	}
	return jsonAnswer(http.StatusCreated, list)
}

func success() answer { return answer{status: http.StatusOK, body: []byte(`{"success":true}`)} }
