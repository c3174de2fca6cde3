package kodisim

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/kodi/realkodi"
	"github.com/filmspool/filmspool/queue/viewing"
)

func TestUpgrade(t *testing.T) {
	s := newStage(t, 121)
	ok(t, s.Play(s.film, evening(5)))
	before := state(t, s.Path())
	u := must(s.BeginUpgrade())(t)
	half := must(sql.Open("sqlite", u.path))(t)
	defer half.Close()
	var version, tables int
	ok(t, half.QueryRow(`select idVersion, (select count(*) from sqlite_schema where name like 'videoversion%') from version`).Scan(&version, &tables))
	if version != 121 || tables != 0 {
		t.Errorf("half made: version row %d and %d new tables, want the old state under the new name", version, tables)
	}
	upgraded := must(u.Finish())(t)
	defer upgraded.Close()
	if diff := cmp.Diff(before, state(t, upgraded.Path())); diff != "" {
		t.Error("the upgrade changed what is seen:\n" + diff)
	}
	ok(t, upgraded.Play(s.film, evening(6)))
	if diff := cmp.Diff(before, state(t, s.Path())); diff != "" {
		t.Error("the old file changed:\n" + diff)
	}
	if _, err := upgraded.BeginUpgrade(); !errors.Is(err, ErrSchema) {
		t.Errorf("a second upgrade: got %v, want ErrSchema", err)
	}
}

// An upgrade of ours against one that a real Kodi 21.2 made: every film has
// its file as its standard version.
func TestUpgradeAgainstRealFile(t *testing.T) {
	real := must(sql.Open("sqlite", "file:"+filepath.ToSlash(realkodi.Library(t, "upgraded"))+"?mode=ro&immutable=1"))(t)
	defer real.Close()
	folder := filepath.Join(t.TempDir(), "Database")
	ok(t, os.Mkdir(folder, 0o755))
	path := filepath.Join(folder, "MyVideos121.db")
	must(real.Exec(`vacuum into ?`, path))(t)
	back := must(sql.Open("sqlite", path))(t)
	for _, statement := range []string{
		`drop view if exists movie_view`, `drop trigger if exists delete_movie`, `drop trigger if exists delete_file`,
		`drop table videoversion`, `drop table videoversiontype`, `update version set idVersion = 121`,
	} {
		must(back.Exec(statement))(t)
	}
	ok(t, back.Close())
	old := must(Open(path))(t)
	defer old.Close()
	upgraded := must(must(old.BeginUpgrade())(t).Finish())(t)
	defer upgraded.Close()
	want, got := dump(t, real, nil), dump(t, upgraded.db, nil)
	delete(want, "videoversiontype") // names of versions, of which we write the few we use
	delete(got, "videoversiontype")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("the libraries differ (-real +ours):\n" + diff)
	}
}

// Our tables hold the columns of Kodi's, in their order and of their kind.
func TestTablesAgainstRealFiles(t *testing.T) {
	for version, state := range map[int]string{121: "before-watched", 131: "upgraded"} {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			real := must(sql.Open("sqlite", "file:"+filepath.ToSlash(realkodi.Library(t, state))+"?mode=ro&immutable=1"))(t)
			defer real.Close()
			ours := must(Create(t.TempDir(), version))(t)
			defer ours.Close()
			if diff := cmp.Diff(columns(t, real), columns(t, ours.db)); diff != "" {
				t.Error("the tables differ (-real +ours):\n" + diff)
			}
		})
	}
}

// The sample has the same tables as what Create makes.
func TestSampleHasOurTables(t *testing.T) {
	sample := must(Sample(t.TempDir()))(t)
	defer sample.Close()
	ours := must(Create(t.TempDir(), 121))(t)
	defer ours.Close()
	if diff := cmp.Diff(columns(t, sample.db), columns(t, ours.db)); diff != "" {
		t.Error("the tables differ (-sample +ours):\n" + diff)
	}
}

