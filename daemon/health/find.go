package health

import (
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/viewing"
)

// notices are what happened to the queue's file.
func notices(c Conditions) (all []control.Trouble) {
	for _, n := range c.Status.Notices {
		all = append(all, control.Trouble{About: strconv.FormatInt(n.ID, 10), Count: n.ID, Detail: n.Text, Hint: n.Hint, Since: n.At})
	}
	return all
}

// waits is how many entries wait for an account, of all where that is not told.
func waits(c Conditions, a control.Account) int64 {
	if a.Counts != nil {
		return a.Counts.Pending + a.Counts.Sending
	}
	return c.Status.Counts.Pending + c.Status.Counts.Sending
}

// stalled are accounts for which something waits and nothing was delivered for a week.
// What was watched after a long holiday has waited for as long as it is there.
func stalled(c Conditions) (all []control.Trouble) {
	since := c.Now.Add(-time.Duration(c.Status.OldestPendingSeconds) * time.Second)
	for _, a := range c.Status.Accounts {
		n := waits(c, a)
		if a.Unused || a.State == account.Paused || n == 0 {
			continue
		}
		t := control.Trouble{About: a.Name, Count: n, Since: since}
		if a.Oldest.After(since) { // what waits longer is another account's
			t.Since = a.Oldest
		}
		if a.LastDelivered != nil && a.LastDelivered.After(t.Since) {
			t.Since = *a.LastDelivered
		}
		if c.longer(t.Since, week) {
			all = append(all, t)
		}
	}
	return all
}

// waitingFor finds what keeps an account offline, where anything waits for it.
func waitingFor(code string) func(Conditions) []control.Trouble {
	return func(c Conditions) (all []control.Trouble) {
		for _, a := range c.Status.Accounts {
			for _, t := range a.Troubles {
				if t.Code == code && waits(c, a) > 0 {
					all = append(all, t)
				}
			}
		}
		return all
	}
}

// pausedLong are accounts that a person has paused a week ago, and no end is set.
func pausedLong(c Conditions) (all []control.Trouble) {
	for _, a := range c.Status.Accounts {
		if a.State == account.Paused && a.PausedUntil == nil && c.longer(a.Since, week) {
			all = append(all, control.Trouble{About: a.Name, Since: a.Since})
		}
	}
	return all
}

// sameAccount are accounts that are one at the service.
func sameAccount(c Conditions) (all []control.Trouble) {
	for i, a := range c.Status.Accounts {
		same := func(b control.Account) bool { return a.User != "" && a.User == b.User && a.BaseURL == b.BaseURL }
		if first := slices.IndexFunc(c.Status.Accounts, same); first >= 0 && first < i {
			all = append(all, control.Trouble{About: a.Name, Detail: c.Status.Accounts[first].Name})
		}
	}
	return all
}

// wave is what came as waves.
func wave(c Conditions) []control.Trouble {
	var t control.Trouble
	var sources []string
	for _, w := range c.Status.Waves {
		t.Count += w.Held
		sources = append(sources, w.Source)
	}
	t.Detail = strings.Join(sources, "\n")
	t.Hint = "filmspool queue release --reason wave; or, where nobody has watched that: filmspool queue drop --reason wave"
	return some(t)
}

// counted finds a number of entries.
func counted(count func(*control.Status) int64) func(Conditions) []control.Trouble {
	return func(c Conditions) []control.Trouble { return some(control.Trouble{Count: count(c.Status)}) }
}

// some is a trouble that has anything to count.
func some(t control.Trouble) []control.Trouble {
	if t.Count <= 0 {
		return nil
	}
	return []control.Trouble{t}
}

func unresolved(s *control.Status) (n int64) {
	for _, a := range s.Accounts {
		n += a.Unresolved
	}
	return n
}

// heldElse is how many entries are held for other reasons than those with a row of
// their own.
func heldElse(s *control.Status) int64 {
	n := s.Counts.Held - unresolved(s)
	for _, w := range s.Waves {
		n -= w.Held
	}
	return n
}

// unread are the sites that a browser cannot read any more, each once.
func unread(c Conditions) (all []control.Trouble) {
	var sites []string
	for _, s := range c.Status.Sources {
		sites = append(sites, s.Unread...)
	}
	slices.Sort(sites)
	for _, site := range slices.Compact(sites) {
		all = append(all, control.Trouble{About: site})
	}
	return all
}

// silent are browsers that have not been heard of for 30 days.
func silent(c Conditions) (all []control.Trouble) {
	for _, s := range c.Status.Sources {
		if s.Kind == viewing.SourceBrowser && s.LastSeen != nil && c.longer(*s.LastSeen, 30*day) {
			all = append(all, control.Trouble{About: s.Detail, Since: *s.LastSeen})
		}
	}
	return all
}

// unconnected holds where nobody can tell of a viewing but the command line.
func unconnected(c Conditions) []control.Trouble {
	tells := func(s control.Source) bool {
		return slices.Contains([]string{viewing.SourceBrowser, viewing.SourceProgram, viewing.SourceKodi}, s.Kind)
	}
	if slices.ContainsFunc(c.Status.Sources, tells) {
		return nil
	}
	return []control.Trouble{{}}
}

// OfFolder is who else may use the folder of the queue, by the rights that others have.
func OfFolder(others fs.FileMode, folder string) []control.Trouble {
	switch {
	case others&0o022 != 0:
		return []control.Trouble{{Code: StateChangeable, About: folder}}
	case others != 0:
		return []control.Trouble{{Code: StateOpen, About: folder}}
	default:
		return nil
	}
}

// OfDisk is what keeps the queue from being written.
func OfDisk(t *sqlite.Trouble, folder string) control.Trouble {
	out := control.Trouble{Code: QueueUnwritable, Hint: t.Hint(folder), Since: t.Since}
	switch t.Kind() {
	case sqlite.Full:
		out.Code = DiskFull
	case sqlite.ReadOnly:
		out.Code = DiskReadOnly
	case sqlite.Denied, sqlite.Other:
		_, out.Detail, _ = strings.Cut(t.Text(), ": ")
	}
	return out
}
