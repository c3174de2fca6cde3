package schema

import (
	"embed"
	"fmt"
	"io/fs"
)

// The files are applied in the order of their names, and never changed once
// released: the n-th brings a database to version n.
//
//go:embed *.sql
var files embed.FS

// Scripts are the steps from an empty file to the present schema.
func Scripts() ([]string, error) {
	names, err := fs.Glob(files, "*.sql") // sorted
	if err != nil {
		return nil, fmt.Errorf("list schema: %w", err)
	}
	scripts := make([]string, len(names))
	for i, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read schema: %w", err)
		}
		scripts[i] = string(text)
	}
	return scripts, nil
}
