package doubt

import (
	"strings"
	"testing"
	"time"
)

// base is a viewing read twice in vain, so that it is sent again; cases
// change one thing about it.
func base() Evidence {
	reading := Reading{At: attempt().Add(firstLook), Complete: true, Print: "p", Anchor: true}
	second := reading
	second.At = reading.At.Add(between)
	return Evidence{Watched: watched(), LastByte: attempt(), Keeps: Exact, Taken: 2, Readings: []Reading{reading, second}}
}

func TestDecide(t *testing.T) {
	last := func(e *Evidence) *Reading { return &e.Readings[1] }
	cases := map[string]struct {
		change func(*Evidence)
		fate   fate
		wait   time.Duration
		final  bool
		says   string
	}{
		"absent twice":                     {func(*Evidence) {}, again, 0, false, "two complete, equal readings"},
		"there":                            {func(e *Evidence) { last(e).Records = []time.Time{watched()} }, delivered, 0, false, "at this time"},
		"there, cut to the second":         {func(e *Evidence) { last(e).Records = []time.Time{watched().Truncate(time.Second)} }, delivered, 0, false, ""},
		"there at another second":          {func(e *Evidence) { last(e).Records = []time.Time{watched().Add(time.Second)} }, again, 0, false, ""},
		"there in an incomplete reading":   {func(e *Evidence) { *last(e) = Reading{At: last(e).At, Records: []time.Time{watched()}} }, delivered, 0, false, ""},
		"there too early to prove absence": {func(e *Evidence) { e.LastByte = last(e).At; last(e).Records = []time.Time{watched()} }, delivered, 0, false, ""},
		"read too early":                   {func(e *Evidence) { e.LastByte = last(e).At.Add(-time.Minute) }, stay, 4 * time.Minute, false, "too early"},
		"first read too early":             {func(e *Evidence) { e.LastByte = e.LastByte.Add(1) }, stay, between, false, "first reading"},
		"read again too soon":              {func(e *Evidence) { last(e).At = last(e).At.Add(-time.Second) }, stay, time.Second, false, ""},
		"readings differ":                  {func(e *Evidence) { last(e).Print = "q" }, stay, between, false, "changed"},
		"last incomplete":                  {func(e *Evidence) { last(e).Complete = false }, stay, between, false, "whole"},
		"first incomplete":                 {func(e *Evidence) { e.Readings[0].Complete = false }, stay, between, false, ""},
		"anchor not seen":                  {func(e *Evidence) { last(e).Anchor = false }, stay, between, false, "known to have arrived"},
		"anchor not seen at first":         {func(e *Evidence) { e.Readings[0].Anchor = false }, stay, between, false, ""},
		"not comparable":                   {func(e *Evidence) { last(e).Vague = true }, stay, between, false, "compared"},
		"precision unknown":                {func(e *Evidence) { e.Keeps = Unknown }, stay, between, false, "not known"},
		"arrival times":                    {func(e *Evidence) { e.Keeps = Arrival }, stay, seldom, true, "arrival"},
		"the day has one":                  {func(e *Evidence) { e.Keeps, last(e).Records = Day, []time.Time{watched().Add(-9 * time.Hour)} }, stay, seldom, true, "only the day"},
		"the day has none":                 {func(e *Evidence) { e.Keeps, last(e).Records = Day, []time.Time{watched().Add(-72 * time.Hour)} }, again, 0, false, ""},
		"claimed by another entry":         {func(e *Evidence) { last(e).Records, e.Claimed = []time.Time{watched()}, []time.Time{watched()} }, stay, seldom, true, "other entries"},
		"one of two is ours": {func(e *Evidence) {
			last(e).Records, e.Claimed = []time.Time{watched(), watched()}, []time.Time{watched()}
		}, delivered, 0, false, "1 of its records"},
		"two doubts, one record: the elder":   {func(e *Evidence) { last(e).Records, e.Younger = []time.Time{watched()}, []time.Time{watched()} }, delivered, 0, false, ""},
		"two doubts, one record: the younger": {func(e *Evidence) { last(e).Records, e.Elder = []time.Time{watched()}, []time.Time{watched()} }, stay, seldom, true, "1 records for 2"},
		"two doubts, none":                    {func(e *Evidence) { e.Elder = []time.Time{watched()} }, again, 0, false, ""},
		"read often":                          {func(e *Evidence) { e.Taken, last(e).Print = 5, "q" }, stay, 6 * time.Hour, false, ""},
		"read as often as pays":               {func(e *Evidence) { e.Taken, last(e).Print = 6, "q" }, stay, seldom, true, ""},
	}
	for name, c := range cases {
		e := base()
		c.change(&e)
		d := decide(e)
		if d.fate != c.fate || d.Wait != c.wait || d.Final != c.final || !strings.Contains(d.Sentence, c.says) || d.Sentence == "" {
			t.Errorf("%s: %+v, want %s, wait %s, final %v, %q", name, d, c.fate, c.wait, c.final, c.says)
		}
	}
}

