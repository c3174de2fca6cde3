package health

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Facts are the input of [Report].
type Facts struct {
	Version string // of the program, of Go and of the system, one line
	Status  control.Status
	// Latest are the entries to count by state and reason.
	Latest []entry.Entry
	Now    time.Time
}

// Report describes an instance for a helper. It contains no personal data and no titles:
// accounts, sources and sites are counted or numbered.
func Report(f Facts) string {
	var b strings.Builder
	section := func(name string) { fmt.Fprintf(&b, "\n== %s\n", name) }
	fmt.Fprintf(&b, "Filmspool, how it stands at %s\n%s\n", f.Now.UTC().Format(time.RFC3339), f.Version)
	fmt.Fprintf(&b, "state: %s\n", f.Status.State)
	section("problems")
	for _, p := range f.Status.Problems {
		fmt.Fprintf(&b, "%s, %s", p.Code, p.Severity)
		if p.Cause != nil {
			fmt.Fprintf(&b, ", caused by %s", *p.Cause)
		}
		if p.Since != nil {
			fmt.Fprintf(&b, ", since %s", p.Since.UTC().Format(time.RFC3339))
		}
		b.WriteString("\n")
	}
	section("entries")
	n := f.Status.Counts
	fmt.Fprintf(&b, "pending %d, sending %d, held %d, in doubt %d, rejected %d, delivered %d\n", n.Pending, n.Sending, n.Held, n.InDoubt, n.Rejected, n.Delivered)
	fmt.Fprintf(&b, "the oldest waits for %s\n", time.Duration(f.Status.OldestPendingSeconds)*time.Second)
	section(fmt.Sprintf("the latest %d entries", len(f.Latest)))
	for _, line := range grouped(f.Latest) {
		b.WriteString(line + "\n")
	}
	section("accounts")
	for i, a := range f.Status.Accounts {
		fmt.Fprintf(&b, "account %d: %s%s, last delivered %s\n", i+1, a.State, scheme(a.BaseURL), when(a.LastDelivered))
	}
	section("sources")
	for i, s := range f.Status.Sources {
		fmt.Fprintf(&b, "%s %d: %s, last seen %s, unread sites %d\n", s.Kind, i+1, s.State, when(s.LastSeen), len(s.Unread))
	}
	section("notices")
	for _, notice := range f.Status.Notices {
		fmt.Fprintf(&b, "notice of %s\n", notice.At.UTC().Format(time.RFC3339))
	}
	return b.String()
}

// grouped counts entries by source, kind, state and reason.
func grouped(latest []entry.Entry) (lines []string) {
	groups := map[string]int{}
	for _, e := range latest {
		kind, _, _ := strings.Cut(e.Source, ":")
		if kind != viewing.SourceBrowser && kind != viewing.SourceProgram && kind != viewing.SourceKodi {
			kind = "other"
		}
		groups[fmt.Sprintf("%s %s: %s %s", kind, e.Kind, e.State, e.Reason)]++
	}
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		lines = append(lines, fmt.Sprintf("%d of %s", groups[group], strings.TrimSpace(group)))
	}
	return lines
}

// scheme returns the scheme of an address, without the rest of it.
func scheme(address string) string {
	if how, _, found := strings.Cut(address, "://"); found {
		return ", by " + how
	}
	return ", without an address"
}

func when(t *time.Time) string {
	if t == nil {
		return "never"
	}
	return t.UTC().Format(time.RFC3339)
}
