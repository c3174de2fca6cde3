package rules

import "github.com/filmspool/filmspool/queue/viewing"

// Approval says which viewings wait until a person approves them.
type Approval string

// The approvals. Whoever decides by one of the last two looks up first whether it
// concerns the item, and clears it where it does not.
const (
	ApproveNone      Approval = ""
	ApproveAll       Approval = "all"
	ApproveUncertain Approval = "uncertain" // whose item was looked up, and not told by the source or a person
	ApproveFirst     Approval = "first"     // the first one of a series
)

// asks reports whether an item of a viewing waits.
func (a Approval) asks(v viewing.Event, m *viewing.Media) bool {
	if v.Kind != viewing.KindViewing || v.Class == viewing.ClassImport {
		return false
	}
	return a == ApproveAll || a == ApproveUncertain || a == ApproveFirst && m.Type == viewing.Episode
}

// why says why it waits.
func (a Approval) why() string {
	switch a {
	case ApproveUncertain:
		return "Held until you approve it: what it is was looked up, and not told by its source."
	case ApproveFirst:
		return "Held until you approve it: it is the first viewing of its series."
	default:
		return "Held until you approve it, as the settings have it for every viewing."
	}
}
