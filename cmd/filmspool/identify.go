package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/viewing"
)

// maxLine is the maximum length of an input line in bytes.
const maxLine = 64 << 10

// identify reads items from the standard input, one per line, and prints what they are.
func (p *program) identify(ctx context.Context, _ []string) error {
	return p.instance(ctx, daemon.Offline, func(ctl control.API) error {
		lines := bufio.NewScanner(p.stdin)
		lines.Buffer(nil, maxLine)
		for n := 1; lines.Scan(); n++ {
			var w struct {
				Kind viewing.MediaType `json:"kind"`
				viewing.Media
			}
			if json.Unmarshal(lines.Bytes(), &w) != nil {
				return mistake("usage.noItem", "n", strconv.Itoa(n)).next(control.Command("filmspool identify --help"))
			}
			w.Type = w.Kind
			r, err := ctl.Resolve(ctx, w.Media)
			switch {
			case err != nil:
				return err
			case p.given.json:
				r.Named = nil
				for i := range r.Candidates {
					r.Candidates[i].Poster = ""
				}
				if err := p.stdout.JSONLine(r); err != nil {
					return err
				}
			default:
				p.stdout.Println(r.Why)
			}
		}
		if errors.Is(lines.Err(), bufio.ErrTooLong) {
			return mistake("usage.longLine", "n", strconv.Itoa(maxLine))
		}
		return lines.Err()
	})
}