func TestLearn(t *testing.T) {
	odd, round := watched(), watched().Truncate(15*time.Minute)
	whole := watched().Truncate(time.Minute)
	day, late := watched().Truncate(24*time.Hour), 24*time.Hour
	one := func(watched, shown time.Time, sent time.Duration) Anchor {
		return Anchor{Watched: watched, Sent: watched.Add(sent), Shown: []time.Time{shown}}
	}
	cases := map[string]struct {
		anchors []Anchor
		want    Precision
	}{
		"none":                            {nil, Unknown},
		"not shown":                       {[]Anchor{{Watched: odd, Sent: odd}}, Unknown},
		"exact":                           {[]Anchor{one(odd, odd, late)}, Exact},
		"exact, live":                     {[]Anchor{one(odd, odd, time.Second)}, Exact},
		"seconds":                         {[]Anchor{one(odd, odd.Truncate(time.Second), late)}, Exact},
		"seconds, live: or arrival":       {[]Anchor{one(odd, odd.Truncate(time.Second), time.Second)}, Arrival},
		"minute":                          {[]Anchor{one(odd.Add(time.Minute), whole.Add(time.Minute), late)}, Minute},
		"whole minute: or exact":          {[]Anchor{one(whole.Add(time.Minute), whole.Add(time.Minute), late)}, Minute},
		"whole quarter: or the day":       {[]Anchor{one(round, round, late)}, Unknown},
		"a finer one decides":             {[]Anchor{one(round, round, late), one(odd, odd, time.Second)}, Exact},
		"days, once":                      {[]Anchor{one(odd, day, late)}, Unknown},
		"days":                            {[]Anchor{one(odd, day, late), one(odd.Add(time.Hour), day, time.Second)}, Day},
		"noons of a zone":                 {[]Anchor{one(odd, day.Add(5*time.Hour+30*time.Minute), late), one(odd, day.Add(5*time.Hour+30*time.Minute), late)}, Day},
		"arrival":                         {[]Anchor{one(odd, odd.Add(late).Add(time.Second), late)}, Arrival},
		"a moment later, live: arrival":   {[]Anchor{one(odd, odd.Add(300*time.Millisecond), time.Second)}, Arrival},
		"seconds, sent two minutes later": {[]Anchor{one(odd, odd.Truncate(time.Second), 2*time.Minute)}, Exact},
		"seconds, sent a little later":    {[]Anchor{one(odd, odd.Truncate(time.Second), 150*time.Second)}, Exact},
		"another whole minute is none":    {[]Anchor{one(odd, whole.Add(7*time.Minute), late), one(whole.Add(time.Minute), whole.Add(time.Minute), late)}, Arrival},
		"they contradict each other":      {[]Anchor{one(odd, odd, late), one(odd, odd.Add(late).Add(time.Second), late)}, Arrival},
		"the closest of several":          {[]Anchor{{Watched: odd, Sent: odd.Add(late), Shown: []time.Time{odd.Add(time.Hour), odd}}}, Exact},
	}
	for name, c := range cases {
		if got := Learn(c.anchors); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestSame(t *testing.T) {
	noon := time.Date(2026, 3, 6, 12, 0, 0, 0, time.UTC)
	apart := []time.Duration{0, 999 * time.Millisecond, time.Second, time.Minute - 1, time.Minute, 11 * time.Hour, 36*time.Hour - 1, 36 * time.Hour}
	for keeps, most := range map[Precision]int{Unknown: 2, Exact: 2, Minute: 4, Day: 7, Arrival: 0} {
		for i, d := range apart {
			for _, d := range []time.Duration{d, -d} {
				want := i < most
				if keeps == Day && d == -36*time.Hour {
					want = true // the day before, from its first moment
				}
				if got := keeps.Same(noon.Add(d), noon); got != want {
					t.Errorf("%q: %v apart are the same: %v", keeps, d, got)
				}
			}
		}
	}
	if Day.Same(noon, noon.Add(48*time.Hour)) || Day.Same(noon.Add(48*time.Hour), noon) {
		t.Error("two days apart are the same day")
	}
}
