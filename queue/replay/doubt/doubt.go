package doubt

import (
	"cmp"
	"strconv"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
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
		return daysApart(a, b) <= 1 // the zone of the day is unknown
	default:
		return false
	}
}

// days is the distance of two days of the calendar, in UTC.
func daysApart(a, b time.Time) int {
	const day = 24 * time.Hour
	d := int(a.UTC().Truncate(day).Sub(b.UTC().Truncate(day)) / day)
	return max(d, -d)
}

// The waits.
const (
	firstReadWait = 2 * time.Second  // from the doubt to the first reading
	absenceWait   = 5 * time.Minute  // from the last byte to the first reading that can prove absence
	readInterval  = 30 * time.Second // between two such readings
	slowInterval  = 24 * time.Hour   // once reading can say no more for now
)

// Waits are shorter or longer waits for a service that is known to need them;
// zero values are 5 minutes and 30 s.
type Waits struct{ First, Between time.Duration }

func (w Waits) first() time.Duration   { return cmp.Or(w.First, absenceWait) }
func (w Waits) between() time.Duration { return cmp.Or(w.Between, readInterval) }

// Reading is what one reading of the history showed of one item.
type Reading struct {
	At       time.Time   // when it began
	Complete bool        // all of the history was read, and nothing moved meanwhile
	Records  []time.Time // the times of this item's records
	// Vague says that a record may be this item's, but cannot be compared or
	// has no time.
	Vague bool
	// Anchor says that a viewing of the same form which the service has
	// answered with success was seen, at its time.
	Anchor bool
}

// Evidence is all that is known of one viewing in doubt.
type Evidence struct {
	Watched time.Time // its time, as it was sent
	Reading Reading
	Age     time.Duration // of the last byte of its last request, when the reading began
	// Absent is when an earlier reading began that could have shown it and did not;
	// zero for none.
	Absent    time.Time
	Taken     int // the readings so far that could
	Precision Precision
	// Claimed are the times of this item's records that other entries of ours
	// account for.
	Claimed []time.Time
	// Elder and Younger are the times of the other doubts about this item,
	// queued before and after this one.
	Older, Newer []time.Time
	Waits        Waits
}

// What becomes of a viewing in doubt.
const (
	delivered   = viewing.StateDelivered // the service has it
	sendAgain   = viewing.StatePending   // the service does not have it: it is sent again
	stayInDoubt = viewing.StateInDoubt   // nobody can tell, or not yet
)

// decision is what follows from the evidence.
type decision struct {
	state  viewing.State
	Why    viewing.Message
	Wait   time.Duration // for stay: from the last reading to the next
	Absent time.Time     // for stay: [Evidence.Absent] at the next
	// Final, for stay, says that further readings are not likely to tell
	// more: from here it is the user's setting that decides.
	Final bool
}

// decide is the table; the package comment has its reasons.
func decide(e Evidence) decision {
	shown, claimed, elder := e.countMatching(e.Reading.Records), e.countMatching(e.Claimed), e.countMatching(e.Older)
	doubts, free, early := 1+elder+e.countMatching(e.Newer), shown-claimed, e.Age < e.Waits.first()

	switch {
	// A record at the viewing's time.
	case e.Precision != Arrival && e.Precision != Day && shown > 0 && doubts == 1 && claimed == 0:
		return decision{state: delivered, Why: viewing.Say("doubt.there")}
	case e.Precision != Arrival && e.Precision != Day && e.Reading.Complete && elder < free:
		return decision{state: delivered, Why: viewing.Say("doubt.free", "n", strconv.Itoa(free))}
	case early:
		return decision{state: stayInDoubt, Wait: e.Waits.first() - e.Age, Why: viewing.Say("doubt.tooEarly")}
	case e.Precision == Arrival:
		return e.leaveToSetting(viewing.Say("doubt.arrivalTimes"))
	case e.Precision == Day && shown > 0:
		return e.leaveToSetting(viewing.Say("doubt.daysOnly"))
	case shown > 0 && e.Reading.Complete && free <= 0:
		// The other entry's may have been taken away, and this one be ours.
		return e.leaveToSetting(viewing.Say("doubt.otherEntries"))
	case shown > 0 && e.Reading.Complete:
		return e.leaveToSetting(viewing.Say("doubt.tooFew", "n", strconv.Itoa(free), "doubts", strconv.Itoa(doubts)))

	// No such record.
	case !e.Reading.Complete:
		return e.readAgain(viewing.Say("doubt.notWhole"))
	case e.Reading.Vague:
		return e.readAgain(viewing.Say("doubt.incomparable"))
	case !e.Reading.Anchor:
		return e.readAgain(viewing.Say("doubt.noProof"))
	case e.Precision == Unknown:
		return e.readAgain(viewing.Say("doubt.howTimes"))
	case e.Absent.IsZero():
		d := e.readAgain(viewing.Say("doubt.notFirst"))
		d.Absent = e.Reading.At
		return d
	case e.Reading.At.Sub(e.Absent) < e.Waits.between():
		return decision{state: stayInDoubt, Wait: e.Waits.between() - e.Reading.At.Sub(e.Absent), Why: viewing.Say("doubt.notFirst"), Absent: e.Absent}
	default:
		return decision{state: sendAgain, Why: viewing.Say("doubt.noRecord")}
	}
}

// count is how many of times are the viewing's own.
func (e Evidence) countMatching(times []time.Time) (n int) {
	for _, t := range times {
		if e.Precision.Same(t, e.Watched) {
			n++
		}
	}
	return n
}

// later waits longer the more readings were taken.
func (e Evidence) readAgain(why viewing.Message) decision {
	waits := [...]time.Duration{e.Waits.between(), e.Waits.between(), e.Waits.first(), time.Hour, 6 * time.Hour}
	if e.Taken > len(waits) {
		return e.leaveToSetting(why)
	}
	return decision{state: stayInDoubt, Wait: waits[max(e.Taken, 1)-1], Why: why}
}

func (e Evidence) leaveToSetting(why viewing.Message) decision {
	return decision{state: stayInDoubt, Wait: slowInterval, Final: true, Why: why}
}
