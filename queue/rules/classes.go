package rules

import "github.com/filmspool/filmspool/queue/viewing"

// class is what the user wants to become of a viewing of its class.
func (s Settings) class(v viewing.Event) Action {
	if a := s.Classes[v.Class]; a != "" {
		return a
	}
	switch v.Class {
	case viewing.ClassBulk, viewing.ClassBackdated, viewing.ClassReview:
		return Hold
	case viewing.ClassMarked: // what was set before marks had a class of their own holds for them
		if live := s.Classes[viewing.ClassLive]; live == Hold || live == Ignore {
			return live
		}
		if v.Elsewhere {
			return Hold
		}
	}
	return Send
}

// Ignored reports whether what was dropped for a reason was so by the user's
// settings, at the very start: it was never sent, and can still be.
func Ignored(reason string) bool {
	switch viewing.Class(reason) {
	case viewing.ReasonFiltered, viewing.ReasonPaused, viewing.ClassLive, viewing.ClassMarked, viewing.ClassCatchUp, viewing.ClassBulk, viewing.ClassBackdated, viewing.ClassReview, viewing.ClassImport:
		return true
	default:
		return false
	}
}
