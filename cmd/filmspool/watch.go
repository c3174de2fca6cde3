package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/report"
	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
)

// How long a watch waits before it asks again: after an answer, so that what comes
// together is told together, and while nobody answers.
const (
	breath = 250 * time.Millisecond
	absent = 2 * time.Second
)

func (p *program) watchCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "watch",
		Short: "Tell what happens while it happens, until Ctrl-C",
		Long: `Says how things stand, in one sentence, and again when that changes. It tells of
each entry that comes or that goes into another state. It goes on over a restart.`,
		Args: usage.Exactly(),
	}
	w := &watching{program: p, known: control.Watch{After: -1}}
	asJSON := c.Flags().Bool("json", false, "print JSON with stable field names, one object a line")
	c.RunE = func(c *cobra.Command, _ []string) error {
		w.asJSON = *asJSON
		o, err := p.options()
		if err != nil {
			return err
		}
		for {
			err := p.reach(c.Context(), o, nil, func(ctl control.API) error { return w.follow(c.Context(), ctl) })
			if c.Context().Err() != nil {
				return nil // Ctrl-C is how it ends
			}
			if w.known.After < 0 {
				return err // nothing was told yet
			}
			if err := w.tell(control.News{State: "not_running", Summary: gone, Entries: []entry.Entry{}}); err != nil {
				return err
			}
			await(c.Context(), absent)
		}
	}
	return c
}

// gone is the sentence while nobody answers.
const gone = "Filmspool is not running. This goes on when it runs again."

// watching is one watch, and what it has told.
type watching struct {
	*program
	asJSON bool
	known  control.Watch
}

// follow tells what is new until the daemon or ctx ends, which is an error.
func (w *watching) follow(ctx context.Context, ctl control.API) error {
	for {
		news, err := ctl.Watch(ctx, w.known)
		if err == nil {
			err = w.tell(news)
		}
		if err != nil {
			return err
		}
		await(ctx, breath)
	}
}

// tell tells what is new.
func (w *watching) tell(news control.News) error {
	same := news.Summary == w.known.Summary
	w.known = control.Watch{After: news.Last, Summary: news.Summary}
	if w.asJSON {
		if same && len(news.Entries) == 0 {
			return nil
		}
		return w.stdout.JSONLine(news)
	}
	return report.News(w.stdout, news, same)
}

// await waits, or until ctx ends.
func await(ctx context.Context, span time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(span):
	}
}
