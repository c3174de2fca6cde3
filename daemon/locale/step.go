package locale

import (
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Step renders one step of an entry.
func (s Speech) Step(step entry.Step) string {
	values := []any{"was", s.Standing(step.From, step.Reason)}
	if step.Cause != nil {
		values = append(values, "what", strings.TrimSuffix(s.Message(*step.Cause), "."))
	}
	for name, value := range step.Args {
		values = append(values, name, s.stepValue(name, value))
	}
	return Sentence(s.Say("step."+step.Code, values...))
}

// Standing is a state with the reason for it.
func (s Speech) Standing(state viewing.State, reason string) string {
	text := s.Say("diary.state." + string(state))
	if s.Has("diary.reason." + reason) {
		text += " (" + s.Say("diary.reason."+reason) + ")"
	}
	return text
}

// stepValue is one value of a step.
func (s Speech) stepValue(name, value string) string {
	switch name {
	case "reason":
		if key := "diary.reason." + value; s.Has(key) {
			return s.Say(key)
		}
	case "state":
		return s.Say("diary.state." + value)
	case "class":
		if key := "settings.key.kodi.classes." + value; s.Has(key) {
			return s.Say(key)
		}
	case "source":
		return s.Source(value)
	case "apart":
		return s.apart(value)
	case "at", "from", "until", "before":
		if at, err := time.Parse(time.RFC3339Nano, value); err == nil {
			return at.Local().Format(time.DateTime)
		}
	}
	return value
}

// apart says how the ends of two sightings lie to each other.
func (s Speech) apart(distance string) string {
	switch span, earlier := strings.CutPrefix(distance, "-"); {
	case distance == "day":
		return s.Say("step.apart.day")
	case distance == "0s":
		return s.Say("step.apart.same")
	case earlier:
		return s.Say("step.apart.earlier", "span", span)
	default:
		return s.Say("step.apart.later", "span", span)
	}
}
