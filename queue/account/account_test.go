package account

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"
	_ "time/tzdata" // wherever the tests run

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/filmspool/filmspool/queue/viewing"
)

func noon() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

func TestMoveToClearsWhatWasKnownOfTheOldAddress(t *testing.T) {
	a := Row{}
	a.MoveTo("https://one.example/api/v1", noon())
	if !a.MovedAt.IsZero() {
		t.Errorf("the first address is no move: %+v", a)
	}
	a.Proven, a.Keeps, a.Owner, a.Support, a.OfflineAt = true, "exact", "u", Support{"me": {Has: true}}, noon()
	a.MoveTo("https://one.example/api/v1", noon())
	if !a.Proven || a.Keeps == "" {
		t.Errorf("the same address is no move: %+v", a)
	}
	a.SignIn("")
	if a.Owner != "u" || a.Support != nil {
		t.Errorf("after a login with an unknown owner: %+v", a)
	}
	if a.SignIn("v"); a.Owner != "v" {
		t.Errorf("after a login: %+v", a)
	}
	a.MoveTo("https://two.example/api/v1", noon())
	if diff := cmp.Diff(Row{BaseURL: "https://two.example/api/v1", MovedAt: noon()}, a); diff != "" {
		t.Error(diff)
	}
}

func TestClaimOwnerTakesTheFirstKnownUser(t *testing.T) {
	var r Row
	for _, c := range []struct {
		user, owner string
		mine        bool
	}{{"", "", true}, {"u", "u", true}, {"u", "u", true}, {"", "u", true}, {"v", "u", false}} {
		if mine := r.ClaimOwner(c.user); mine != c.mine || r.Owner != c.owner {
			t.Errorf("user %q: %v, and the owner is %q", c.user, mine, r.Owner)
		}
	}
}

// TestProbeIntervalDoubles: up to six hours. A probe on request does not change the interval, and
// a refusal for another reason continues the pause. A wrong address is probed every 5 minutes.
func TestProbeIntervalDoubles(t *testing.T) {
	refused, login, elsewhere := viewing.Say("refused"), viewing.Say("login"), viewing.Say("elsewhere")
	p, now := Pause{}, noon()
	for step, minutes := range []time.Duration{5, 10, 20, 40, 80, 160, 320, 360, 360} {
		p = p.Refuse(PausedKey, refused, login, now).PlanProbe(now, false)
		want := Pause{PausedKey, refused, login, noon(), now.Add(minutes * time.Minute), min(step, 7), time.Time{}, false}
		if diff := cmp.Diff(want, p); diff != "" {
			t.Error(step, diff)
		}
		asked := p.Refuse(PausedAddress, elsewhere, viewing.Message{}, now).PlanProbe(now, true)
		if diff := cmp.Diff(Pause{PausedAddress, elsewhere, viewing.Message{}, noon(), now.Add(5 * time.Minute), p.ProbeStep, time.Time{}, false}, asked); diff != "" {
			t.Error(step, diff)
		}
		now = p.ProbeAt
	}
	for _, step := range []int{-1, 40, 1 << 40} { // as a row may have it
		if at := (Pause{ProbeStep: step}).PlanProbe(noon(), true).ProbeAt; at.Before(noon().Add(5*time.Minute)) || at.After(noon().Add(6*time.Hour)) {
			t.Errorf("step %d: %s", step, at)
		}
	}
}

// TestPauseEndsOnTimeWhateverTheClockDoes: the rest of a pause is never longer than its whole
// length, and a pause that has ended stays ended.
func TestPauseEndsOnTimeWhateverTheClockDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		length := time.Duration(rapid.IntRange(1, 100).Draw(t, "minutes")) * time.Minute
		p, now := ByUser(noon(), noon().Add(length), rapid.Bool().Draw(t, "drops")), noon()
		drops := p.Drops
		for range 10 {
			now = now.Add(time.Duration(rapid.IntRange(-200, 120).Draw(t, "clock")) * time.Minute)
			was := p
			p = p.At(now)
			switch {
			case was.Reason == "" || !now.Before(was.Until):
				if p.Reason != "" {
					t.Fatalf("at %s %+v has become %+v", now, was, p)
				}
			case p.Reason != PausedUser || p.Drops != drops || !p.Until.After(now) || p.Until.Sub(now) > length:
				t.Fatalf("at %s %+v has become %+v", now, was, p)
			case !now.Before(was.Since) && !reflect.DeepEqual(p, was):
				t.Fatalf("at %s %+v has become %+v", now, was, p)
			}
		}
	})
}

func TestProbeTimeIsCorrectedAfterAClockChange(t *testing.T) {
	far := noon().Add(6 * time.Hour)
	for _, c := range []struct {
		reason   string
		at, want time.Time
	}{
		{PausedKey, time.Time{}, noon()},
		{PausedKey, noon().Add(20 * time.Minute), noon().Add(20 * time.Minute)},
		{PausedKey, noon().Add(20*time.Minute + 1), noon()},
		{PausedAddress, noon().Add(5 * time.Minute), noon().Add(5 * time.Minute)},
		{PausedAddress, noon().Add(5*time.Minute + 1), noon()},
		{PausedUser, time.Time{}, time.Time{}},
		{"", far.Add(1), far.Add(1)},
	} {
		if got := (Pause{Reason: c.reason, ProbeAt: c.at, ProbeStep: 2}).At(noon()).ProbeAt; !got.Equal(c.want) {
			t.Errorf("%q, planned for %s: %s", c.reason, c.at, got)
		}
	}
}

// TestMissingEndpointIsTriedAgainAfterADay: an existing endpoint is remembered, a missing one for
// a day. Setting the clock back does not extend that.
func TestMissingEndpointIsTriedAgainAfterADay(t *testing.T) {
	var none Support
	all := none.WithEndpoint("me", true, noon()).WithEndpoint("lists", false, noon())
	if len(none) != 0 || len(all.WithEndpoint("me", false, noon())) != 2 || !all["me"].Has {
		t.Error("a table was changed in place")
	}
	for _, c := range []struct {
		name  string
		after time.Duration
		want  bool
	}{
		{"me", time.Hour, true},
		{"unknown", 0, true},
		{"lists", 0, false},
		{"lists", 24*time.Hour - 1, false},
		{"lists", 24 * time.Hour, true},
		{"lists", -24 * time.Hour, true},
	} {
		if got := all.MayUse(c.name, noon().Add(c.after)); got != c.want {
			t.Errorf("%s after %s: %v", c.name, c.after, got)
		}
	}
}

// TestPauseWithoutEndSurvivesStorageInAnyZone: until 1893 Berlin was 53 minutes and 28 seconds
// ahead of UTC, and RFC 3339 has no seconds in an offset.
func TestPauseWithoutEndSurvivesStorageInAnyZone(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(ByUser(time.Now(), time.Time{}.In(zone), false))
	if err != nil {
		t.Fatal(err)
	}
	var p Pause
	if err := json.Unmarshal(raw, &p); err != nil || p.At(time.Now()).State() != Paused {
		t.Errorf("%s: %v", raw, err)
	}
}
