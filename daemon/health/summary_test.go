package health_test

import (
	"testing"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
	"github.com/filmspool/filmspool/daemon/locale"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

func TestSummaryNamesTheWorstFirst(t *testing.T) {
	refused, denied := viewing.Say("keyRefused"), viewing.Say("library.denied")
	key := control.Account{Name: "default", State: account.Attention, Reason: refused, Troubles: []control.Problem{{Code: health.KeyRefused, About: "default", What: &refused}}}
	away := control.Account{Name: "second", State: account.Offline, Reason: viewing.Say("nothingListens")}
	well := control.Account{Name: "default", State: account.OK}
	his := control.Account{Name: "second", State: account.Paused}
	unused := control.Account{Name: "second", State: account.Attention, Unused: true}
	until := time.Date(2026, 3, 1, 23, 0, 0, 0, time.Local)
	forAWhile := control.Account{Name: "default", State: account.Paused, PausedUntil: &until}
	hers := control.Account{Name: "anna", State: account.Paused}
	bens := control.Account{Name: "ben", State: account.Paused, PausedUntil: &until, Drops: true}
	const benIs = "Account ben is paused until 2026-03-01 23:00, and what is watched until then is not sent."
	kodi := control.Source{Name: "kodi:/k", State: account.Attention, Troubles: []control.Problem{{Code: health.LibraryUnread, About: "kodi:/k", What: &denied}}}
	cases := []struct {
		in            control.Status
		state         account.State
		summary, hint string
	}{
		{control.Status{Accounts: []control.Account{well}, Counts: entry.Counts{Delivered: 1}}, "ok", "Everything is up to date.", ""},
		{control.Status{Accounts: []control.Account{well}}, "ok", "Ready. Watch something and it appears here.", "to connect a browser: filmspool sources pair"},
		{control.Status{Accounts: []control.Account{well}, Counts: entry.Counts{Pending: 1}}, "ok", "Sending: 1 entry waits.", ""},
		{
			control.Status{Accounts: []control.Account{forAWhile}, Counts: entry.Counts{Pending: 1}},
			"paused", "Sending is paused until 2026-03-01 23:00. 1 entry is safe here and will be sent.", "",
		},
		{
			control.Status{
				Accounts: []control.Account{well}, Counts: entry.Counts{Held: 20, InDoubt: 1},
				Bursts:  []entry.Burst{{Source: "program:p", Held: 12}, {Source: "cli", Held: 7}},
				Sources: []control.Source{{Name: "program:p", Kind: "program", Label: "Jellyfin"}},
			},
			"attention",
			"12 viewings arrived at once from Jellyfin. Did you watch them? 21 entries need your decision.",
			"filmspool send --reason burst",
		},
		{
			control.Status{Accounts: []control.Account{well, away}, Counts: entry.Counts{Pending: 2}},
			"offline",
			"Account second is offline: nothing answers at its address. 2 entries are safe here and will be sent.", "",
		},
		{
			control.Status{Accounts: []control.Account{well, his}, Counts: entry.Counts{Pending: 1}},
			"paused", "Account second is paused. 1 entry is safe here and will be sent.", "",
		},
		{
			control.Status{Accounts: []control.Account{key, {Name: "second", State: account.OK}}, Counts: entry.Counts{Pending: 1}},
			"attention",
			"Account default needs you: The service does not accept the key. Other accounts keep sending. 1 entry is safe here and will be sent.", "filmspool login",
		},
		{control.Status{Accounts: []control.Account{hers, bens}}, "paused", "Account anna is paused. " + benIs + " Nothing is waiting.", ""},
		{control.Status{Accounts: []control.Account{well, bens}, Sources: []control.Source{kodi}}, "attention", "kodi:/k needs you: The library may not be read by this user. " + benIs, "filmspool sources kodi"},
		{control.Status{Accounts: []control.Account{well, unused}, Counts: entry.Counts{Delivered: 1}}, "ok", "Everything is up to date.", ""},
	}
	for _, c := range cases {
		c.in.Problems = health.Evaluate(health.Conditions{Status: &c.in, Now: noon()})
		state := health.State(&c.in, c.in.Problems)
		health.Render(locale.In(""), &c.in)
		if state != c.state || c.in.Summary != c.summary || c.in.Hint != c.hint {
			t.Errorf("%s: %q (%q), want %s: %q (%q)", state, c.in.Summary, c.in.Hint, c.state, c.summary, c.hint)
		}
	}
}

func noon() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }
