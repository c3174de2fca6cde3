package rule

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

// slotPrefix begins the slot of an item: its name within the library.
const slotPrefix = "watchlist\x1f"

// manyAtOnce is how many items of one reading leave as live entries. More of
// them leave as an import does.
const manyAtOnce = 10

// Watchlist is what a tag of Kodi's adds to the watchlist: events, corrections
// of earlier ones, and what is known then.
type Watchlist struct {
	tag        string
	meta       Meta
	known      map[string]added
	now        map[string]bool // the slots that have the tag now
	fresh      []item
	amendments []viewing.Amendment
	changed    map[string]*added // nil is forgotten
}

// item is a film or a series that has the tag.
type item struct {
	slot string
	library.Tagged
}

// AddTagged compares what has a tag with what was handed over before. An item
// is handed over once for good, also when it loses the tag and gets it again.
func AddTagged(known *Memory, tag string, found []library.Tagged) *Watchlist {
	w := &Watchlist{tag: tag, meta: known.Meta, known: known.watchlist, now: map[string]bool{}, changed: map[string]*added{}}
	var items []item
	for _, f := range found {
		slot := slotPrefix + itemKey(f.Media, f.Path)
		if !w.now[slot] {
			w.now[slot] = true
			items = append(items, item{slot, f})
		}
	}
	places := map[string]string{} // path of an item that was handed over → its slot
	for slot, x := range w.known {
		if x.Path != "" {
			places[x.Path] = slot
		}
	}
	for _, i := range items {
		if _, before := w.known[i.slot]; before {
			continue
		}
		was, moved := places[i.Path]
		if !moved || i.Path == "" || w.now[was] || !w.follow(i, was) {
			w.fresh = append(w.fresh, i)
		}
	}
	return w
}

// follow lets an earlier item follow the identity of its file: one without an
// identifier gets it; one that Kodi now calls by another name is withdrawn,
// unless it has left, and handed over again under the new name. It reports
// whether that is all.
func (w *Watchlist) follow(i item, was string) bool {
	old, reason := w.known[was], viewing.Say("note.calls", "title", i.Media.Label())
	if old.Open {
		w.amendments = append(w.amendments, viewing.Amendment{EventID: old.ID, Media: []viewing.Media{i.Media}, Reason: reason})
		w.changed[was] = nil
		w.changed[i.slot] = &added{ID: old.ID, Path: i.Path, Open: !i.Media.Identified()}
		return true
	}
	w.amendments = append(w.amendments, viewing.Amendment{EventID: old.ID, Drop: true, Reason: reason})
	w.changed[was] = &added{ID: old.ID} // its file is another's now
	return false
}

// eventOf names an item for good.
func (w *Watchlist) eventOf(slot string) string {
	sum := sha256.Sum256([]byte("wish\x00" + slot))
	return w.meta.ID + "-w" + hex.EncodeToString(sum[:16])
}

func (w *Watchlist) event(i item) viewing.Event {
	v := viewing.Event{
		Kind: viewing.KindWatchlist, EventID: w.eventOf(i.slot), Media: []viewing.Media{i.Media},
		Origin: viewing.Origin{Site: "kodi", Path: validText(i.Path, maxPath), Note: viewing.Say("note.tag", "tag", w.tag)},
	}
	if len(w.fresh) > manyAtOnce {
		v.Class = viewing.ClassImport
	}
	return v
}

// Verdicts are what to hand over: the corrections, then what is new in chunks.
// Each becomes durable together with what is known of it.
func (w *Watchlist) Verdicts(chunk int) (all []Verdict) {
	if len(w.amendments) > 0 {
		all = append(all, Verdict{Amendments: w.amendments, Meta: w.meta, watchlist: w.changed})
	}
	for fresh := w.fresh; len(fresh) > 0; fresh = fresh[min(chunk, len(fresh)):] {
		v := Verdict{Meta: w.meta, watchlist: map[string]*added{}} // the names of events begin with the id in Meta
		for _, i := range fresh[:min(chunk, len(fresh))] {
			v.Viewings = append(v.Viewings, w.event(i))
			v.watchlist[i.slot] = &added{ID: w.eventOf(i.slot), Path: i.Path, Open: !i.Media.Identified()}
		}
		all = append(all, v)
	}
	return all
}

// Len is how many different films and series have the tag.
func (w *Watchlist) Len() int { return len(w.now) }
