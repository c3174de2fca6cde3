//go:build unix

package service

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// domains are where a job of ours may be, the better one first.
func (l *launchd) domains() []string {
	if l.o.System {
		return []string{"system"}
	}
	return []string{l.gui(), l.user()}
}

// domain is where a job belongs now.
func (l *launchd) domain(ctx context.Context) (string, error) {
	all := l.domains()
	if len(all) == 1 {
		return all[0], nil
	}
	_, err := l.ctl(ctx, "print", all[0])
	if absent(err) {
		return all[1], nil
	}
	return all[0], err
}

// jobs are ours that launchd has, a running one first.
func (l *launchd) jobs(ctx context.Context) ([]job, error) {
	var found []job
	for _, domain := range l.domains() {
		out, err := l.ctl(ctx, "print", domain+"/"+Name)
		if absent(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		found = append(found, parsePrint(domain, out))
	}
	slices.SortStableFunc(found, func(a, b job) int { return rank(a) - rank(b) })
	return found, nil
}

func rank(j job) int {
	if j.situation() == Running {
		return 0
	}
	return 1
}

// disabled reports whether somebody told launchd to leave the service alone.
// Lines are like `"filmspool" => disabled`, or `=> true` on older systems.
func (l *launchd) disabled(ctx context.Context, domain string) bool {
	out, err := l.ctl(ctx, "print-disabled", domain)
	if err != nil {
		return false
	}
	for line := range strings.Lines(out) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " => ")
		if name == `"`+Name+`"` {
			return value == "disabled" || value == "true"
		}
	}
	return false
}

// bootstrap hands the property list to launchd, which starts the program. It
// takes back an earlier "launchctl disable" first, or launchd would refuse.
func (l *launchd) bootstrap(ctx context.Context) error {
	if err := l.enable(ctx); err != nil {
		return err
	}
	domain, err := l.domain(ctx)
	if err != nil {
		return err
	}
	if err := l.patiently(ctx, "bootstrap", domain, l.file); err == nil {
		return nil
	} else if domain != l.user() {
		return fmt.Errorf("%w; if macOS was told not to let it run, allow it under System Settings, General, Login Items", err)
	}
	return noManager("nobody is logged in on this Mac's screen; the service starts at the next login there")
}

// patiently says a command again while launchd is busy.
func (l *launchd) patiently(ctx context.Context, args ...string) error {
	var err error
	for range 5 {
		if _, err = l.ctl(ctx, args...); !inProgress(err) {
			return err
		}
		if err := pause(ctx, l.busy/30); err != nil {
			return err
		}
	}
	return err
}

// bootout ends jobs and waits until launchd has forgotten them: it answers
// before that when the program takes its time.
func (l *launchd) bootout(ctx context.Context, jobs []job) error {
	for _, j := range jobs {
		if _, err := l.ctl(ctx, "bootout", j.target()); err != nil && !absent(err) && !inProgress(err) {
			return err
		}
		if err := l.gone(ctx, j); err != nil {
			return err
		}
	}
	return nil
}

func (l *launchd) gone(ctx context.Context, j job) error {
	return await(ctx, "stop", l.busy, func() (bool, error) {
		_, err := l.ctl(ctx, "print", j.target())
		if absent(err) {
			return true, nil
		}
		return false, err
	})
}

// settled waits until the program has run for a moment. launchd cannot tell
// when one is ready, but a wrong configuration shows at once.
func (l *launchd) settled(ctx context.Context) error {
	for deadline := time.Now().Add(l.settle); ; {
		s, err := l.status(ctx)
		if err != nil {
			return err
		}
		over := !time.Now().Before(deadline)
		if s.State == Failed || s.State == Restarting || over && s.State != Running {
			return ended(s.Detail, l.o.System)
		}
		if over {
			return nil
		}
		if err := pause(ctx, l.settle/10); err != nil {
			return err
		}
	}
}

// see is the command that shows the log.
func (l *launchd) see() string { return command(l.o.System, "service logs") }

// pause waits, but not longer than ctx.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
