package library

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
)

// Server is a MySQL or MariaDB server with a library, from advancedsettings.xml. Printing it never
// shows the password.
type Server struct {
	Host, Port string
	User       string
	Name       string // database name without the schema number: MyVideos

	password func() string
}

// WithUser returns the server with another user. An empty password means none.
func (s Server) WithUser(user, password string) *Server {
	s.User, s.password = user, func() string { return password }
	return &s
}

// String returns the server's address without user and password.
func (s Server) String() string { return "mysql://" + net.JoinHostPort(s.Host, s.Port) + "/" + s.Name }

// Checksum returns a checksum of a library on a server. It changes with any play count, and when an
// item is added or refreshed. It costs one scan of the table of files.
func (d Database) Checksum(ctx context.Context) (mark string, err error) {
	err = d.withSession(ctx, func(s *session) { mark = s.checksum() })
	return mark, err
}

// checksum returns a checksum of the files of a server's library and the last ids of items and
// identifiers, which Kodi never reuses.
func (s *session) checksum() (mark string) {
	if s.server {
		s.queryValue(&mark, `select concat_ws(' ', count(*), sum(crc32(concat_ws('|', idFile, idPath, strFilename, ifnull(playCount, '-'), ifnull(lastPlayed, '-')))),
			(select max(idMovie) from movie), (select max(idEpisode) from episode), (select max(uniqueid_id) from uniqueid)) from files`)
		mark = fmt.Sprint(s.version, " ", mark)
	}
	return mark
}

// withSession runs read in one transaction in the newest database of the library and closes the
// connection. The transaction is read-only and does not block Kodi's writes.
func (s Server) withSession(ctx context.Context, read func(*session)) error {
	if s.Host == "" || s.User == "" || s.password() == "" { // Kodi requires the same three
		return fmt.Errorf("%w: its host, user or password is missing", ErrMySQL)
	}
	c := mysql.NewConfig()
	c.User, c.Passwd = s.User, s.password()
	c.Net, c.Addr = "tcp", net.JoinHostPort(s.Host, s.Port)
	c.Timeout, c.ReadTimeout, c.WriteTimeout = connectTimeout, readTimeout, connectTimeout
	c.InterpolateParams = true
	c.ConnectionAttributes = "program_name:filmspool"
	c.Logger = &mysql.NopLogger{}
	c.TLSConfig = "preferred"
	if err := c.Apply(mysql.Charset("utf8mb4", "")); err != nil {
		return err
	}
	connector, err := mysql.NewConnector(c)
	if err != nil {
		return err
	}
	on := &session{ctx: ctx, server: true}
	return on.withConnection(sql.OpenDB(connector), func(*session) {
		on.transact(func() {
			if on.useNewestDatabase(s); on.err == nil {
				read(on)
			}
		})
	})
}

// connectTimeout bounds the time to connect to a server.
const connectTimeout = 3 * time.Second

// useNewestDatabase selects the library's database with the highest schema number: Kodi leaves
// old ones behind when it upgrades.
func (s *session) useNewestDatabase(library Server) {
	var name, newest string
	s.queryRows([]any{&name}, func() {
		n, ok := parseVersion(strings.ToLower(name), strings.ToLower(library.Name), "") // some servers keep names in lower case
		if ok && n > s.version {
			newest, s.version = name, n
		}
	}, `select schema_name from information_schema.schemata`)
	if newest == "" {
		s.fail(fmt.Errorf("%w: %s", ErrEmpty, library))
	}
	if s.err == nil {
		_, err := s.tx.ExecContext(s.ctx, "use `"+strings.ReplaceAll(newest, "`", "``")+"`")
		s.fail(err)
	}
	s.queryValue(&s.origin, `select concat(@@hostname, ':', @@port, ' ', @@datadir)`) // it may have several addresses
	s.path, s.origin = library.String()+strconv.Itoa(s.version), s.origin+" "+library.Name
}
