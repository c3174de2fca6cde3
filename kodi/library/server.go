package library

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"
)

// Server is a MySQL or MariaDB server that keeps a library, as
// advancedsettings.xml tells. Its password never shows when it is printed.
type Server struct {
	Host, Port string
	User       string
	Name       string // of its databases, without the number: MyVideos

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
// it. A library of an engine without transactions that changes meanwhile is
// [ErrBusy]. The errors are those of this package, or the context's.
func (s Server) Read(ctx context.Context, pick func(File) bool) (snap Snapshot, err error) {
	err = s.open(ctx, func(ctx context.Context, on *session) error {
		snap.Path, snap.Version = s.String()+strconv.Itoa(on.version), on.version
		if err := on.first(ctx, &snap.Origin, `select concat(@@hostname, ':', @@port, ' ', @@datadir)`); err != nil { // it may have several addresses
			return err
		}
		snap.Origin += " " + s.Name
		before, err := on.mark(ctx)
		if err != nil {
			return err
		}
		if snap.Files, err = on.readFiles(ctx, pick); err != nil {
			return err
		}
		if snap.Mark, err = on.mark(ctx); err == nil && before != snap.Mark {
			err = fmt.Errorf("%w: it changed while it was read", ErrBusy)
		}
		return err
	})
	if err != nil {
		return Snapshot{}, err
	}
	return snap, nil
}

// Mark changes when a play count does, or an item is added or refreshed. It costs
// the server one pass over its table of files.
func (s Server) Mark(ctx context.Context) (mark string, err error) {
	err = s.open(ctx, func(ctx context.Context, on *session) error {
		mark, err = on.mark(ctx)
		return err
	})
	return mark, err
}

// mark sums up the files and the last rows of what lies behind them. Kodi never
// uses a number again there.
func (s *session) mark(ctx context.Context) (mark string, err error) {
	err = s.first(ctx, &mark, `select concat_ws(' ', count(*), sum(crc32(concat_ws('|', idFile, idPath, strFilename, ifnull(playCount, '-'), ifnull(lastPlayed, '-')))),
		(select max(idMovie) from movie), (select max(idEpisode) from episode), (select max(uniqueid_id) from uniqueid)) from files`)
	return fmt.Sprint(s.version, " ", mark), err
}

// ReadTagged reads what has one of some tags, like the function of that name.
func (s Server) ReadTagged(ctx context.Context, tags []string) (all []Tagged, err error) {
	err = s.open(ctx, func(ctx context.Context, on *session) error {
		all, err = on.readTagged(ctx, tags)
		return err
	})
	return all, err
}

// Bounds of one look at a server. Nobody waits for it there.
const (
	connectTimeout = 3 * time.Second
	serverTimeout  = 10 * time.Second
)

// open runs read in one transaction in the newest database of the library, and
// has hung up when it returns. Errors are classified.
func (s Server) open(ctx context.Context, read func(context.Context, *session) error) error {
	if what := s.Missing(); what != "" {
		return fmt.Errorf("%w: its %s is missing", ErrMySQL, what)
	}
	bounded, cancel := context.WithTimeout(ctx, serverTimeout)
	defer cancel()
	err := s.openThrough(bounded, read)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && bounded.Err() != nil:
		err = fmt.Errorf("%w: within %v: %w", ErrServerAway, serverTimeout, err)
	default:
		err = classifyServer(err)
	}
	if err != nil {
		return fmt.Errorf("read library %s: %w", s, err)
	}
	return nil
}

func (s Server) openThrough(ctx context.Context, read func(context.Context, *session) error) (err error) {
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
	on := &session{conn: conn, server: true}
	name := ""
	err = on.transact(ctx, func() error { name, on.version, err = on.newest(ctx, s.Name); return err })
	if err != nil {
		return err
	}
	if name == "" {
		return fmt.Errorf("%w: %s", ErrEmpty, s)
	}
	if _, err := conn.ExecContext(ctx, "use `"+strings.ReplaceAll(name, "`", "``")+"`"); err != nil {
		return err
	}
	return on.transact(ctx, func() error { return read(ctx, on) })
}

// newest is the database of a library with the highest number; 0 for none. Kodi
// leaves old ones behind when it upgrades.
func (s *session) newest(ctx context.Context, library string) (newest string, version int, err error) {
	var name string
	err = s.each(ctx, []any{&name}, func() {
		cut := min(len(library), len(name))
		n, ok := numberOf(name[cut:])
		if ok && n > version && strings.EqualFold(name[:cut], library) { // some servers keep names in lower case
			newest, version = name, n
		}
	}, `select schema_name from information_schema.schemata`)
	return newest, version, err
}

// config is how we speak with the server: no files of ours, no password in the
// clear, and TLS when the server can.
func (s Server) config() (*mysql.Config, error) {
	c := mysql.NewConfig()
	c.User, c.Passwd = s.User, s.password()
	c.Net, c.Addr = "tcp", net.JoinHostPort(s.Host, s.Port)
	c.Timeout, c.ReadTimeout, c.WriteTimeout = connectTimeout, serverTimeout, connectTimeout
	c.InterpolateParams = true
	c.ConnectionAttributes = "program_name:filmspool"
	c.Logger = &mysql.NopLogger{}
	c.TLSConfig = "preferred"
	if s.Host != "localhost" && !net.ParseIP(s.Host).IsLoopback() {
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
