package report

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/kodi/scan"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Plays is how many viewings are handed over.
func Plays(did control.KodiImported) (n int) {
	for _, l := range did.Libraries {
		n += l.Plays()
	}
	return n
}

// Unreadable names the services that cannot be asked.
func Unreadable(w *terminal.Printer, did control.KodiImported) string {
	var all []string
	for _, s := range did.Services {
		if !s.Readable {
			all = append(all, "account "+s.Account+": "+w.Speech().Message(s.Reason))
		}
	}
	return strings.Join(all, "; ")
}

// Past tells what is, or would be, handed over.
func Past(w *terminal.Printer, did control.KodiImported) {
	if len(did.Libraries) == 0 {
		w.Println("No library is configured. To add one, name its userdata folder under [[kodi.libraries]]; see: filmspool kodi libraries")
	}
	for _, l := range did.Libraries {
		w.Printf("%s  %s\n", l.Userdata, l.State)
		if l.Problem.Code == "" {
			sayLibrary(w, l)
		}
	}
	for _, s := range did.Services {
		if s.Readable {
			w.Printf("account %s: its history was read; what it has is left out\n", s.Account)
		} else {
			w.Printf("account %s: it cannot be asked what it has already: %s\n", s.Account, s.Reason)
		}
	}
}

// Imported tells what follows.
func Imported(w *terminal.Printer, did control.KodiImported) {
	w.Printf("Imported: %d viewings are on disk.", Plays(did))
	if did.SendSeconds > 0 {
		w.Printf(" They leave when nothing live is due, which takes about %v.", time.Duration(did.SendSeconds)*time.Second)
	}
	w.Println()
}

// sayLibrary tells of one library; what is zero is not told.
func sayLibrary(w *terminal.Printer, l scan.Preview) {
	w.Printf("  to send: %d films, %d episodes\n", l.Films, l.Episodes)
	for _, reason := range slices.Sorted(maps.Keys(l.Held)) {
		w.Printf("  held for you: %d, %s\n", l.Held[reason], heldFor(reason))
	}
	for _, reason := range slices.Sorted(maps.Keys(l.Ignored)) {
		w.Printf("  ignored, and kept for the record: %d, %s\n", l.Ignored[reason], heldFor(reason))
	}
	for _, line := range []struct {
		n    int
		says string
	}{
		{l.Unresolved, "held for you: %d without an identifier that the service takes"},
		{l.Recorded, "left out: %d that filmspool has recorded before"},
		{l.AtService, "left out: %d that the service has"},
		{l.Copies, "left out: %d that are the same play of another file"},
		{l.Before, "left out: %d from before the date, or without a time"},
		{l.Earlier, "earlier plays, of which Kodi keeps no time: %d; --plays all hands them over, held"},
	} {
		if line.n > 0 {
			w.Printf("  "+line.says+"\n", line.n)
		}
	}
	Found(w, "the newest to send", l.Sample)
	Found(w, "the newest of the others", l.HeldSample)
}

// heldFor says in words why something is held, or ignored.
func heldFor(reason string) string {
	switch reason {
	case "bulk":
		return "marked or imported into Kodi in one act"
	case "backdated":
		return "without a time that can be true"
	case viewing.ReasonFuture:
		return "with a time that lies ahead"
	case "filter":
		return "by a filter of yours"
	default:
		return reason
	}
}
