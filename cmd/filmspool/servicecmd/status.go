package servicecmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/daemon/service"
)

// ErrNotRunning ends "status" where the service does not run. It has no words: they are
// printed already.
var ErrNotRunning = errors.New("")

func (p Program) statusCommand() *cobra.Command {
	c := &cobra.Command{Use: "status", Short: "Say whether the service runs; exit 3 when it does not", Args: usage.Exactly()}
	asJSON := c.Flags().Bool("json", false, "print JSON with stable field names")
	c.RunE = func(c *cobra.Command, _ []string) error {
		m, err := p.Manager(nil)
		if err != nil {
			return err
		}
		s, err := m.Status(c.Context())
		if err != nil {
			return err
		}
		p.addHolder(c.Context(), &s)
		if *asJSON {
			err = p.Stdout.JSON(s)
		} else {
			p.sayService(s)
		}
		if err == nil && s.State != service.Running {
			return ErrNotRunning
		}
		return err
	}
	return c
}

// addHolder tells of a service that does not run who has its port: from here
// more of that can be seen than from within the service.
func (p Program) addHolder(ctx context.Context, s *service.Status) {
	if taken := p.taken(ctx, *s); taken != nil {
		s.Detail, s.Hint = "it cannot start as things are: "+taken.Error(), hintOf(taken)
	}
}

// sayService prints the state, what else the manager tells, and what to do.
func (p Program) sayService(s service.Status) {
	p.Stdout.Println(s.State)
	if s.PID != 0 {
		p.Stdout.Printf("process %d", s.PID)
		if !s.Since.IsZero() {
			p.Stdout.Printf(" since %s", terminal.Second(s.Since))
		}
		if s.Version != "" {
			p.Stdout.Printf(", version %s", s.Version)
		}
		p.Stdout.Println()
	}
	if s.Restarts > 0 {
		p.Stdout.Println(restarted(s))
	}
	if s.Detail != "" {
		for line := range strings.Lines(s.Detail) { // further lines are indented already
			p.Stdout.Println(strings.TrimSuffix(line, "\n"))
		}
	}
	switch {
	case s.Installed && !s.Autostart:
		p.Stdout.Printf("It does not start by itself. To change that: %s\n", service.Command(p.Choice.System, "service install"))
	case s.UntilLogout:
		p.Stdout.Println(untilLogout)
	}
	p.Stdout.Hint(s.Hint)
}

// restarted tells how often the manager had to start the service again.
func restarted(s service.Status) string {
	again := "once"
	if s.Restarts > 1 {
		again = fmt.Sprintf("%d times", s.Restarts)
	}
	if s.State == service.Running {
		return "it has ended by itself, and was started again, " + again
	}
	return "it was started again " + again + ", and ended each time"
}

// untilLogout is what a person may not expect of a service of theirs.
const untilLogout = "It runs while you are logged in. To have it run from boot to shutdown: filmspool service install --linger"
