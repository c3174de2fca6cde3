package doubt

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

func TestApplySetting(t *testing.T) {
	now, why := attempt().Add(time.Hour), viewing.Say("doubt.unread")
	held := queue.ReadBack{State: viewing.StateInDoubt, ReadBacks: 3, Why: viewing.Say("doubt.waits").Because(why), ReadAt: now.Add(slowInterval)}
	never := held
	never.ReadAt = time.Time{}
	again := queue.ReadBack{State: viewing.StatePending, ReadBacks: 3, Why: viewing.Say("doubt.resend").Because(why)}
	taken := queue.ReadBack{State: viewing.StateDelivered, ReadBacks: 3, Why: viewing.Say("doubt.assume").Because(why)}
	early := queue.ReadBack{State: viewing.StateInDoubt, ReadBacks: 3, Why: viewing.Say("doubt.read").Because(why), ReadAt: now.Add(4 * time.Minute)}
	for name, c := range map[string]struct {
		p      Policy
		change func(*Case)
		want   queue.ReadBack
	}{
		"hold":                         {Policy{Setting: Hold}, func(*Case) {}, held},
		"hold, 30 days later":          {Policy{Setting: Hold}, func(c *Case) { c.At = now.Add(-30 * 24 * time.Hour) }, never},
		"hold, almost 30 days later":   {Policy{Setting: Hold}, func(c *Case) { c.At = now.Add(1 - 30*24*time.Hour) }, held},
		"resend":                       {Policy{Setting: Resend}, func(*Case) {}, again},
		"resend, after 2 requests":     {Policy{Setting: Resend}, func(c *Case) { c.Entry.Attempts = 2 }, again},
		"resend, after 3 requests":     {Policy{Setting: Resend}, func(c *Case) { c.Entry.Attempts = 3 }, held},
		"delivered":                    {Policy{Setting: Assume}, func(*Case) {}, taken},
		"delivered, another's key":     {Policy{Setting: Assume}, func(c *Case) { c.OtherOwner = true }, held},
		"resend, another's key":        {Policy{Setting: Resend}, func(c *Case) { c.OtherOwner = true }, held},
		"delivered, early":             {Policy{Setting: Assume}, func(c *Case) { c.At = now.Add(-time.Minute) }, early},
		"early by microseconds":        {Policy{Setting: Resend}, func(c *Case) { c.FirstSeen = now.Add(-time.Minute - 276*time.Microsecond) }, early},
		"resend, early in this run":    {Policy{Setting: Resend}, func(c *Case) { c.FirstSeen = now.Add(-time.Minute) }, early},
		"resend, with the same key":    {Policy{Setting: Resend, Idempotent: true}, func(*Case) {}, held},
		"delivered, with the same key": {Policy{Setting: Assume, Idempotent: true}, func(*Case) {}, held},
	} {
		one := Case{Doubt: queue.Doubt{Entry: queue.Entry{Attempts: 1}, ReadBacks: 3, At: attempt()}, FirstSeen: attempt()}
		c.change(&one)
		if diff := cmp.Diff(c.want, c.p.ApplySetting(one, why, now)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

func TestDue(t *testing.T) {
	now := attempt()
	at := func(d time.Duration) time.Time { return now.Add(d) }
	for name, c := range map[string]struct {
		p        Policy
		change   func(*Case)
		readable bool
		due      time.Time
	}{
		"readable":    {readable: true, due: at(firstReadWait)},
		"unreadable":  {due: at(absenceWait)},
		"not planned": {change: func(c *Case) { c.ReadAt = time.Time{} }, readable: true},
		"unreadable, first seen now": {
			change: func(c *Case) { c.At, c.ReadAt = at(-time.Hour), at(-time.Minute) }, due: at(absenceWait),
		},
		"unreadable, after its time": {change: func(c *Case) { c.At, c.FirstSeen, c.ReadAt = at(-time.Hour), at(-time.Hour), at(-1) }, due: at(-1)},
		"sent again":                 {p: Policy{Idempotent: true}, change: func(c *Case) { c.ReadAt = at(readInterval) }, due: at(readInterval)},
		"the clock went back":        {change: func(c *Case) { c.ReadAt = at(90 * 24 * time.Hour) }, due: at(slowInterval)},
		"another wait":               {p: Policy{Waits: Waits{First: time.Second}}, change: func(c *Case) { c.ReadAt = now }, due: at(time.Second)},
	} {
		one := Case{Doubt: queue.Doubt{Since: now, At: now, ReadAt: Policy{}.FirstReadBack(0, now)}, FirstSeen: now}
		if c.change != nil {
			c.change(&one)
		}
		if due := c.p.Due(one, c.readable, now); !due.Equal(c.due) {
			t.Errorf("%s: due %s after now, want %s", name, due.Sub(now), c.due.Sub(now))
		}
	}
}

func TestDecideViewing(t *testing.T) {
	now := attempt().Add(absenceWait + readInterval)
	for name, c := range map[string]struct {
		change func(*Evidence)
		want   queue.ReadBack
	}{
		"absent": {func(*Evidence) {}, queue.ReadBack{State: viewing.StatePending}},
		"there":  {func(e *Evidence) { e.Reading.Records = []time.Time{watched()} }, queue.ReadBack{State: viewing.StateDelivered}},
		"not clear yet": {
			func(e *Evidence) { e.Absent = time.Time{} },
			queue.ReadBack{State: viewing.StateInDoubt, ReadBacks: 2, ReadAt: now.Add(10 * time.Second), Absent: now},
		},
		"too early": {
			func(e *Evidence) { e.Reading.At = attempt().Add(time.Minute) },
			queue.ReadBack{State: viewing.StateInDoubt, ReadBacks: 1, ReadAt: attempt().Add(absenceWait)},
		},
		"not clear yet, after microseconds": {
			func(e *Evidence) { e.Absent = e.Reading.At.Add(-10*time.Second + 276*time.Microsecond) },
			queue.ReadBack{State: viewing.StateInDoubt, ReadBacks: 2, ReadAt: now.Add(time.Millisecond), Absent: now.Add(-10*time.Second + 276*time.Microsecond)},
		},
		"never clear": {func(e *Evidence) { e.Precision = Arrival }, queue.ReadBack{State: viewing.StateInDoubt, ReadBacks: 2, ReadAt: now.Add(slowInterval)}},
	} {
		e := base()
		e.Age, e.ReadBacks = 0, 0 // set by DecideViewing
		c.change(&e)
		got := Policy{Setting: Hold, Waits: Waits{Between: 10 * time.Second}}.DecideViewing(Case{Doubt: queue.Doubt{ReadBacks: 1, At: attempt()}, FirstSeen: attempt()}, e, now)
		if got.Why.Cause == nil {
			t.Errorf("%s: no cause in %v", name, got.Why)
		}
		got.Why = viewing.Message{}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

func TestDecideList(t *testing.T) {
	now := attempt()
	noir := viewing.List{Name: "Noir", Description: "d"}
	shown := func(ids ...string) (all []tracker.RemoteList) {
		for _, id := range ids {
			all = append(all, tracker.RemoteList{ID: id, Name: "Noir", Description: "d", Visibility: "PRIVATE"})
		}
		return all
	}
	other := shown("9")
	other[0].Visibility = "PUBLIC"
	for name, c := range map[string]struct {
		taken  int
		before []string
		known  Lists
		state  viewing.State
		id     string
		says   string
	}{
		"new":                   {0, []string{"1"}, Lists{Remote: shown("1", "2"), Complete: true}, viewing.StateDelivered, "2", "listThere"},
		"all were there":        {0, []string{"1"}, Lists{Remote: shown("1"), Complete: true}, viewing.StateInDoubt, "", "noList"},
		"other visibility":      {0, []string{}, Lists{Remote: other, Complete: true}, viewing.StateInDoubt, "", "noList"},
		"without an id":         {0, []string{}, Lists{Remote: shown(""), Complete: true}, viewing.StateInDoubt, "", "noList"},
		"two":                   {0, []string{}, Lists{Remote: shown("1", "2"), Complete: true}, viewing.StateInDoubt, "", "doubt.lists doubts=1 n=2"},
		"two in doubt":          {0, []string{}, Lists{Remote: shown("1"), Complete: true, Doubts: []viewing.List{noir}}, viewing.StateInDoubt, "", "doubt.lists doubts=2 n=1"},
		"not read before":       {0, nil, Lists{Remote: shown("1"), Complete: true}, viewing.StateInDoubt, "", "listsBefore"},
		"read in part":          {4, []string{}, Lists{Remote: shown("1")}, viewing.StateInDoubt, "", "listsCut"},
		"read in part, at last": {5, []string{}, Lists{Remote: shown("1")}, viewing.StateDelivered, "1", ""},
	} {
		c.known.Doubts = append(c.known.Doubts, noir)
		o := Policy{Setting: Hold}.DecideList(Case{Doubt: queue.Doubt{Entry: queue.Entry{List: &noir}, ReadBacks: c.taken, At: now, Before: c.before}}, c.known, now)
		if o.State != c.state || o.RemoteID != c.id || !strings.Contains(o.Why.Error(), c.says) {
			t.Errorf("%s: %+v, want %s, %q, %q", name, o, c.state, c.id, c.says)
		}
		if c.state == viewing.StateInDoubt && (o.ReadBacks != c.taken+1 || o.ReadAt.IsZero()) {
			t.Errorf("%s: %+v, want another reading", name, o)
		}
	}
}
