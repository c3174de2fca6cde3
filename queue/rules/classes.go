package rules

import "github.com/filmspool/filmspool/queue/viewing"

// class is what the user wants to become of a class.
func (s Settings) class(c viewing.Class) Action {
	if a := s.Classes[c]; a != "" {
		return a
	}
	switch c {
	case viewing.ClassBulk, viewing.ClassBackdated, viewing.ClassReview:
		return Hold
	default:
		return Send
	}
}

// classWords say why a class is held.
func classWords(c viewing.Class) string {
	switch c {
	case viewing.ClassBulk:
		return "Held as bulk: it was marked as watched together with others in one act."
	case viewing.ClassBackdated:
		return "Held as backdated: it is older than the reading of the library before."
	case viewing.ClassReview:
		return "Held for review: its time makes no sense; a person must look."
	default:
		return "Held as " + string(c) + ", as the settings have it."
	}
}

// Ignored reports whether what was dropped for a reason was so by the user's
// settings, at the very start: it was never sent, and can still be.
func Ignored(reason string) bool {
	switch viewing.Class(reason) {
	case Filtered, viewing.ClassLive, viewing.ClassCatchUp, viewing.ClassBulk, viewing.ClassBackdated, viewing.ClassReview, viewing.ClassImport:
		return true
	default:
		return false
	}
}
