package library

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/filmspool/filmspool/kodi/snapshot"
)

// Server is a MySQL or MariaDB server that keeps a library, as
// advancedsettings.xml tells. Its password never shows when it is printed.
type Server struct {
	Host, Port    string
	User          string
	Name          string // of its databases, without the number: MyVideos
	CA, Cert, Key string // files, when it speaks TLS

	password func() string
}

// As is the server for another user. An empty password is none.
func (s Server) As(user, password string) *Server {
	s.User, s.password = user, func() string { return password }
	return &s
}

// Missing is what cannot be done without: "host", "user", "password"; or "".
// Kodi demands the same three.
func (s Server) Missing() string {
	switch {
	case s.Host == "":
		return "host"
	case s.User == "":
		return "user"
	case s.password == nil || s.password() == "":
		return "password"
	default:
		return ""
	}
}

// String is the server's address, without user and password.
func (s Server) String() string { return "mysql://" + net.JoinHostPort(s.Host, s.Port) + "/" + s.Name }

// Read takes one snapshot of the library, like the function of that name. The
// transaction is read-only and sees one state; Kodi's writes do not wait for
// it. Tables of an engine without transactions are read twice for a mark, and
// [ErrBusy] is returned when they changed meanwhile.
//
// The errors are those of this package, or the context's.
func (s Server) Read(ctx context.Context) (snapshot.Snapshot, error) {
	snap := snapshot.Snapshot{ReadAt: time.Now()}
	t := newTables()
	err := s.look(ctx, func(ctx context.Context, q queryer, d schema) (err error) {
		snap.Path, snap.Version, snap.Verified = s.path(d), d.version, verified(d.version)
		if snap.Origin, err = s.origin(ctx, q); err != nil {
			return err
		}
		if snap.Mark, err = markOf(ctx, q, d); err != nil {
			return err
		}
		if err := run(ctx, q, t.inFull(d.version)); err != nil {
			return err
		}
		after, err := markOf(ctx, q, d)
		if err == nil && after != snap.Mark {
			err = fmt.Errorf("%w: it changed while it was read", ErrBusy)
		}
		return err
	})
	if err != nil {
		return snapshot.Snapshot{}, fmt.Errorf("read library %s: %w", s, err)
	}
	snap.Files = t.files() // after the server was let go
	return snap, nil
}

// Mark is the [snapshot.Snapshot]'s Mark as it would be now: when it is the same, no
// file has changed and no item was added. It costs the server one pass over its
// table of files.
func (s Server) Mark(ctx context.Context) (string, error) {
	var mark string
	err := s.look(ctx, func(ctx context.Context, q queryer, d schema) (err error) {
		mark, err = markOf(ctx, q, d)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("look at library %s: %w", s, err)
	}
	return mark, nil
}

// path names the database of a snapshot.
func (s Server) path(d schema) string {
	return "mysql://" + net.JoinHostPort(s.Host, s.Port) + "/" + d.name
}

// origin is what the server says of itself: it may have several addresses.
func (s Server) origin(ctx context.Context, q queryer) (string, error) {
	said, err := texts(ctx, q, `select concat(@@hostname, ':', @@port, ' ', @@datadir)`)
	return strings.Join(said, "") + " " + s.Name, err
}

// Bounds of one look at a server. Nobody waits for it there.
const (
	connectTimeout = 3 * time.Second
	serverTimeout  = 10 * time.Second
)

// look runs read in one read-only transaction in the live database, and has
// hung up when it returns. Errors are classified.
func (s Server) look(ctx context.Context, read func(context.Context, queryer, schema) error) error {
	if what := s.Missing(); what != "" {
		return fmt.Errorf("%w: its %s is missing", ErrMySQL, what)
	}
	bounded, cancel := context.WithTimeout(ctx, serverTimeout)
	defer cancel()
	err := s.lookThrough(bounded, read)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil && bounded.Err() != nil {
		return fmt.Errorf("%w: within %v: %w", ErrServerAway, serverTimeout, err)
	}
	return classifyServer(err)
}

func (s Server) lookThrough(ctx context.Context, read func(context.Context, queryer, schema) error) (err error) {
	config, err := s.config()
	if err != nil {
		return err
	}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	d, err := s.live(ctx, conn)
	if err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, "use `"+strings.ReplaceAll(d.name, "`", "``")+"`"); err != nil {
		return err
	}
	// A second lock on what we do not do anyway; MariaDB 5.5 does not know it.
	_, _ = conn.ExecContext(ctx, "set session transaction read only")
	tx, err := conn.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // nothing was written
	return read(ctx, remote{tx}, d)
}

// config is how we speak with the server: no files of ours, no password in the
// clear, and TLS when the server can.
func (s Server) config() (*mysql.Config, error) {
	c := mysql.NewConfig()
	c.User, c.Passwd = s.User, s.password()
	c.Net, c.Addr = s.address()
	c.Timeout, c.ReadTimeout, c.WriteTimeout = connectTimeout, serverTimeout, connectTimeout
	c.InterpolateParams = true
	c.ConnectionAttributes = "program_name:filmspool"
	c.Logger = &mysql.NopLogger{}
	secure, err := s.tls()
	if err != nil {
		return nil, err
	}
	if c.TLS = secure; secure == nil {
		c.TLSConfig = "preferred"
	}
	if c.Net == "tcp" && !loopback(s.Host) {
		c.ServerPubKey = noKey()
	}
	return c, c.Apply(mysql.Charset("utf8mb4", ""))
}

