//go:build mariadb

package library_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/go-sql-driver/mysql"

	"github.com/filmspool/filmspool/kodi/kodisim"
	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

// maria is a real MariaDB server for one test.
type maria struct {
	port string
	root *sql.DB // its superuser
}

// password is that of Kodi's user, which must never be printed.
const password = "s3same-0pen"

// startMaria starts a server with a user for Kodi.
func startMaria(t testing.TB) *maria {
	t.Helper()
	m := &maria{}
	port, socket := startServer(t, func(dir string) []string {
		certificates(t, dir)
		return []string{"--ssl-cert=" + filepath.Join(dir, "server.pem"), "--ssl-key=" + filepath.Join(dir, "server.key")}
	})
	m.port = port
	var err error
	m.root, err = sql.Open("mysql", "root@unix("+socket+")/?multiStatements=true")
	ok(t, err)
	t.Cleanup(func() { _ = m.root.Close() })
	m.exec(t, "create user kodi@'127.0.0.1' identified by '"+password+"'; grant all on `MyVideos%`.* to kodi@'127.0.0.1'; grant all on `Other%`.* to kodi@'127.0.0.1'")
	return m
}

func (m *maria) exec(t testing.TB, query string, args ...any) {
	t.Helper()
	if _, err := m.root.Exec(query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// server returns the server as in Kodi's settings.
func (m *maria) server(name string) *library.Server {
	s := library.Server{Host: "127.0.0.1", Port: m.port, Name: name}
	return s.WithUser("kodi", password)
}

// load copies a library file into a database.
func (m *maria) load(t testing.TB, name, path, engine string) {
	t.Helper()
	from, err := sql.Open("sqlite", path)
	ok(t, err)
	defer from.Close()
	m.exec(t, "create database `"+name+"` character set utf8 collate utf8_general_ci")
	for _, table := range column(t, from, `select name from sqlite_schema where type = 'table' and name not like 'sqlite%'`) {
		m.copyTable(t, name, table, engine, from)
	}
}

func column(t testing.TB, db *sql.DB, query string, args ...any) (all []string) {
	t.Helper()
	rows, err := db.Query(query, args...)
	ok(t, err)
	defer rows.Close()
	for rows.Next() {
		var s string
		ok(t, rows.Scan(&s))
		all = append(all, s)
	}
	ok(t, rows.Err())
	return all
}

// copyTable creates and fills a table with the column types that Kodi uses on a server, such as
// auto-increment ids.
func (m *maria) copyTable(t testing.TB, name, table, engine string, from *sql.DB) {
	t.Helper()
	columns := column(t, from, `select name || ' ' || case
			when pk = 1 and lower(type) = 'integer' then 'integer primary key auto_increment'
			when lower(type) like '%int%' then 'integer' when lower(type) = 'bool' then 'bool'
			when lower(type) in ('real', 'float', 'double') then 'double' else 'text' end
		from pragma_table_info(?)`, table)
	m.exec(t, fmt.Sprintf("create table `%s`.%s (%s) engine=%s", name, table, strings.Join(columns, ", "), engine))
	rows, err := from.Query("select * from " + table)
	ok(t, err)
	defer rows.Close()
	tx, err := m.root.Begin()
	ok(t, err)
	insert, err := tx.Prepare(fmt.Sprintf("insert into `%s`.%s values (?%s)", name, table, strings.Repeat(", ?", len(columns)-1)))
	ok(t, err)
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		ok(t, rows.Scan(into...))
		_, err := insert.Exec(values...)
		ok(t, err)
	}
	ok(t, errors.Join(rows.Err(), tx.Commit()))
}

func on(s *library.Server) library.Database { return library.Database{Server: s} }

func readServer(t testing.TB, s *library.Server) library.Snapshot {
	t.Helper()
	snap, err := on(s).Read(context.Background(), nil)
	ok(t, err)
	return snap
}

// TestServer reads from a real MariaDB server.
func TestServer(t *testing.T) {
	m := startMaria(t)
	firstScan := kodisim.Recorded(t, "before-watched")
	m.load(t, "MyVideos121", firstScan, "InnoDB")
	m.load(t, "OtherVideos121", firstScan, "MyISAM")
	t.Run("the same as the file", func(t *testing.T) { m.compareWithFile(t, firstScan) })
	t.Run("labels", m.labels)
	t.Run("tags", m.tagged)
	t.Run("marks", m.marks)
	t.Run("which database", func(t *testing.T) { m.choosesNewest(t, firstScan) })
	t.Run("refusals", m.refusals)
	t.Run("leaves nothing", m.leavesNoLocks)
	t.Run("secure", m.requiresTLS)
}

// compareWithFile: a database gives the same snapshot as the file that it was copied from, with and
// without transactions.
func (m *maria) compareWithFile(t *testing.T, path string) {
	want := read(t, path)
	for _, name := range []string{"MyVideos", "OtherVideos"} {
		got := readServer(t, m.server(name))
		compareFiles(t, describe(want), got)
		if got.Version != 121 || got.Path != "mysql://127.0.0.1:"+m.port+"/"+name+"121" || got.Stamp == "" {
			t.Errorf("got %d, %s, mark %q", got.Version, got.Path, got.Stamp)
		}
	}
	alias := *m.server("MyVideos")
	alias.Host = "::ffff:127.0.0.1"
	if a, b := readServer(t, &alias), readServer(t, m.server("MyVideos")); a.Origin != b.Origin || a.Origin == "" || a.Path == b.Path {
		t.Errorf("by two names: %q and %q", a.Origin, b.Origin)
	}
	if other := readServer(t, m.server("OtherVideos")); other.Origin == readServer(t, &alias).Origin {
		t.Errorf("two libraries are %q", other.Origin)
	}
	newer := newTestLibrary(t, 131)
	film := newer.film("Alpha Öne – 漢字 🎬", viewing.IDs{TMDB: 603})
	newer.version(film, "smb://nas/films/Alpha/Cut.mkv", false)
	m.load(t, "Other131", newer.Path, "InnoDB character set utf8mb4")
	compareFiles(t, describe(read(t, newer.Path)), readServer(t, m.server("Other")))
}

// tagged: the tagged items are the same as in the file.
func (m *maria) tagged(t *testing.T) {
	got, err := on(m.server("OtherLabels")).ReadTagged(t.Context(), []string{"watchlist"})
	ok(t, err)
	if text := describeTagged(got); text != "movie Alpha One (1999) tmdb:603 in /media/films/Alpha One (1999)/Alpha One (1999).mkv\n" {
		t.Errorf("got %s", text)
	}
}

// marks checks which changes change the checksum.
func (m *maria) marks(t *testing.T) {
	s := m.server("MyVideos")
	mark := func() string {
		t.Helper()
		text, err := on(s).Checksum(t.Context())
		ok(t, err)
		return text
	}
	before := readServer(t, s).Stamp
	if now := mark(); now != before {
		t.Errorf("nothing changed, but %q became %q", before, now)
	}
	m.exec(t, "insert into MyVideos121.bookmark (idFile, timeInSeconds, type) values (1, 5, 1)")
	if now := mark(); now != before {
		t.Errorf("a resume point is no change, but %q became %q", before, now)
	}
	for _, change := range []string{
		"update MyVideos121.files set playCount = 1, lastPlayed = '2026-03-01 20:05:00' where idFile = 1",
		"update MyVideos121.files set lastPlayed = '2026-03-01 20:05:01' where idFile = 1",
		"update MyVideos121.files set playCount = null, lastPlayed = null where idFile = 1",
		"insert into MyVideos121.files (idPath, strFilename) values (1, 'New.mkv')",
		"delete from MyVideos121.files where strFilename = 'New.mkv'",
		"update MyVideos121.movie set idMovie = 900 where idMovie = 1",
		"insert into MyVideos121.uniqueid (media_id, media_type, type, value) values (900, 'movie', 'tmdb', '5')",
	} {
		m.exec(t, change)
		now := mark()
		if now == before {
			t.Errorf("not seen: %s", change)
		}
		before = now
	}
	if got := readServer(t, s).Stamp; got != before {
		t.Errorf("the snapshot has mark %q, want %q", got, before)
	}
}

// choosesNewest: the database with the highest schema number is used.
func (m *maria) choosesNewest(t *testing.T, path string) {
	s := m.server("OtherKind")
	if _, err := on(s).Read(t.Context(), nil); !errors.Is(err, library.ErrEmpty) {
		t.Errorf("no database: got %v, want ErrEmpty", err)
	}
	version := func(want int, why string) {
		t.Helper()
		if got := readServer(t, s); got.Version != want {
			t.Errorf("%s: got %d, want %d", why, got.Version, want)
		}
	}
	m.load(t, "OtherKind121", path, "InnoDB")
	m.exec(t, "create database OtherKind; create database OtherKind131; create database OtherKind131_old; create database OtherKindX")
	m.exec(t, "drop database OtherKind131")
	version(121, "beside other names")
	m.load(t, "OtherKind131", path, "InnoDB")
	if _, err := on(s).Read(t.Context(), nil); !errors.Is(err, library.ErrUpgrading) {
		t.Errorf("half made just now: got %v, want ErrUpgrading", err)
	}
	m.exec(t, "drop database OtherKind131")
	m.load(t, "OtherKind131", path, "InnoDB")
	m.exec(t, "update OtherKind131.version set idVersion = 131")
	version(131, "after an upgrade")
}

// refusals checks the kinds of errors, and that none contains the password.
func (m *maria) refusals(t *testing.T) {
	m.exec(t, "create user nobody@'127.0.0.1' identified by 'x'; create user reader@'127.0.0.1' identified by 'x'; grant select on MyVideos121.* to reader@'127.0.0.1'")
	away := library.Server{Host: "127.0.0.1", Port: freePort(t), Name: "MyVideos"}
	right := m.server("MyVideos")
	for name, test := range map[string]struct {
		server *library.Server
		want   error
	}{
		"a wrong password":      {right.WithUser("kodi", password+"x"), library.ErrServerRefused},
		"a user unknown":        {right.WithUser("kodo", password), library.ErrServerRefused},
		"a user without rights": {right.WithUser("nobody", "x"), library.ErrEmpty},
		"a user who may read":   {right.WithUser("reader", "x"), nil},
		"no password":           {right.WithUser("kodi", ""), library.ErrMySQL},
		"no server":             {away.WithUser("kodi", password), library.ErrServerAway},
	} {
		_, err := on(test.server).Read(t.Context(), nil)
		if !errors.Is(err, test.want) {
			t.Errorf("%s: got %v, want %v", name, err, test.want)
		}
		if text := fmt.Sprintf("%v %+v %#v %s %v %+v", err, err, test.server, test.server, *test.server, library.Database{Server: test.server}); strings.Contains(text, password) {
			t.Errorf("%s: the password shows in %s", name, text)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := on(right).Read(ctx, nil); !errors.Is(err, context.Canceled) || errors.Is(err, library.ErrServerAway) {
		t.Errorf("got %v, want context.Canceled alone", err)
	}
}

// leavesNoLocks: a read leaves no connection and no lock, and does not wait for Kodi's locks.
func (m *maria) leavesNoLocks(t *testing.T) {
	writer, err := m.root.Conn(t.Context())
	ok(t, err)
	defer writer.Close()
	_, err = writer.ExecContext(t.Context(), "begin; update MyVideos121.files set playCount = 7 where idFile = 2")
	ok(t, err)
	if got := readServer(t, m.server("MyVideos")); got.Files[1].PlayCount == 7 {
		t.Error("read what is not committed")
	}
	_, err = writer.ExecContext(t.Context(), "rollback")
	ok(t, err)
	m.exec(t, "set lock_wait_timeout = 1; alter table MyVideos121.files comment 'not locked'; alter table OtherVideos121.files comment 'not locked'")
	left := "unknown"
	for range 100 { // the server needs a moment to notice the closed connection
		if left = column(t, m.root, "select count(*) from information_schema.processlist where user = 'kodi'")[0]; left == "0" {
			return
		}
		m.exec(t, "do sleep(0.02)")
	}
	t.Errorf("%s connections are left", left)
}

// requiresTLS: the connection uses TLS if the server requires it.
func (m *maria) requiresTLS(t *testing.T) {
	m.exec(t, "create user safe@'127.0.0.1' identified by 'x' require ssl; grant select on MyVideos121.* to safe@'127.0.0.1'")
	readServer(t, m.server("MyVideos").WithUser("safe", "x"))
}
