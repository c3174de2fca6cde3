//go:build manual

package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// frontPage contains additional sections of the main page: exit codes, environment, files and
// examples.
//
//go:embed manual.roff
var frontPage []byte

// manualCommands returns the command that writes the man pages to FOLDER.
func (p *program) manualCommands() []*cobra.Command {
	return []*cobra.Command{{
		Use: "manual FOLDER", Hidden: true,
		RunE: func(c *cobra.Command, args []string) error {
			p.describe(c.Root())
			return writePages(c.Root(), args[0])
		},
	}}
}

// writePages writes a page for each command. Its date is SOURCE_DATE_EPOCH (seconds since 1970),
// so that builds are reproducible.
func writePages(root *cobra.Command, folder string) error {
	epoch, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return fmt.Errorf("read SOURCE_DATE_EPOCH: %w", err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	day := time.Unix(epoch, 0).UTC()
	header := doc.GenManHeader{Section: "1", Date: &day, Source: "Filmspool " + version, Manual: "Filmspool Manual"}
	root.DisableAutoGenTag = true
	root.Use = "filmspool COMMAND"
	if err := doc.GenManTree(root, &header, folder); err != nil {
		return fmt.Errorf("write man pages: %w", err)
	}
	return completeFrontPage(filepath.Join(folder, "filmspool.1"))
}

// completeFrontPage inserts the sections of manual.roff before the list of other pages.
func completeFrontPage(file string) error {
	page, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read the front page: %w", err)
	}
	const rest = ".SH SEE ALSO"
	if bytes.Count(page, []byte(rest)) != 1 {
		return fmt.Errorf("complete the front page: it has no %q", rest)
	}
	page = bytes.Replace(page, []byte(rest), append(bytes.Clone(frontPage), rest...), 1)
	if err := os.WriteFile(file, page, 0o644); err != nil {
		return fmt.Errorf("write the front page: %w", err)
	}
	return nil
}
