package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
)

// The ways to open a file.
const (
	reading = "mode=ro"
	writing = "mode=rw&_txlock=immediate"
)

// address is a file for SQLite, and how to open it.
func address(path, how string) (string, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find database: %w", err)
	}
	slashed := "/" + strings.TrimPrefix(filepath.ToSlash(full), "/") // also before a drive letter
	return (&url.URL{Scheme: "file", Path: slashed, RawQuery: how}).String(), nil
}

// pool opens up to two connections to a file. The busy time-out comes first, so that
// the pragmas after it wait too. A report that is not nil gets the error of every query.
func (db *DB) pool(path, how string, report func(error), pragmas ...string) (*sql.DB, error) {
	pragmas = append([]string{fmt.Sprintf("busy_timeout(%d)", db.o.Busy.Milliseconds())}, pragmas...)
	dsn, err := address(path, how+"&_pragma="+strings.Join(pragmas, "&_pragma="))
	if err != nil {
		return nil, err
	}
	connector, err := sqlite.NewConnector(dsn)
	if err != nil {
		return nil, fmt.Errorf("open database: %w: %w", ErrStorage, err)
	}
	if report != nil {
		connector = reportingConnector{connector, report}
	}
	pool := sql.OpenDB(connector)
	pool.SetMaxOpenConns(2)
	pool.SetMaxIdleConns(2)
	return pool, nil
}

// reportingConnector opens connections that report the error of every query. Damage
// that only a reader meets would stay for good otherwise.
type reportingConnector struct {
	driver.Connector
	report func(error)
}

type reportingConn struct {
	driver.Conn
	report func(error)
}

type reportingRows struct {
	driver.Rows
	report func(error)
}

func (c reportingConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	c.report(err)
	return reportingConn{conn, c.report}, err
}

func (c reportingConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	rows, err := c.Conn.(driver.QueryerContext).QueryContext(ctx, query, args)
	c.report(err)
	return reportingRows{rows, c.report}, err
}

func (c reportingConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	return c.Conn.(driver.ConnBeginTx).BeginTx(ctx, o)
}

func (r reportingRows) Next(row []driver.Value) error {
	err := r.Rows.Next(row)
	r.report(err)
	return err
}
