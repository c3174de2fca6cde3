package config

import (
	"errors"
	"fmt"
	"strconv"
	"time"
)

// Replay is when, and how fast, entries leave.
type Replay struct {
	// Rate is how many entries a second may leave for one account, to 1,000; 0
	// is no limit. Questions that record nothing come besides.
	Rate float64 `toml:"rate" json:"rate"`
	// BackfillRate is how many of those may be of imports. They leave only
	// when nothing live is due.
	BackfillRate float64 `toml:"backfill_rate" json:"backfillRate"`
	// Grace is how long an entry stays before it may leave, so that it can be
	// dropped first; from 0 to 24 hours.
	Grace Duration `toml:"grace" json:"grace"`
}

// The bounds of [Replay].
const (
	maxRate  = 1000
	maxGrace = 24 * time.Hour
)

func (r Replay) validate() error {
	var faults []error
	for name, rate := range map[string]float64{"rate": r.Rate, "backfill_rate": r.BackfillRate} {
		if !(rate >= 0 && rate <= maxRate) { // NaN is neither
			faults = append(faults, fault("replay."+name, "fault.rateRange", "value", fmt.Sprint(rate), "most", fmt.Sprint(maxRate)))
		}
	}
	if err := r.Grace.fault("replay.grace"); err != nil {
		faults = append(faults, err)
	} else if g := r.Grace.Duration; g < 0 || g > maxGrace {
		faults = append(faults, fault("replay.grace", "fault.graceRange", "value", strconv.Quote(g.String())))
	}
	return errors.Join(faults...)
}

// Duration is a span of time, written as "90s", "10m" or "1h30m". A bare
// number, of who knows what, is refused.
type Duration struct {
	time.Duration
	wrong string // what was written, when it is no span of time
}

// UnmarshalText implements [encoding.TextUnmarshaler]. What is wrong is said by
// [Config.Validate], which knows the setting.
func (d *Duration) UnmarshalText(text []byte) error {
	span, err := time.ParseDuration(string(text))
	*d = Duration{Duration: span}
	if err != nil {
		d.wrong = string(text)
		if d.wrong == "" {
			d.wrong = " "
		}
	}
	return nil
}

// fault says what is wrong with the text of a setting.
func (d Duration) fault(setting string) error {
	if d.wrong == "" {
		return nil
	}
	return fault(setting, "fault.noDuration", "value", strconv.Quote(d.wrong))
}

// MarshalText implements [encoding.TextMarshaler].
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }
