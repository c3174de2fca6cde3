package doubt

import (
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// base returns the evidence of a viewing that two readings did not find, so that it is sent
// again; each case changes one thing.
func base() Evidence {
	first := attempt().Add(absenceWait)
	return Evidence{
		Watched: watched(), Age: absenceWait + readInterval, Precision: Exact, ReadBacks: 2, Absent: first,
		Reading: Reading{At: first.Add(readInterval), Complete: true, Anchor: true},
	}
}

func TestDecide(t *testing.T) {
	at := func(times ...time.Time) []time.Time { return times }
	cases := map[string]struct {
		change  func(*Evidence)
		outcome viewing.State
		wait    time.Duration
		final   bool
		why     string
	}{
		"absent twice":                     {func(*Evidence) {}, sendAgain, 0, false, "noRecord"},
		"there":                            {func(e *Evidence) { e.Reading.Records = at(watched()) }, delivered, 0, false, "there"},
		"there, cut to the second":         {func(e *Evidence) { e.Reading.Records = at(watched().Truncate(time.Second)) }, delivered, 0, false, "there"},
		"there at another second":          {func(e *Evidence) { e.Reading.Records = at(watched().Add(time.Second)) }, sendAgain, 0, false, "noRecord"},
		"there in an incomplete reading":   {func(e *Evidence) { e.Reading = Reading{At: e.Reading.At, Records: at(watched())} }, delivered, 0, false, "there"},
		"there too early to prove absence": {func(e *Evidence) { e.Age, e.Reading.Records = 0, at(watched()) }, delivered, 0, false, "there"},
		"read too early":                   {func(e *Evidence) { e.Age = time.Minute }, stayInDoubt, 4 * time.Minute, false, "tooEarly"},
		"read too early, arrival times":    {func(e *Evidence) { e.Age, e.Precision = time.Minute, Arrival }, stayInDoubt, 4 * time.Minute, false, "tooEarly"},
		"no first reading":                 {func(e *Evidence) { e.Absent = time.Time{} }, stayInDoubt, readInterval, false, "notFirst"},
		"read again too soon":              {func(e *Evidence) { e.Reading.At = e.Reading.At.Add(-time.Second) }, stayInDoubt, time.Second, false, "notFirst"},
		"incomplete":                       {func(e *Evidence) { e.Reading.Complete = false }, stayInDoubt, readInterval, false, "notWhole"},
		"anchor not seen":                  {func(e *Evidence) { e.Reading.Anchor = false }, stayInDoubt, readInterval, false, "noProof"},
		"not comparable":                   {func(e *Evidence) { e.Reading.Vague = true }, stayInDoubt, readInterval, false, "incomparable"},
		"precision unknown":                {func(e *Evidence) { e.Precision = Unknown }, stayInDoubt, readInterval, false, "howTimes"},
		"arrival times":                    {func(e *Evidence) { e.Precision = Arrival }, stayInDoubt, slowInterval, true, "arrivalTimes"},
		"the day has one":                  {func(e *Evidence) { e.Precision, e.Reading.Records = Day, at(watched().Add(-9*time.Hour)) }, stayInDoubt, slowInterval, true, "daysOnly"},
		"the day has none":                 {func(e *Evidence) { e.Precision, e.Reading.Records = Day, at(watched().Add(-72*time.Hour)) }, sendAgain, 0, false, "noRecord"},
		"claimed by another entry":         {func(e *Evidence) { e.Reading.Records, e.Claimed = at(watched()), at(watched()) }, stayInDoubt, slowInterval, true, "otherEntries"},
		"claimed, and read too early":      {func(e *Evidence) { e.Age, e.Reading.Records, e.Claimed = 0, at(watched()), at(watched()) }, stayInDoubt, absenceWait, false, "tooEarly"},
		"one of two is unclaimed": {func(e *Evidence) {
			e.Reading.Records, e.Claimed = at(watched(), watched()), at(watched())
		}, delivered, 0, false, "free"},
		"one of two, in an incomplete reading": {func(e *Evidence) {
			e.Reading.Records, e.Claimed, e.Reading.Complete = at(watched(), watched()), at(watched()), false
		}, stayInDoubt, readInterval, false, "notWhole"},
		"two doubts, one record: the older": {func(e *Evidence) { e.Reading.Records, e.Newer = at(watched()), at(watched()) }, delivered, 0, false, "free"},
		"two doubts, one record: the newer": {func(e *Evidence) { e.Reading.Records, e.Older = at(watched()), at(watched()) }, stayInDoubt, slowInterval, true, "tooFew"},
		"two doubts, none":                  {func(e *Evidence) { e.Older = at(watched()) }, sendAgain, 0, false, "noRecord"},
		"read often":                        {func(e *Evidence) { e.ReadBacks, e.Reading.Anchor = 5, false }, stayInDoubt, 6 * time.Hour, false, "noProof"},
		"read too often":                    {func(e *Evidence) { e.ReadBacks, e.Reading.Anchor = 6, false }, stayInDoubt, slowInterval, true, "noProof"},
	}
	for name, c := range cases {
		e := base()
		c.change(&e)
		d := decide(e)
		if d.state != c.outcome || d.Wait != c.wait || d.Final != c.final || d.Why.Code != "doubt."+c.why {
			t.Errorf("%s: %+v, want %s, wait %s, final %v, %q", name, d, c.outcome, c.wait, c.final, c.why)
		}
		want := time.Time{}
		switch name {
		case "no first reading":
			want = e.Reading.At
		case "read again too soon":
			want = e.Absent
		}
		if !d.Absent.Equal(want) {
			t.Errorf("%s: first reading without it %s, want %s", name, d.Absent, want)
		}
	}
}

func TestPrecision(t *testing.T) {
	odd, round := watched(), watched().Truncate(15*time.Minute)
	whole := watched().Truncate(time.Minute)
	day, late := watched().Truncate(24*time.Hour), 24*time.Hour
	one := func(watched, shown time.Time, sent time.Duration) Anchor {
		return Anchor{Watched: watched, Sent: watched.Add(sent), records: []time.Time{shown}}
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
		"another whole minute":            {[]Anchor{one(odd, whole.Add(7*time.Minute), late), one(whole.Add(time.Minute), whole.Add(time.Minute), late)}, Arrival},
		"they contradict each other":      {[]Anchor{one(odd, odd, late), one(odd, odd.Add(late).Add(time.Second), late)}, Arrival},
		"the closest of several":          {[]Anchor{{Watched: odd, Sent: odd.Add(late), records: []time.Time{odd.Add(time.Hour), odd}}}, Exact},
	}
	for name, c := range cases {
		if got := (History{anchors: c.anchors}).Precision(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
