package control

import (
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/disk"
	"github.com/filmspool/filmspool/queue/entry"
)

func TestSummaryNamesTheWorstFirst(t *testing.T) {
	key := Account{Name: "default", State: account.Attention, Reason: "The service refuses the key.", Hint: "filmspool login"}
	away := Account{Name: "second", State: account.Offline, Reason: "connection refused"}
	well := Account{Name: "default", State: account.OK}
	paused := Account{Name: "default", State: account.Paused, Reason: "You have paused it.", Hint: "filmspool resume"}
	his := Account{Name: "second", State: account.Paused, Reason: "You have paused it.", Hint: "filmspool resume"}
	unused := Account{Name: "second", State: account.Attention, Reason: "no service is known", Unused: true}
	until := time.Date(2026, 3, 1, 23, 0, 0, 0, time.Local)
	forAWhile := Account{Name: "default", State: account.Paused, PausedUntil: &until, Hint: "filmspool resume"}
	dropping := forAWhile
	dropping.Drops = true
	hers := Account{Name: "anna", State: account.Paused, Reason: "You have paused it.", Hint: "filmspool resume"}
	bens := Account{Name: "ben", State: account.Paused, PausedUntil: &until, Drops: true, Hint: "filmspool resume"}
	const benIs = "Account ben is paused until 2026-03-01 23:00, and what is watched until then is dropped."
	kodi := Source{Name: "kodi:/k", State: account.Attention, Detail: "The library may not be read", Hint: "run as Kodi's user"}
	cases := []struct {
		in            Status
		state         account.State
		summary, hint string
	}{
		{Status{Accounts: []Account{well}, Counts: entry.Counts{Delivered: 1}}, "ok", "All is delivered.", ""},
		{Status{Accounts: []Account{well}}, "ok", "Ready. Nothing has been watched yet.", "to pair a browser: filmspool pair"},
		{
			Status{Accounts: []Account{paused}, Counts: entry.Counts{Held: 1, Pending: 1}},
			"attention",
			"1 entry waits for you to decide. Sending is paused. 1 entry is safe here and will be sent.", "filmspool queue list --state held",
		},
		{Status{Accounts: []Account{well}, Counts: entry.Counts{Pending: 1}}, "ok", "Sending: 1 entry waits.", ""},
		{
			Status{Accounts: []Account{forAWhile}, Counts: entry.Counts{Pending: 1}},
			"paused", "Paused until 2026-03-01 23:00. 1 entry is safe here and will be sent.", "filmspool resume",
		},
		{
			Status{Accounts: []Account{dropping}, Counts: entry.Counts{Held: 1}},
			"attention",
			"1 entry waits for you to decide. Sending is paused until 2026-03-01 23:00, and what is watched until then is dropped.", "filmspool queue list --state held",
		},
		{
			Status{
				Accounts: []Account{well}, Counts: entry.Counts{Held: 20, InDoubt: 1},
				Waves: []entry.Wave{{Source: "program:p", Held: 12}, {Source: "cli", Held: 7}},
			},
			"attention",
			"Held as a wave, more than a person can watch in a minute: 19 entries from program:p and cli. 21 entries wait for you to decide.",
			"filmspool queue release --reason wave; or, where nobody has watched that: filmspool queue drop --reason wave",
		},
		{
			Status{Accounts: []Account{well, away}, Counts: entry.Counts{Pending: 2}},
			"offline",
			"Account second is offline: connection refused. 2 entries are safe here and will be sent.", "",
		},
		{
			Status{Accounts: []Account{away, away}, Counts: entry.Counts{Pending: 2}},
			"offline",
			"Offline: connection refused. 2 entries are safe here and will be sent.", "",
		},
		{
			Status{Accounts: []Account{well, his}, Counts: entry.Counts{Pending: 1}},
			"paused", "Account second is paused. 1 entry is safe here and will be sent.", "filmspool resume",
		},
		{
			Status{Accounts: []Account{key, {Name: "second", State: account.OK}}, Counts: entry.Counts{Pending: 1}},
			"attention",
			"Account default needs you: The service refuses the key. 1 entry is safe here and will be sent. What other accounts have goes on.", "filmspool login",
		},
		{Status{Accounts: []Account{hers, bens}}, "paused", "Account anna is paused. " + benIs + " Nothing waits.", "filmspool resume"},
		{Status{Accounts: []Account{bens, hers}}, "paused", benIs + " Account anna is paused. Nothing waits.", "filmspool resume"},
		{
			Status{Accounts: []Account{dropping, bens, unused}},
			"paused", "Paused until 2026-03-01 23:00, and what is watched until then is dropped. Nothing waits.", "filmspool resume",
		},
		{
			Status{Accounts: []Account{well, bens}, Counts: entry.Counts{Held: 1}},
			"attention", "1 entry waits for you to decide. " + benIs, "filmspool queue list --state held",
		},
		{Status{Accounts: []Account{away, bens}}, "offline", "Account second is offline: connection refused. " + benIs, ""},
		{Status{Accounts: []Account{key, bens}}, "attention", "Account default needs you: The service refuses the key. " + benIs, "filmspool login"},
		{Status{Accounts: []Account{well, bens}, Sources: []Source{kodi}}, "attention", "kodi:/k needs you: The library may not be read. " + benIs, "run as Kodi's user"},
		{Status{Accounts: []Account{bens}, Notices: []disk.Notice{{Text: "A word.", Hint: "do"}}}, "attention", "A word. Sending is paused until 2026-03-01 23:00, and what is watched until then is dropped.", "do"},
		{
			Status{Accounts: []Account{bens}, Sources: []Source{{Name: "b", State: account.Attention, Waiting: 1, Detail: "Chrome", Hint: "there"}}},
			"attention", "1 viewing waits in the browser Chrome for your answer. Sending is paused until 2026-03-01 23:00, and what is watched until then is dropped.", "there",
		},
		{Status{Accounts: []Account{well, unused}, Counts: entry.Counts{Delivered: 1}}, "ok", "All is delivered.", ""},
		{
			Status{Accounts: []Account{away}, Sources: []Source{kodi}},
			"attention",
			"kodi:/k needs you: The library may not be read.", "run as Kodi's user",
		},
		{
			Status{Accounts: []Account{away}, Counts: entry.Counts{InDoubt: 1, Held: 2}},
			"attention",
			"3 entries wait for you to decide.", "filmspool queue list --state in_doubt",
		},
		{
			Status{Accounts: []Account{away, key}, Counts: entry.Counts{Held: 1, Pending: 1}},
			"attention",
			"Account default needs you: The service refuses the key. 1 entry is safe here and will be sent.", "filmspool login",
		},
	}
	for _, c := range cases {
		c.in.Summarise()
		if c.in.State != c.state || c.in.Summary != c.summary || c.in.Hint != c.hint {
			t.Errorf("%s: %q (%q), want %s: %q (%q)", c.in.State, c.in.Summary, c.in.Hint, c.state, c.summary, c.hint)
		}
	}
}

func TestWhatWaitsInSeveralBrowsersIsOneSentence(t *testing.T) {
	in := func(name string, n int) Source {
		return Source{Name: name, State: account.Attention, Waiting: n, Detail: name, Hint: "there"}
	}
	for _, c := range []struct {
		sources []Source
		words   string
	}{
		{nil, ""},
		{[]Source{{Name: "kodi:/k", State: account.Attention, Detail: "x"}}, ""},
		{[]Source{in("Chrome", 1)}, "1 viewing waits in the browser Chrome for your answer."},
		{[]Source{in("Chrome", 1), in("Firefox", 2)}, "3 viewings wait in 2 browsers for your answer."},
	} {
		if words, hint := inBrowsers(c.sources); words != c.words || (hint == "") != (words == "") {
			t.Errorf("%q (%q), want %q", words, hint, c.words)
		}
	}
}
