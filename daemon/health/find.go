package health

import (
	"slices"
	"strconv"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/viewing"
)

// found are all troubles: those that checks and parts of the program report, and those
// that are found in the status.
func found(c Conditions) []control.Problem {
	all := slices.Clone(c.Troubles)
	if c.Status == nil {
		return all
	}
	if disk := c.Status.Storage; disk != nil {
		t := control.Problem{Code: QueueUnwritable, What: &disk.Reason, Since: control.Known(disk.Since)}
		if disk.Reason.Code == DiskFull {
			t.Act = control.Act{Verb: "free"}
		}
		all = append(all, t)
	}
	for _, a := range c.Status.Accounts {
		for _, t := range a.Troubles {
			if !a.Unused && (t.Code != Unreachable || waiting(c, a) > 0) { // it passes, and matters where something waits
				all = append(all, t)
			}
		}
	}
	for _, s := range c.Status.Sources {
		all = append(all, s.Troubles...)
	}
	for _, n := range c.Status.Notices {
		id := strconv.FormatInt(n.ID, 10)
		all = append(all, control.Problem{Code: notice, About: id, What: message(n.What), Since: control.Known(n.At)})
	}
	all = append(all, stalled(c)...)
	all = append(all, sameAccount(c)...)
	all = append(all, entries(c.Status)...)
	return append(all, sources(c)...)
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
func stalled(c Conditions) (all []control.Problem) {
	since := c.Now.Add(-time.Duration(c.Status.OldestPendingSeconds) * time.Second)
	for _, a := range c.Status.Accounts {
		n := waiting(c, a)
		if a.Unused || a.Local || a.State == account.Paused || n == 0 {
			continue
		}
		t := control.Problem{Code: NothingDelivered, About: a.Name, Act: control.Act{Verb: "list", Target: string(viewing.StatePending)}, Count: n, Since: &since}
		if a.Oldest.After(since) { // what waits longer is another account's
			t.Since = &a.Oldest
		}
		if a.LastDelivered != nil && a.LastDelivered.After(*t.Since) {
			t.Since = a.LastDelivered
		}
		if c.longer(t.Since, week) {
			all = append(all, t)
		}
	}
	return all
}

// sameAccount are accounts that are one at the service.
func sameAccount(c Conditions) (all []control.Problem) {
	for i, a := range c.Status.Accounts {
		same := func(b control.Account) bool { return a.User != "" && a.User == b.User && a.BaseURL == b.BaseURL }
		if first := slices.IndexFunc(c.Status.Accounts, same); first >= 0 && first < i {
			all = append(all, control.Problem{Code: sameUser, About: a.Name, What: message(viewing.Said(c.Status.Accounts[first].Name))})
		}
	}
	return all
}

// entries are those that wait for a person, by what they wait for.
func entries(s *control.Status) (all []control.Problem) {
	add := func(code string, n int64, verb, target string) {
		if n > 0 {
			all = append(all, control.Problem{Code: code, Count: n, Act: control.Act{Verb: verb, Target: target}})
		}
	}
	held := s.Counts.Held
	for _, w := range s.Waves {
		from := viewing.Say("source", "source", w.Source)
		add(wave, w.Held, "release", viewing.ReasonWave)
		all[len(all)-1].What = &from
		held -= w.Held
	}
	var unknown int64
	for _, a := range s.Accounts {
		unknown += a.Unresolved
	}
	unknown = min(unknown, held) // a wave may hold such titles, too
	add("entries-unknown", unknown, "list-reason", viewing.ReasonUnresolved)
	add("entries-in-doubt", s.Counts.InDoubt, "list", string(viewing.StateInDoubt))
	add("entries-rejected", s.Counts.Rejected, "list", string(viewing.StateRejected))
	add("entries-held", held-unknown, "list", string(viewing.StateHeld))
	return all
}

// sources are what reports viewings: sites that a browser cannot read any more, browsers
// that have not been heard of for 30 days, and that there is nothing but the command line.
func sources(c Conditions) (all []control.Problem) {
	var sites []string
	reports := false
	for _, s := range c.Status.Sources {
		sites = append(sites, s.Unread...)
		reports = reports || slices.Contains([]string{viewing.SourceBrowser, viewing.SourceProgram, viewing.SourceKodi}, s.Kind)
		if s.Kind == viewing.SourceBrowser && c.longer(s.LastSeen, 30*day) {
			all = append(all, control.Problem{Code: "browser-silent", About: s.Label, Since: s.LastSeen})
		}
	}
	slices.Sort(sites)
	for _, site := range slices.Compact(sites) {
		all = append(all, control.Problem{Code: "site-unread", About: site})
	}
	if !reports {
		all = append(all, control.Problem{Code: "nothing-connected"})
	}
	return all
}

// message is a message that may be absent.
func message(m viewing.Message) *viewing.Message {
	if m.Code == "" {
		return nil
	}
	return &m
}
