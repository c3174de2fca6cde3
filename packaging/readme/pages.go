package readme

import (
	"fmt"
	"os"
	"path/filepath"
)

// Page is one page of the repository that people read.
type Page struct {
	Name string // its path from the top of the repository, with slashes
	Text string
}

// Front is the name of the page that a reader opens first.
const Front = "README.md"

// Pages reads every page that tells people what to type. They come in the
// order in which a new user reads them, the front page first. Root is the top
// of the repository.
func Pages(root string) ([]Page, error) {
	names := []string{
		Front,
		"packaging/INSTALL.md",
		"connector/extension/README.md",
		"kodi/README.md",
		"daemon/config/README.md",
		"cmd/filmspool/README.md",
		"queue/README.md",
		".github/CONTRIBUTING.md",
	}
	pages := make([]Page, 0, len(names))
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return nil, fmt.Errorf("read a page: %w", err)
		}
		pages = append(pages, Page{Name: name, Text: string(text)})
	}
	return pages, nil
}
