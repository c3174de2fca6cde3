package rule

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

// manyAtOnce is how many items of one reading leave as live entries. More of
// them leave as an import does.
const manyAtOnce = 10

// Target is where a tag of Kodi's puts a film or a series.
type Target struct {
	Tag   string
	List  string // the name of a list; "" is the watchlist
	Scope string // tells lists of one name apart: libraries with the same scope share them
}

// listID is the event that creates the list, the same for all libraries of the
// scope; "" for the watchlist.
func (t Target) listID() string {
	if t.List == "" {
		return ""
	}
	return "list-" + hashed("list\x00"+t.Scope+"\x00"+t.List)
}

// slot is what an item of the target is remembered by.
func (t Target) slot(key string) string {
	if t.List == "" {
		return "watchlist\x1f" + key
	}
	return t.listID() + "\x1f" + key
}

// Tagged is what tags of Kodi's add to the watchlist and to lists: events,
// corrections of earlier ones, and what is known then.
type Tagged struct {
	meta       Meta
	known      map[string]added
	now        map[string]bool // the slots of what has a tag now
	keys       map[string]bool // of the items
	fresh      []item
	amendments []viewing.Amendment
	changed    map[string]*added // nil is forgotten
}

// item is a film or a series for a target.
type item struct {
	slot string
	to   Target
	library.Tagged
}

// AddTagged compares what has the tags of some targets with what was handed over
// before. An item is handed over once for good, also when it loses the tag and
// gets it again.
func AddTagged(known *Memory, targets []Target, found []library.Tagged) *Tagged {
	w := &Tagged{meta: known.Meta, known: known.watchlist, now: map[string]bool{}, keys: map[string]bool{}, changed: map[string]*added{}}
	var items []item
	for _, f := range found {
		key := itemKey(f.Media, f.Path)
		w.keys[key] = true
		for _, to := range targets {
			slot := to.slot(key)
			if to.Tag == f.Tag && !w.now[slot] {
				w.now[slot] = true
				items = append(items, item{slot, to, f})
			}
		}
	}
	places := map[string]string{} // target and path of an item that was handed over → its slot
	for slot, x := range w.known {
		if x.Path != "" {
			places[x.List+"\x00"+x.Path] = slot
		}
	}
	for _, i := range items {
		if _, before := w.known[i.slot]; before {
			continue
		}
		was, moved := places[i.to.listID()+"\x00"+i.Path]
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
func (w *Tagged) follow(i item, was string) bool {
	old, reason := w.known[was], viewing.Say("note.calls", "title", i.Media.Label())
	if old.Open {
		w.amendments = append(w.amendments, viewing.Amendment{EventID: old.ID, Media: []viewing.Media{i.Media}, Reason: reason})
		w.changed[was] = nil
		w.changed[i.slot] = i.added(old.ID)
		return true
	}
	w.amendments = append(w.amendments, viewing.Amendment{EventID: old.ID, Drop: true, Reason: reason})
	w.changed[was] = &added{ID: old.ID} // its file is another's now
	return false
}

// added is what is remembered of an item whose event has this id.
func (i item) added(id string) *added {
	return &added{ID: id, List: i.to.listID(), Path: i.Path, Open: !i.Media.Identified()}
}

func hashed(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

// event puts an item on the watchlist or a list. Its id names it for good.
func (w *Tagged) event(i item) viewing.Event {
	v := viewing.Event{
		Kind: viewing.KindWatchlist, EventID: w.meta.ID + "-w" + hashed("wish\x00"+i.slot), Media: []viewing.Media{i.Media}, InList: i.to.listID(),
		Origin: viewing.Origin{Site: "kodi", Path: validText(i.Path, maxPath), Note: viewing.Say("note.tag", "tag", i.Tag)},
	}
	if v.InList != "" {
		v.Kind = viewing.KindListItem
	}
	if len(w.fresh) > manyAtOnce {
		v.Class = viewing.ClassImport
	}
	return v
}

// Verdicts are what to hand over: the corrections, then what is new in chunks.
// Each becomes durable together with what is known of it. Each list is created
// before its first item.
func (w *Tagged) Verdicts(chunk int) (all []Verdict) {
	if len(w.amendments) > 0 {
		all = append(all, Verdict{Amendments: w.amendments, Meta: w.meta, watchlist: w.changed})
	}
	created := map[string]bool{}
	for fresh := w.fresh; len(fresh) > 0; fresh = fresh[min(chunk, len(fresh)):] {
		v := Verdict{Meta: w.meta, watchlist: map[string]*added{}} // the names of events begin with the id in Meta
		for _, i := range fresh[:min(chunk, len(fresh))] {
			list := i.to.listID()
			if _, known := w.known[list]; list != "" && !known && !created[list] {
				created[list] = true
				v.Viewings = append(v.Viewings, viewing.Event{Kind: viewing.KindList, EventID: list, List: &viewing.List{Name: i.to.List}})
				v.watchlist[list] = &added{ID: list}
			}
			e := w.event(i)
			v.Viewings = append(v.Viewings, e)
			v.watchlist[i.slot] = i.added(e.EventID)
		}
		all = append(all, v)
	}
	return all
}

// Len is how many different films and series have a tag.
func (w *Tagged) Len() int { return len(w.keys) }
