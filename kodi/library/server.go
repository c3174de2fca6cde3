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

// String is the server's address, without user and password.
func (s Server) String() string { return "mysql://" + net.JoinHostPort(s.Host, s.Port) + "/" + s.Name }

// Mark changes when a play count of a server's library does, or an item is added or
// refreshed. It costs the server one pass over its table of files.
func (d Database) Mark(ctx context.Context) (mark string, err error) {
	err = d.open(ctx, func(s *session) { mark = s.mark() })
	return mark, err
}

// mark sums up the files of a server's library and the last rows of what lies behind
// them. Kodi never uses a number again there.
func (s *session) mark() (mark string) {
	if s.server {
		s.first(&mark, `select concat_ws(' ', count(*), sum(crc32(concat_ws('|', idFile, idPath, strFilename, ifnull(playCount, '-'), ifnull(lastPlayed, '-')))),
			(select max(idMovie) from movie), (select max(idEpisode) from episode), (select max(uniqueid_id) from uniqueid)) from files`)
		mark = fmt.Sprint(s.version, " ", mark)
	}
	return mark
}

// open runs read in one transaction in the newest database of the library, and has
// hung up when it returns. The transaction is read-only and sees one state; Kodi's
// writes do not wait for it.
func (s Server) open(ctx context.Context, read func(*session)) error {
	if s.Host == "" || s.User == "" || s.password() == "" { // Kodi demands the same three
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
	return on.through(sql.OpenDB(connector), func(*session) {
		on.transact(func() {
			if on.use(s); on.err == nil {
				read(on)
			}
		})
	})
}

// connectTimeout bounds how long a server may take to accept a connection.
const connectTimeout = 3 * time.Second

// use chooses the database of a library with the highest number: Kodi leaves old ones
// behind when it upgrades.
func (s *session) use(library Server) {
	var name, newest string
	s.each([]any{&name}, func() {
		n, ok := numbered(strings.ToLower(name), strings.ToLower(library.Name), "") // some servers keep names in lower case
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
	s.first(&s.origin, `select concat(@@hostname, ':', @@port, ' ', @@datadir)`) // it may have several addresses
	s.path, s.origin = library.String()+strconv.Itoa(s.version), s.origin+" "+library.Name
}
