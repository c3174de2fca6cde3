package disk

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// source is a damaged database that can be read in part.
type source struct {
	db      *sql.DB
	cleanup func() error
}

func (s source) Close() error { return errors.Join(s.db.Close(), s.cleanup()) }

// readable opens the damaged database base, or a copy of it with the parts mended
// without which SQLite reads nothing: the header, then all pages of the
// schema. They are taken from the fresh database, whose tables were made by
// the same statements in the same order and so begin at the same pages.
func (f *File) readable(ctx context.Context, base, fresh string) (source, error) {
	db, err := f.openDamaged(ctx, base)
	if err == nil {
		return source{db, func() error { return nil }}, nil
	}
	mended := f.path + ".mended"
	cleanup := func() error { return removeDatabase(mended) }
	for _, mend := range []func(path, fresh string) error{mendHeader, mendSchema} {
		if err := errors.Join(cleanup(), copyFile(base, mended), copyFile(base+"-wal", mended+"-wal")); err != nil {
			return source{}, errors.Join(fmt.Errorf("copy damaged database: %w: %w", ErrStorage, err), cleanup())
		}
		if err := mend(mended, fresh); err != nil {
			return source{}, errors.Join(fmt.Errorf("mend database: %w: %w", ErrStorage, err), cleanup())
		}
		if db, err = f.openDamaged(ctx, mended); err == nil {
			return source{db, cleanup}, nil
		}
	}
	f.logger.Error("nothing can be read of the damaged database", "error", err)
	db, err = openPool(1, fresh, "ro") // it is empty
	return source{db, cleanup}, err
}

// openDamaged opens a database without regard to a wrong size or a broken
// part of the schema. It fails when a table is not found that is needed.
func (f *File) openDamaged(ctx context.Context, path string) (*sql.DB, error) {
	db, err := openPool(1, path, "ro", "writable_schema(1)")
	if err != nil {
		return nil, err
	}
	var needed []string
	for name, t := range f.salvage.Tables {
		if t.Needed {
			needed = append(needed, name)
		}
	}
	names, err := json.Marshal(needed)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	var tables int
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE name IN (SELECT value FROM json_each(?))", string(names)).Scan(&tables)
	if err == nil && tables < len(needed) {
		err = fmt.Errorf("%d of %d tables found", tables, len(needed))
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// copyFile copies a file that may be missing.
func copyFile(from, to string) error {
	content, err := os.ReadFile(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o600)
}

const (
	headerSize = 100
	pageSize   = 4096
)

// mendHeader gives a database the header of the fresh one, with its own size.
func mendHeader(path, fresh string) error { return mend(path, fresh, nil) }

// mendSchema gives it all pages of the schema, too.
func mendSchema(path, fresh string) error {
	template, err := os.ReadFile(fresh)
	if err != nil {
		return err
	}
	return mend(path, fresh, schemaPages(template))
}

// mend takes the header and some pages from the fresh database.
func mend(path, fresh string, pages []int) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	template, err := os.ReadFile(fresh)
	if err != nil {
		return err
	}
	if len(content) < len(template) {
		content = append(content, make([]byte, len(template)-len(content))...)
	}
	for _, page := range pages {
		copy(content[(page-1)*pageSize:page*pageSize], template[(page-1)*pageSize:])
	}
	copy(content[:headerSize], template[:headerSize])
	binary.BigEndian.PutUint32(content[28:], uint32(len(content)/pageSize))
	clear(content[32:40]) // the list of free pages
	return os.WriteFile(path, content, 0o600)
}

// schemaPages are the pages of the table that names all others: the first,
// and where that only points to others, those.
func schemaPages(content []byte) []int {
	const interior, headerOfInterior = 5, 12
	pages := []int{1}
	if len(content) < pageSize || content[headerSize] != interior {
		return pages
	}
	cells := int(binary.BigEndian.Uint16(content[headerSize+3:]))
	for cell := range cells {
		at := int(binary.BigEndian.Uint16(content[headerSize+headerOfInterior+2*cell:]))
		pages = append(pages, int(binary.BigEndian.Uint32(content[at:])))
	}
	return append(pages, int(binary.BigEndian.Uint32(content[headerSize+8:])))
}
