package main

import (
	"bufio"
	"encoding/json"
	"errors"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
)

// maxWanted bounds one line that asks about an item, in bytes.
const maxWanted = 64 << 10

func (p *program) identifyCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "identify", Hidden: true, Short: "Say what films and episodes are, by what is known of them",
		Long: `It reads one item a line from standard input, as JSON, and says of each what is certain, or
what it may be, who says so, and why. Nothing is recorded.`,
		Example: `  echo '{"kind":"movie","title":"The Matrix","year":1999}' | filmspool identify --json`,
	}
	asJSON := jsonFlag(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		return p.instance(c.Context(), daemon.Offline, func(ctl control.API) error {
			lines := bufio.NewScanner(p.stdin)
			lines.Buffer(nil, maxWanted)
			for n := 1; lines.Scan(); n++ {
				var w control.Wanted
				if json.Unmarshal(lines.Bytes(), &w) != nil {
					return mistake("line %d is not an item as JSON; filmspool identify --help shows one", n)
				}
				r, err := ctl.Resolve(c.Context(), w)
				switch {
				case err != nil:
					return err
				case *asJSON:
					if err := p.stdout.JSONLine(r); err != nil {
						return err
					}
				default:
					p.stdout.Println(r.Why)
				}
			}
			if errors.Is(lines.Err(), bufio.ErrTooLong) {
				return mistake("a line is longer than %d bytes", maxWanted)
			}
			return lines.Err()
		})
	}
	return c
}
