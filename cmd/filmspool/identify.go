package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// maxWanted bounds one line that asks about an item, in bytes.
const maxWanted = 64 << 10

func (p *program) identifyCommand() *cobra.Command {
	return p.resolving(&cobra.Command{
		Use: "identify", Hidden: true, Short: "Say what films and episodes are, by what is known of them", Args: cobra.NoArgs,
		Long: `Reads one item a line from standard input, as JSON, and says of each what it is:
what is certain, or what it may be, who says so, and why. Your corrections come
first. Then it asks the service, and Wikidata and TMDB where you have turned that
on. Nothing is recorded.`,
		Example: `  echo '{"kind":"movie","title":"The Matrix","year":1999}' | filmspool identify --json`,
	})
}

// resolving has a command say what items are.
func (p *program) resolving(c *cobra.Command) *cobra.Command {
	asJSON := jsonFlag(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		return p.instance(c.Context(), daemon.Offline, func(ctl control.API) error {
			lines := bufio.NewScanner(p.stdin)
			lines.Buffer(nil, maxWanted)
			for n := 1; lines.Scan(); n++ {
				var w control.Wanted
				if err := json.Unmarshal(lines.Bytes(), &w); err != nil {
					return &typed.Error{Problem: fmt.Sprintf("line %d is not an item as JSON", n), Next: "filmspool identify --help shows a line"}
				}
				r, err := ctl.Resolve(c.Context(), w)
				if err != nil {
					return err
				}
				if !*asJSON {
					p.stdout.Println(r.Why)
					if r.Correction != nil {
						p.stdout.Printf("  correction %d: filmspool rules list\n", r.Correction.ID)
					}
				} else if err := p.stdout.JSONLine(r); err != nil {
					return err
				}
			}
			if errors.Is(lines.Err(), bufio.ErrTooLong) {
				return &typed.Error{Problem: fmt.Sprintf("a line is longer than %d bytes", maxWanted), Next: "filmspool identify --help shows a line"}
			}
			return lines.Err()
		})
	}
	return c
}
