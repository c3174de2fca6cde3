package rule

import (
	"slices"

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

// item is a film or a series for a target.
type item struct {
	slot string // what it is remembered by
	list string
	library.Tagged
}

// added is what is remembered of an item whose event has this id.
func (i item) added(id string) added {
	return added{ID: id, List: i.list, Path: i.Path, Open: !i.Media.Identified()}
}

// AddTagged compares what has the tags of some targets with what was handed over before,
// and tells how many different films and series have one. An item is handed over once for
// good, also when it loses the tag and gets it again. The verdicts are the corrections,
// then what is new in chunks, each list before its first item; each becomes durable
// together with what is known of it.
//
// An earlier item follows the identity of its file: one without an identifier gets it; one
// that Kodi now calls by another name is withdrawn, unless it has left, and handed over
// again under the new name.
func AddTagged(known *Memory, targets []Target, found []library.Tagged, chunk int) (all []Verdict, tagged int) {
	var items []item
	slots, keys, names := map[string]bool{}, map[string]bool{}, map[string]string{} // names of lists
	for _, f := range found {
		key := itemKey(f.Media, f.Path)
		keys[key] = true
		for _, to := range targets {
			i := item{to.listID() + "\x1f" + key, to.listID(), f}
			if to.Tag == f.Tag && !slots[i.slot] {
				slots[i.slot], names[i.list] = true, to.List
				items = append(items, i)
			}
		}
	}
	earlier := map[string]string{} // slots by list and path of an item that was handed over
	for slot, x := range known.watchlist {
		earlier[x.List+"\x1f"+x.Path] = slot
	}
	corrected := Verdict{Meta: known.Meta, watchlist: map[string]added{}}
	var fresh []item
	for _, i := range items {
		if _, before := known.watchlist[i.slot]; before {
			continue
		}
		was, moved := earlier[i.list+"\x1f"+i.Path]
		if !moved || slots[was] || i.Path == "" {
			fresh = append(fresh, i)
			continue
		}
		old := known.watchlist[was]
		a := viewing.Amendment{EventID: old.ID, Reason: viewing.Say("note.calls", "title", i.Media.Label())}
		if old.Open {
			a.Media = []viewing.Media{i.Media}
			corrected.watchlist[i.slot] = i.added(old.ID)
		} else {
			a.Drop = true
			fresh = append(fresh, i)
		}
		corrected.watchlist[was] = added{ID: old.ID} // its file is another's now
		corrected.Amendments = append(corrected.Amendments, a)
	}
	if len(corrected.Amendments) > 0 {
		all = append(all, corrected)
	}
	for part := range slices.Chunk(fresh, chunk) {
		v := Verdict{Meta: known.Meta, watchlist: map[string]added{}}
		for _, i := range part {
			e := viewing.Event{
				Kind: viewing.KindWatchlist, EventID: known.Meta.ID + "-w" + hashed("wish\x00"+i.slot), Media: []viewing.Media{i.Media}, InList: i.list,
				Origin: viewing.Origin{Site: "kodi", Path: library.Text(i.Path, maxPath), Note: viewing.Say("note.tag", "tag", i.Tag)},
			}
			if len(fresh) > manyAtOnce {
				e.Class = viewing.ClassImport
			}
			if i.list != "" {
				e.Kind = viewing.KindListItem
				if _, created := known.watchlist[i.list]; !created && names[i.list] != "" {
					v.Viewings = append(v.Viewings, viewing.Event{Kind: viewing.KindList, EventID: i.list, List: &viewing.List{Name: names[i.list]}})
					v.watchlist[i.list], names[i.list] = added{ID: i.list}, ""
				}
			}
			v.Viewings = append(v.Viewings, e)
			v.watchlist[i.slot] = i.added(e.EventID)
		}
		all = append(all, v)
	}
	return all, len(keys)
}
