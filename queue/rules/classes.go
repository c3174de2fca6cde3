package rules

import (
	"fmt"

	"github.com/filmspool/filmspool/queue/viewing"
)

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

// classWords say why a class is held. What was seen stands beside it, in the
// words of the library: this says nothing that may differ from it.
func classWords(c viewing.Class) string {
	switch c {
	case viewing.ClassBulk:
		return "Held as bulk: several items were marked or imported in one act."
	case viewing.ClassBackdated:
		return "Held as backdated: it came from an import or a restored file, not from a playback that was seen."
	case viewing.ClassReview:
		return "Held for review: what was seen does not prove that it was watched here, or when."
	default:
		return "Held as " + string(c) + ", as the settings have it."
	}
}

// Mend names the commands that decide about a held entry, one line. It is ""
// for a reason that is none to hold something.
func Mend(reason string, id int64) string {
	release := fmt.Sprintf("to send it: filmspool queue release %d", id)
	drop := fmt.Sprintf("to forget it: filmspool queue drop %d", id)
	switch reason {
	case "":
		return ""
	case Unresolved:
		return fmt.Sprintf("to say what it is: filmspool queue edit %d --movie NUMBER, or --show NUMBER --season N --episode N; %s", id, drop)
	case Future:
		return fmt.Sprintf("to correct its time: filmspool queue edit %d --watched-at TIME; %s; %s", id, release, drop)
	case Bulk, Backdated:
		return fmt.Sprintf("%s; to send all that are held so: filmspool queue release --reason %s; %s", release, reason, drop)
	case Damaged:
		return drop + ", and add it again by hand"
	case NoList:
		return drop
	default:
		return release + "; " + drop
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