// noKey names a public key that nobody has the private half of. Without TLS the
// driver would encrypt the password with whatever key the other side sends, and
// so give it to anyone in between. With this key such a login is refused.
var noKey = sync.OnceValue(func() string {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err) // crypto/rand does not fail
	}
	mysql.RegisterServerPubKey("none", &key.PublicKey)
	return "none"
})

// loopback reports a name of this machine.
func loopback(host string) bool { return host == "localhost" || net.ParseIP(host).IsLoopback() }

// address is where the server listens. MySQL's own client, and so Kodi, takes
// "localhost" for the socket, where there is one.
func (s Server) address() (network, address string) {
	if strings.HasPrefix(s.Host, "/") {
		return "unix", s.Host
	}
	if s.Host == "localhost" {
		for _, socket := range []string{"/run/mysqld/mysqld.sock", "/var/lib/mysql/mysql.sock", "/tmp/mysql.sock"} {
			if info, err := os.Stat(socket); err == nil && info.Mode()&os.ModeSocket != 0 {
				return "unix", socket
			}
		}
	}
	return "tcp", net.JoinHostPort(s.Host, s.Port)
}

// schema is one database of a server.
type schema struct {
	name    string
	version int
	changed string // when, as the server writes it
	fresh   bool   // within the last hour
}

// live picks the database in use: the one that changed last, of two that
// changed at once the higher number. Kodi leaves old ones behind when it
// upgrades, and upgrades that failed too: a half-made one counts only while it
// is fresh. A server that was started again has forgotten the changes; then
// the one that was made last counts.
func (s Server) live(ctx context.Context, q rower) (schema, error) {
	all, err := s.schemas(ctx, q)
	if err != nil {
		return schema{}, err
	}
	slices.SortFunc(all, func(a, b schema) int {
		return -cmp.Or(strings.Compare(a.changed, b.changed), cmp.Compare(a.version, b.version))
	})
	for _, d := range all {
		whole, err := d.whole(ctx, q)
		if err != nil || whole {
			return d, err
		}
		if d.fresh {
			return d, fmt.Errorf("%w: %s is half made", ErrUpgrading, d.name)
		}
	}
	return schema{}, fmt.Errorf("%w: %s", ErrEmpty, s)
}

// schemas are the databases with the name of a library that have tables.
func (s Server) schemas(ctx context.Context, q rower) ([]schema, error) {
	names, err := texts(ctx, q, `select schema_name from information_schema.schemata`)
	if err != nil {
		return nil, err
	}
	// MySQL 8 would show what it knew a day ago; others refuse the setting.
	_ = each(ctx, q, `set session information_schema_stats_expiry = 0`, nil)
	var all []schema
	for _, name := range names {
		cut := min(len(s.Name), len(name))
		version, ok := numberOf(name[cut:])
		if !ok || !strings.EqualFold(name[:cut], s.Name) { // some servers keep names in lower case
			continue
		}
		d := schema{name: name, version: version}
		if err := d.look(ctx, q); err != nil {
			return nil, err
		}
		if d.changed != "" {
			all = append(all, d)
		}
	}
	return all, nil
}

// look finds out when a database changed; never when it has no tables.
func (d *schema) look(ctx context.Context, q rower) error {
	const changed = `max(greatest(create_time, ifnull(update_time, create_time)))`
	const query = `select ifnull(` + changed + `, ''), ifnull(` + changed + ` > now() - interval 1 hour, 0)
		from information_schema.tables where table_schema = ? and table_type = 'BASE TABLE'`
	return each(ctx, q, query, func(scan scanner) error { return scan(&d.changed, &d.fresh) }, d.name)
}

// whole reports whether a database's number is the one in its name.
func (d schema) whole(ctx context.Context, q rower) (bool, error) {
	table := "`" + strings.ReplaceAll(d.name, "`", "``") + "`.version"
	found, err := texts(ctx, q, `select ifnull(idVersion, 0) from `+table)
	var refused *mysql.MySQLError
	if errors.As(err, &refused) && (refused.Number == noSuchTable || refused.Number == noSuchColumn) {
		return false, nil
	}
	return err == nil && len(found) == 1 && found[0] == fmt.Sprint(d.version), err
}

// remote is the transaction in a library on a server.
type remote struct{ *sql.Tx }

func (r remote) columns(ctx context.Context, table string) ([]string, error) {
	return texts(ctx, r, `select column_name from information_schema.columns where table_schema = database() and table_name = ?`, table)
}

func (remote) whole(expression string) string { return "cast(" + expression + " as signed)" }

// markOf is what changes with a library: a sum over its files, and the last
// row of what lies behind them. Kodi never uses a number again there, so an
// item that was added or refreshed shows; one that was taken away does not.
//
// The times that a server keeps of its tables would cost less, but they are
// whole seconds, and gone when it starts again.
func markOf(ctx context.Context, q queryer, d schema) (string, error) {
	const query = `select count(*), ifnull(sum(crc32(concat_ws('|', idFile, idPath, strFilename, ifnull(playCount, '-'), ifnull(lastPlayed, '-')))), 0),
		(select ifnull(max(idMovie), 0) from movie), (select ifnull(max(idEpisode), 0) from episode), (select ifnull(max(idShow), 0) from tvshow),
		(select ifnull(max(uniqueid_id), 0) from uniqueid), (select ifnull(max(idPath), 0) from path) from files`
	parts := make([]string, 7)
	err := each(ctx, q, query, func(scan scanner) error {
		return scan(&parts[0], &parts[1], &parts[2], &parts[3], &parts[4], &parts[5], &parts[6])
	})
	return d.name + " " + strings.Join(parts, " "), err
}