// columns is table → "name affinity" of each column.
func columns(t *testing.T, db *sql.DB) map[string][]string {
	t.Helper()
	rows := must(db.Query(`select m.name, c.name, c.type, c.pk from sqlite_schema m, pragma_table_info(m.name) c where m.type = 'table' order by m.name, c.cid`))(t)
	defer rows.Close()
	all := map[string][]string{}
	for rows.Next() {
		var table, name, kind string
		var key bool
		ok(t, rows.Scan(&table, &name, &kind, &key))
		all[table] = append(all[table], fmt.Sprintf("%s %s %v", name, affinity(kind), key))
	}
	ok(t, rows.Err())
	return all
}

// affinity is SQLite's rule for a declared type.
func affinity(kind string) string {
	kind = strings.ToLower(kind)
	for _, rule := range [][2]string{{"int", "integer"}, {"char", "text"}, {"text", "text"}, {"real", "real"}, {"floa", "real"}, {"doub", "real"}} {
		if strings.Contains(kind, rule[0]) {
			return rule[1]
		}
	}
	return "numeric"
}

func TestCrash(t *testing.T) {
	s := newStage(t, 121)
	before := state(t, s.Path())
	if err := s.Crash(func() error { return s.Mark(s.show, evening(5)) }); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.Path() + "-journal"); err != nil {
		t.Fatal("a journal should be left:", err)
	}
	again := must(Open(s.Path()))(t)
	defer again.Close()
	if diff := cmp.Diff(before, state(t, s.Path())); diff != "" {
		t.Error("the next start should undo the act:\n" + diff)
	}
	if _, err := os.Stat(s.Path() + "-journal"); !errors.Is(err, os.ErrNotExist) {
		t.Error("the journal should be gone:", err)
	}
}

// A refresh takes two transactions: in between the item is gone, its file is not.
func TestRefreshHalfWay(t *testing.T) {
	s := newStage(t, 121)
	ok(t, s.Play(s.film, evening(5)))
	finish := must(s.BeginRefresh(s.film, Refreshed{IDs: &viewing.IDs{TMDB: 604}}))(t)
	if err := s.Play(s.film, evening(6)); !errors.Is(err, ErrNoItem) {
		t.Errorf("half way the film plays: %v", err)
	}
	if !slices.Contains(state(t, s.Path()), "Alpha One (1999).mkv 1 2026-03-01 20:05:00") {
		t.Error("half way the file is changed")
	}
	fresh := must(finish())(t)
	ok(t, s.Play(fresh, evening(7)))
}

func TestRefusals(t *testing.T) {
	s := newStage(t, 121)
	nobody := Ref{viewing.Movie, 99}
	for name, err := range map[string]error{
		"play":       s.Play(nobody, evening(5)),
		"play show":  s.Play(s.show, evening(5)),
		"set":        s.SetPlayCount(Ref{viewing.Episode, 99}, 1, evening(5)),
		"mark":       s.Mark(Ref{viewing.TV, 99}, evening(5)),
		"refresh":    second(s.Refresh(nobody, Refreshed{})),
		"remove":     s.Remove(Ref{viewing.TV, 99}),
		"other type": s.Play(Ref{"song", 1}, evening(5)),
	} {
		if !errors.Is(err, ErrNoItem) {
			t.Errorf("%s: got %v, want ErrNoItem", name, err)
		}
	}
	if err := s.AddVersion(s.film, "/media/films/x.mkv", time.Hour, evening(5)); !errors.Is(err, ErrSchema) {
		t.Errorf("a version in 121: got %v, want ErrSchema", err)
	}
	if _, err := Create(t.TempDir(), 119); !errors.Is(err, ErrSchema) {
		t.Errorf("create 119: got %v, want ErrSchema", err)
	}
	if _, err := Create(filepath.Dir(filepath.Dir(s.Path())), 121); err == nil {
		t.Error("Create overwrites a library")
	}
}
