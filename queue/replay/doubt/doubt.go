package doubt

import (
	"cmp"
	"fmt"
	"time"
)

// Precision is how a service keeps the times it is sent.
type Precision string

// The precisions, the finest first.
const (
	Unknown Precision = ""        // not learned yet
	Exact   Precision = "exact"   // to the second
	Minute  Precision = "minute"  // cut or rounded to the minute
	Day     Precision = "day"     // only the day
	Arrival Precision = "arrival" // not at all: it stores the time of arrival
)

// Same reports whether two times of one item are one time to a service that
// keeps times so. Without knowing, only equal seconds are.
func (p Precision) Same(a, b time.Time) bool {
	switch p {
	case Unknown, Exact:
		return a.Sub(b).Abs() < time.Second
	case Minute:
		return a.Sub(b).Abs() < time.Minute
	case Day:
		return days(a, b) <= 1 // the zone of the day is unknown
	default:
		return false
	}
}

// days is the distance of two days of the calendar, in UTC.
func days(a, b time.Time) int {
	const day = 24 * time.Hour
	d := int(a.UTC().Truncate(day).Sub(b.UTC().Truncate(day)) / day)
	return max(d, -d)
}

// The waits.
const (
	firstLook = 5 * time.Minute  // from the last byte to the first reading that can prove absence
	between   = 30 * time.Second // between two such readings
	seldom    = 24 * time.Hour   // once reading can say no more for now
)

// Waits are shorter or longer waits for a service that is known to need them;
// zero values are 5 minutes and 30 s.
type Waits struct{ First, Between time.Duration }

func (w Waits) first() time.Duration {
	return cmp.Or(w.First, firstLook)
}

func (w Waits) between() time.Duration {
	return cmp.Or(w.Between, between)
}

// Reading is what one complete or incomplete reading of the history showed of one item.
type Reading struct {
	At time.Time `json:"at"` // when it began
	// Complete says that all of the history was read and nothing moved meanwhile.
	Complete bool `json:"complete,omitempty"`
	// Print is equal for equal readings of the whole history, and only for those.
	Print string `json:"print,omitempty"`
	// Records are the times of this item's records.
	Records []time.Time `json:"records,omitempty"`
	// Vague says that a record may be this item's, but cannot be compared or
	// has no time.
	Vague bool `json:"vague,omitempty"`
	// Anchor says that a viewing of the same form which the service has
	// answered with success was seen, at its time.
	Anchor bool `json:"anchor,omitempty"`
}

// Evidence is all that is known of one viewing in doubt.
type Evidence struct {
	Watched  time.Time // the viewing's time, as it was sent
	LastByte time.Time // the end of its last attempt
	Keeps    Precision
	// Taken counts the readings so far; Readings are the newest of them, the
	// newest last. Two are enough, one is needed.
	Taken    int
	Readings []Reading
	// Claimed are the times of this item's records that other entries of ours
	// account for.
	Claimed []time.Time
	// Elder and Younger are the times of the other doubts about this item,
	// queued before and after this one.
	Elder, Younger []time.Time
	Waits          Waits
}

// fate is what becomes of a viewing in doubt.
type fate string

// The fates.
const (
	delivered fate = "delivered" // the service has it
	again     fate = "again"     // the service does not have it: it is sent again
	stay      fate = "stay"      // nobody can tell, or not yet
)

// decision is what follows from the evidence.
type decision struct {
	fate     fate
	Sentence string        // why, for a person
	Wait     time.Duration // for stay: from the last reading to the next
	// Final, for stay, says that further readings are not likely to tell
	// more: from here it is the user's setting that decides.
	Final bool
}

// decide is the table; the package comment has its reasons.
func decide(e Evidence) decision {
	last := e.Readings[len(e.Readings)-1]
	shown, claimed, elder := e.count(last.Records), e.count(e.Claimed), e.count(e.Elder)
	doubts := 1 + elder + e.count(e.Younger)
	free := shown - claimed

	// A record at the viewing's time.
	switch {
	case e.Keeps == Arrival:
		return e.final("the service puts the time of arrival in place of the viewing's own, so its records cannot be told apart")
	case e.Keeps == Day && shown > 0:
		return e.final("the service keeps only the day and has this item that day: it may be this viewing or another")
	case shown > 0 && doubts == 1 && claimed == 0:
		return decision{fate: delivered, Sentence: "the service has this item at this time"}
	case shown == 0 || !last.Complete:
	case free <= 0:
		// The other entry's may have been taken away, and this one be ours.
		return e.final("the service has this item at this time, but other entries account for it")
	case elder < free:
		return decision{fate: delivered, Sentence: fmt.Sprintf("the service has this item at this time; %d of its records there belong to no other entry", free)}
	default:
		return e.final(fmt.Sprintf("the service has %d records for %d viewings in doubt of this item and time", free, doubts))
	}

	// No such record.
	var before Reading
	if n := len(e.Readings); n > 1 {
		before = e.Readings[n-2]
	}
	age, apart := last.At.Sub(e.LastByte), last.At.Sub(before.At)
	switch why := e.weakness(last); {
	case why != "":
		return e.later(why)
	case age < e.Waits.first():
		return e.wait(e.Waits.first()-age, "it is not there yet, and it is too early to say that it will not be")
	case e.weakness(before) != "" || before.At.Sub(e.LastByte) < e.Waits.first():
		return e.later("it was not there in a first reading")
	case last.Print != before.Print:
		return e.later("the service's records changed between two readings")
	case apart < e.Waits.between():
		return e.wait(e.Waits.between()-apart, "it was not there in a first reading")
	default:
		return decision{fate: again, Sentence: "the service has no record of this item at this time in two complete, equal readings"}
	}
}

// weakness is why a reading without such a record proves nothing; "" when it
// does.
func (e Evidence) weakness(r Reading) string {
	switch {
	case !r.Complete:
		return "the history could not be read whole"
	case r.Vague:
		return "the service shows records that cannot be compared with this item"
	case !r.Anchor:
		return "no viewing that is known to have arrived was seen in the reading, so that a missing one proves nothing"
	case e.Keeps == Unknown:
		return "how the service keeps times is not known yet"
	default:
		return ""
	}
}

// count is how many of times are the viewing's own.
func (e Evidence) count(times []time.Time) (n int) {
	for _, t := range times {
		if e.Keeps.Same(t, e.Watched) {
			n++
		}
	}
	return n
}

// later waits longer the more readings were taken.
func (e Evidence) later(why string) decision {
	waits := [...]time.Duration{e.Waits.between(), e.Waits.between(), e.Waits.first(), time.Hour, 6 * time.Hour}
	if e.Taken > len(waits) {
		return e.final(why)
	}
	return e.wait(waits[max(e.Taken, 1)-1], why)
}

func (e Evidence) wait(d time.Duration, why string) decision {
	return decision{fate: stay, Wait: d, Sentence: why}
}

func (e Evidence) final(why string) decision {
	return decision{fate: stay, Wait: seldom, Final: true, Sentence: why}
}
