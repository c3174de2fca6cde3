package doubt

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

func TestUnsettledFollowsTheSetting(t *testing.T) {
	now := attempt().Add(time.Hour)
	held := Outcome{State: viewing.StateInDoubt, Taken: 3, Reason: "Read back: it is so. It waits for you.", ReadAt: now.Add(seldom)}
	never := held
	never.ReadAt = time.Time{}
	again := Outcome{
		State: viewing.StatePending, Taken: 3,
		Reason: "Read back: it is so. It is sent again because in_doubt is resend, and may be recorded twice.",
	}
	taken := Outcome{
		State: viewing.StateDelivered, Taken: 3,
		Reason: "Read back: it is so. It is taken as delivered because in_doubt is delivered, and may be missing.",
	}
	for name, c := range map[string]struct {
		p      Policy
		change func(*Case)
		want   Outcome
	}{
		"hold":                         {Policy{Setting: Hold}, func(*Case) {}, held},
		"hold, 30 days later":          {Policy{Setting: Hold}, func(c *Case) { c.LastByte = now.Add(-30 * 24 * time.Hour) }, never},
		"hold, almost 30 days later":   {Policy{Setting: Hold}, func(c *Case) { c.LastByte = now.Add(1 - 30*24*time.Hour) }, held},
		"resend":                       {Policy{Setting: Resend}, func(*Case) {}, again},
		"resend, after 2 requests":     {Policy{Setting: Resend}, func(c *Case) { c.Attempts = 2 }, again},
		"resend, after 3 requests":     {Policy{Setting: Resend}, func(c *Case) { c.Attempts = 3 }, held},
		"delivered":                    {Policy{Setting: Assume}, func(*Case) {}, taken},
		"delivered, another's key":     {Policy{Setting: Assume}, func(c *Case) { c.Stranger = true }, held},
		"resend, another's key":        {Policy{Setting: Resend}, func(c *Case) { c.Stranger = true }, held},
		"delivered, early":             {Policy{Setting: Assume}, func(c *Case) { c.Early = true }, held},
		"resend, with the same key":    {Policy{Setting: Resend, Idempotent: true}, func(*Case) {}, held},
		"delivered, with the same key": {Policy{Setting: Assume, Idempotent: true}, func(*Case) {}, held},
	} {
		one := Case{Attempts: 1, Taken: 3, LastByte: attempt()}
		c.change(&one)
		if diff := cmp.Diff(c.want, c.p.Unsettled(one, "it is so", now)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

func TestUnreadNeedsNoReading(t *testing.T) {
	p := Policy{Setting: Assume, Idempotent: true}
	for name, c := range map[string]struct {
		p    Policy
		c    Case
		want viewing.State // "" where it has to be read back
	}{
		"another's key":       {Policy{Setting: Assume}, Case{Stranger: true}, viewing.StateInDoubt},
		"just in doubt":       {p, Case{Since: attempt()}, viewing.StatePending},
		"almost 12 hours":     {p, Case{Since: attempt().Add(1 - 12*time.Hour)}, viewing.StatePending},
		"12 hours":            {p, Case{Since: attempt().Add(-12 * time.Hour)}, ""},
		"the clock went back": {p, Case{Since: attempt().Add(1)}, ""},
		"no Idempotency-Key":  {Policy{}, Case{Since: attempt()}, ""},
		"another's key, too":  {p, Case{Since: attempt(), Stranger: true}, viewing.StateInDoubt},
	} {
		o, settled := c.p.Unread(c.c, attempt())
		if o.State != c.want || settled != (c.want != "") || o.Resend != (c.want == viewing.StatePending) {
			t.Errorf("%s: %+v, %v; want %q", name, o, settled, c.want)
		}
	}
}

func TestViewing(t *testing.T) {
	now := attempt().Add(firstLook + between)
	for name, c := range map[string]struct {
		change func(*Evidence)
		want   Outcome
	}{
		"absent": {func(*Evidence) {}, Outcome{State: viewing.StatePending}},
		"there":  {func(e *Evidence) { e.Readings[1].Records = []time.Time{watched()} }, Outcome{State: viewing.StateDelivered}},
		"not clear yet": {
			func(e *Evidence) { e.Readings[1].Print = "q" },
			Outcome{State: viewing.StateInDoubt, Taken: 2, ReadAt: now.Add(10 * time.Second)},
		},
		"too early": {
			func(e *Evidence) { e.Readings[1].At = attempt().Add(time.Minute) },
			Outcome{State: viewing.StateInDoubt, Taken: 2, ReadAt: attempt().Add(firstLook)},
		},
		"never clear": {func(e *Evidence) { e.Keeps = Arrival }, Outcome{State: viewing.StateInDoubt, Taken: 2, ReadAt: now.Add(seldom)}},
	} {
		e := base()
		e.LastByte, e.Taken = time.Time{}, 0 // they are the case's
		c.change(&e)
		got := Policy{Setting: Hold, Waits: Waits{Between: 10 * time.Second}}.Viewing(Case{Taken: 1, LastByte: attempt()}, e, now)
		if !strings.HasPrefix(got.Reason, "Read back: ") {
			t.Errorf("%s: says %q", name, got.Reason)
		}
		got.Reason = ""
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

func TestList(t *testing.T) {
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
		"new":                       {0, []string{"1"}, Lists{Shown: shown("1", "2"), Complete: true}, viewing.StateDelivered, "2", "did not before"},
		"all were there":            {0, []string{"1"}, Lists{Shown: shown("1"), Complete: true}, viewing.StateInDoubt, "", "no list like"},
		"not all that we asked for": {0, []string{}, Lists{Shown: other, Complete: true}, viewing.StateInDoubt, "", "no list like"},
		"without an id":             {0, []string{}, Lists{Shown: shown(""), Complete: true}, viewing.StateInDoubt, "", "no list like"},
		"two":                       {0, []string{}, Lists{Shown: shown("1", "2"), Complete: true}, viewing.StateInDoubt, "", "2 such lists for 1"},
		"two of ours":               {0, []string{}, Lists{Shown: shown("1"), Complete: true, Doubts: []viewing.List{noir}}, viewing.StateInDoubt, "", "1 such lists for 2"},
		"not read before":           {0, nil, Lists{Shown: shown("1"), Complete: true}, viewing.StateInDoubt, "", "were not read before"},
		"read in part":              {4, []string{}, Lists{Shown: shown("1")}, viewing.StateInDoubt, "", "could not be read whole"},
		"read in part, at last":     {5, []string{}, Lists{Shown: shown("1")}, viewing.StateDelivered, "1", ""},
	} {
		c.known.Doubts = append(c.known.Doubts, noir)
		o := Policy{Setting: Hold}.List(Case{Taken: c.taken, LastByte: now}, noir, c.before, c.known, now)
		if o.State != c.state || o.RemoteID != c.id || !strings.Contains(o.Reason, c.says) {
			t.Errorf("%s: %+v, want %s, %q, %q", name, o, c.state, c.id, c.says)
		}
		if c.state == viewing.StateInDoubt && (o.Taken != c.taken+1 || o.ReadAt.IsZero()) {
			t.Errorf("%s: %+v, want to be looked for again", name, o)
		}
	}
}

func TestWish(t *testing.T) {
	for name, c := range map[string]struct {
		c       Case
		watched bool
		want    viewing.State
		says    string
	}{
		"not watched":           {Case{}, false, viewing.StatePending, "repeated"},
		"watched since":         {Case{}, true, viewing.StateInDoubt, "watched since"},
		"sent often":            {Case{Attempts: 7}, false, viewing.StatePending, "repeated"},
		"sent as often as pays": {Case{Attempts: 8}, false, viewing.StateInDoubt, "sent 8 times"},
	} {
		c.c.Taken = 2
		o := Wish(c.c, c.watched)
		if o.State != c.want || !strings.Contains(o.Reason, c.says) || c.want == viewing.StateInDoubt && (o.Taken != 3 || !o.ReadAt.IsZero()) {
			t.Errorf("%s: %+v, want %s, %q", name, o, c.want, c.says)
		}
	}
}
