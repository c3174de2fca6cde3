package locale

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Label returns the title of an entry.
func (s Speech) Label(e entry.Entry) string {
	switch {
	case e.List != nil:
		return s.Say("item.list", "name", e.List.Name)
	case e.Media != nil:
		return s.Item(*e.Media)
	default:
		return string(e.Kind)
	}
}

// Source returns the user's name for a source, or its kind.
func (s Speech) Source(source string) string {
	if name := s.Names[source]; name != "" {
		return name
	}
	if form, is := strings.CutPrefix(source, viewing.SourceFile+":"); is {
		return s.Kind(viewing.SourceFile) + " (" + form + ")"
	}
	return s.Kind(viewing.SourceKind(source))
}

// Kind returns the name of a kind of source.
func (s Speech) Kind(kind string) string {
	if key := "source.kind." + kind; s.Has(key) {
		return s.Say(key)
	}
	return kind
}

// Work returns the title, or else the number, of a film or series in a ranking.
func (s Speech) Work(r entry.Ranked) string {
	if r.Media == nil {
		return r.Name
	}
	return s.Item(*r.Media)
}

// Item returns the title of a film, series or episode.
func (s Speech) Item(m viewing.Media) string {
	return m.LabelIn(func(word string) string { return s.Say("item." + strings.ReplaceAll(word, " ", "-")) })
}

// Step renders one step of an entry.
func (s Speech) Step(step entry.Step) string {
	values := []any{"was", s.StateText(step.From, step.Reason)}
	if step.Cause != nil {
		values = append(values, "what", strings.TrimSuffix(s.Message(*step.Cause), "."))
	}
	for name, value := range step.Args {
		values = append(values, name, s.stepValue(name, value))
	}
	return Sentence(s.Say("step."+step.Code, values...))
}

// StateText returns the name of a state with its reason.
func (s Speech) StateText(state viewing.State, reason string) string {
	text := s.Say("diary.state." + string(state))
	if s.Has("diary.reason." + reason) {
		text += " (" + s.Say("diary.reason."+reason) + ")"
	}
	return text
}

// stepValue renders one value of a step.
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

// apart describes the time between the ends of two sightings.
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

// Message renders a message with the text below "told.".
func (s Speech) Message(m viewing.Message) string {
	if m.Code == "" {
		return ""
	}
	var values []any
	for name, value := range m.Args {
		values = append(values, name, s.stepValue(name, value))
	}
	if m.Cause != nil {
		values = append(values, "what", s.Message(*m.Cause))
	}
	return s.Say("told."+m.Code, values...)
}

// Tell renders a message as a sentence; it may be "".
func (s Speech) Tell(m viewing.Message) string { return Sentence(s.Message(m)) }

// Error renders the messages in an error, one per line. An error without a message is returned as
// its own text.
func (s Speech) Error(err error) string {
	var lines []string
	for _, m := range viewing.MessagesOf(err) {
		lines = append(lines, s.Message(m))
	}
	return strings.Join(lines, "\n")
}

// Clauses renders messages as one sentence.
func (s Speech) Clauses(all []viewing.Message) string {
	var parts []string
	for _, m := range all {
		parts = append(parts, strings.TrimSuffix(s.Message(m), "."))
	}
	return Sentence(strings.Join(parts, "; "))
}

// Sentence returns a text with a capital letter at the start and one mark at the end.
func Sentence(text string) string {
	if text == "" {
		return ""
	}
	return Ended(Capital(text))
}

// Capital returns a text with a capital letter at the start.
func Capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// Ended returns a text with one mark at the end.
func Ended(text string) string {
	if text = strings.TrimSuffix(text, "."); strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}
