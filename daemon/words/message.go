package words

import "github.com/filmspool/filmspool/queue/viewing"

// Message renders a message with the text below "told.".
func (s Speech) Message(m viewing.Message) string {
	if m.Code == "" {
		return ""
	}
	if m.Code == "text" { // a sentence that has no code yet
		return s.reason(m.Args["text"])
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
