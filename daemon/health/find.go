package health

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/viewing"
)

// troubles are those that the parts of the program and the checks report.
func troubles(c Conditions) []control.Trouble {
	all := slices.Clone(c.Troubles)
	if c.Status == nil {
		return all
	}
	if c.Status.Storage != nil {
		all = append(all, c.Status.Storage.Trouble)
	}
	for _, a := range c.Status.Accounts {
		for _, t := range a.Troubles {
			passes := t.Code == Unreachable || t.Code == Throttled // it matters where something waits
			if !a.Unused && (!passes || waiting(c, a) > 0) {
				all = append(all, t)
			}
		}
	}
	for _, s := range c.Status.Sources {
		all = append(all, s.Troubles...)
	}
	return all
}

// notices are what happened to the queue's file.
func notices(c Conditions) (all []control.Trouble) {
	for _, n := range c.Status.Notices {
		id := strconv.FormatInt(n.ID, 10)
		all = append(all, control.Trouble{About: id, Act: &control.Act{Verb: control.ActSeen, Target: id}, What: message(viewing.Said(n.Text)), Since: n.At})
	}
	return all
}

// waiting is how many entries wait for an account, of all where that is not told.
func waiting(c Conditions, a control.Account) int64 {
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
		n := waiting(c, a)
		if a.Unused || a.State == account.Paused || n == 0 {
			continue
		}
		t := control.Trouble{About: a.Name, Act: &control.Act{Verb: "list", Target: string(viewing.StatePending)}, Count: n, Since: since}
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

// sameAccount are accounts that are one at the service.
func sameAccount(c Conditions) (all []control.Trouble) {
	for i, a := range c.Status.Accounts {
		same := func(b control.Account) bool { return a.User != "" && a.User == b.User && a.BaseURL == b.BaseURL }
		if first := slices.IndexFunc(c.Status.Accounts, same); first >= 0 && first < i {
			all = append(all, control.Trouble{About: a.Name, What: message(viewing.Said(c.Status.Accounts[first].Name))})
		}
	}
	return all
}

// waves are what came as waves.
func waves(c Conditions) []control.Trouble {
	var n int64
	var sources []string
	for _, w := range c.Status.Waves {
		n += w.Held
		sources = append(sources, w.Source)
	}
	return counted(n, "release", viewing.ReasonWave, viewing.Said(strings.Join(sources, ", ")))
}

func inDoubt(c Conditions) []control.Trouble {
	return counted(c.Status.Counts.InDoubt, "list", string(viewing.StateInDoubt), viewing.Message{})
}

func rejected(c Conditions) []control.Trouble {
	return counted(c.Status.Counts.Rejected, "list", string(viewing.StateRejected), viewing.Message{})
}

func unresolved(c Conditions) []control.Trouble {
	return counted(nameless(c.Status), "list-reason", viewing.ReasonUnresolved, viewing.Message{})
}

// heldElse is what is held for other reasons than those with a row of their own.
func heldElse(c Conditions) []control.Trouble {
	n := c.Status.Counts.Held - nameless(c.Status)
	for _, w := range c.Status.Waves {
		n -= w.Held
	}
	return counted(n, "list", string(viewing.StateHeld), viewing.Message{})
}

func nameless(s *control.Status) (n int64) {
	for _, a := range s.Accounts {
		n += a.Unresolved
	}
	return n
}

// counted is a number of entries with an act for them; nothing for none.
func counted(n int64, verb, target string, what viewing.Message) []control.Trouble {
	if n <= 0 {
		return nil
	}
	return []control.Trouble{{Count: n, Act: &control.Act{Verb: verb, Target: target}, What: message(what)}}
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
			all = append(all, control.Trouble{About: s.Label, Since: *s.LastSeen})
		}
	}
	return all
}

// unconnected holds where nobody can report a viewing but the command line.
func unconnected(c Conditions) []control.Trouble {
	reports := func(s control.Source) bool {
		return slices.Contains([]string{viewing.SourceBrowser, viewing.SourceProgram, viewing.SourceKodi}, s.Kind)
	}
	if slices.ContainsFunc(c.Status.Sources, reports) {
		return nil
	}
	return []control.Trouble{{}}
}

// message is a message that may be absent.
func message(m viewing.Message) *viewing.Message {
	if m.Code == "" {
		return nil
	}
	return &m
}
