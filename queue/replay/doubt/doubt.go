package doubt

import (
	"cmp"
	"strconv"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Precision is how precisely a service stores the times it receives.
type Precision string

// The precisions, the finest first.
const (
	Unknown Precision = ""        // not learned yet
	Exact   Precision = "exact"   // to the second
	Minute  Precision = "minute"  // cut or rounded to the minute
	Day     Precision = "day"     // only the day
	Arrival Precision = "arrival" // ignored: the service stores the time of arrival
)

// Same reports whether two times are equal at this precision. [Unknown] compares
// seconds, as [Exact] does.
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

// daysApart returns the number of calendar days between two times, in UTC.
func daysApart(a, b time.Time) int {
	const day = 24 * time.Hour
	d := int(a.UTC().Truncate(day).Sub(b.UTC().Truncate(day)) / day)
	return max(d, -d)
}

// The default waits.
const (
	firstReadWait = 2 * time.Second  // from the doubt to the first reading
	absenceWait   = 5 * time.Minute  // from the last byte to the first reading that can prove absence
	readInterval  = 30 * time.Second // between two such readings
	slowInterval  = 24 * time.Hour   // between readings after the setting has decided
)

// Waits overrides the waits for a service that needs others; zero values mean 5 minutes
// (First: from the last byte to a reading that can prove absence) and 30 s (Between: two
// such readings).
type Waits struct{ First, Between time.Duration }

func (w Waits) first() time.Duration   { return cmp.Or(w.First, absenceWait) }
func (w Waits) between() time.Duration { return cmp.Or(w.Between, readInterval) }

// Reading holds what one reading of the history contains about one item.
type Reading struct {
	At       time.Time   // when it began
	Complete bool        // the whole history was read, and it did not change meanwhile
	Records  []time.Time // the times of this item's records
	// Vague says that a record may be this item's, but cannot be compared or
	// has no time.
	Vague bool
	// Anchor says that the history contains an anchor of the same naming form, at
	// its time.
	Anchor bool
}

// Evidence is everything that the decision about one viewing in doubt is based on.
type Evidence struct {
	Watched time.Time // its time, as it was sent
	Reading Reading
	Age     time.Duration // from the last byte of its last request to the begin of the reading
	// Absent is when the first reading began that could have contained the record and did
	// not; zero for none.
	Absent    time.Time
	ReadBacks int // readings so far that could have contained the record
	Precision Precision
	// Claimed are the times of this item's viewings in the queue that were delivered, or
	// dropped after a request: their records are not this entry's.
	Claimed []time.Time
	// Older and Newer are the times of the other doubts about this item, queued before
	// and after this one.
	Older, Newer []time.Time
	Waits        Waits
}

// The next state of a viewing in doubt.
const (
	delivered   = viewing.StateDelivered // the service has it
	sendAgain   = viewing.StatePending   // the service does not have it
	stayInDoubt = viewing.StateInDoubt   // the reading proves neither
)

// decision is the result of [decide]. Wait, Absent and Final are set for stayInDoubt only.
type decision struct {
	state  viewing.State
	Why    viewing.Message
	Wait   time.Duration // from the last reading to the next
	Absent time.Time     // [Evidence.Absent] for the next decision
	// Final says that further readings are unlikely to decide: the user's setting
	// applies.
	Final bool
}

// decide implements the table of the package comment for viewings.
func decide(e Evidence) decision {
	shown, claimed, older := e.countMatching(e.Reading.Records), e.countMatching(e.Claimed), e.countMatching(e.Older)
	doubts, unclaimed, early := 1+older+e.countMatching(e.Newer), shown-claimed, e.Age < e.Waits.first()

	switch {
	// A record at the viewing's time.
	case e.Precision != Arrival && e.Precision != Day && shown > 0 && doubts == 1 && claimed == 0:
		return decision{state: delivered, Why: viewing.Say("doubt.there")}
	case e.Precision != Arrival && e.Precision != Day && e.Reading.Complete && older < unclaimed:
		return decision{state: delivered, Why: viewing.Say("doubt.free", "n", strconv.Itoa(unclaimed))}
	case early:
		return decision{state: stayInDoubt, Wait: e.Waits.first() - e.Age, Why: viewing.Say("doubt.tooEarly")}
	case e.Precision == Arrival:
		return e.leaveToSetting(viewing.Say("doubt.arrivalTimes"))
	case e.Precision == Day && shown > 0:
		return e.leaveToSetting(viewing.Say("doubt.daysOnly"))
	case shown > 0 && e.Reading.Complete && unclaimed <= 0:
		// The other entry's record may have been deleted on the service: this one may belong to this entry.
		return e.leaveToSetting(viewing.Say("doubt.otherEntries"))
	case shown > 0 && e.Reading.Complete:
		return e.leaveToSetting(viewing.Say("doubt.tooFew", "n", strconv.Itoa(unclaimed), "doubts", strconv.Itoa(doubts)))

	// No record at the viewing's time.
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

// countMatching returns how many of times equal the viewing's time at the service's precision.
func (e Evidence) countMatching(times []time.Time) (n int) {
	for _, t := range times {
		if e.Precision.Same(t, e.Watched) {
			n++
		}
	}
	return n
}

// readAgain keeps the viewing in doubt until the next reading, or until the setting
// applies if all readings were taken. The wait grows with the number of readings.
func (e Evidence) readAgain(why viewing.Message) decision {
	waits := [...]time.Duration{e.Waits.between(), e.Waits.between(), e.Waits.first(), time.Hour, 6 * time.Hour}
	if e.ReadBacks > len(waits) {
		return e.leaveToSetting(why)
	}
	return decision{state: stayInDoubt, Wait: waits[max(e.ReadBacks, 1)-1], Why: why}
}

// leaveToSetting keeps the viewing in doubt and has the user's setting decide.
func (e Evidence) leaveToSetting(why viewing.Message) decision {
	return decision{state: stayInDoubt, Wait: slowInterval, Final: true, Why: why}
}
