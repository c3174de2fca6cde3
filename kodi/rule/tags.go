package rule

import (
	"slices"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

// maxLiveItems is how many items of one read are sent as live entries. If there are more, they
// have the lower priority of an import.
const maxLiveItems = 10

// Target maps a Kodi tag to the watchlist or a list.
type Target struct {
	Tag   string
	List  string // name of a list; "" for the watchlist
	Scope string // namespace of list names: libraries with the same scope share their lists
}

// listID returns the id of the event that creates the list, or "" for the watchlist. All
// libraries of the scope use the same id.
func (t Target) listID() string {
	if t.List == "" {
		return ""
	}
	return "list-" + shortHash("list\x00"+t.Scope+"\x00"+t.List)
}

// taggedItem is a film or a series for a target.
type taggedItem struct {
	key  string // key in the memory
	list string
	library.Tagged
}

// added returns the item as the memory stores it under an event id.
func (i taggedItem) added(id string) addedItem {
	return addedItem{ID: id, List: i.list, Path: i.Path, Open: !i.Media.Identified()}
}

// AddTagged compares tagged films and series with the items added before. It returns one verdict
// for amendments, then one per chunk of new items with each list before its first item, and how
// many different films and series have a tag. An item is added once, even if it loses its tag
// and gets it again.
//
// If the identity of an item's file changed, an item without an identifier gets the new one. An
// item with another identifier is withdrawn unless it was sent, and added again with the new one.
func AddTagged(memory *Memory, targets []Target, found []library.Tagged, chunk int) (all []Verdict, tagged int) {
	var items []taggedItem
	current, keys, names := map[string]bool{}, map[string]bool{}, map[string]string{} // names of lists
	for _, f := range found {
		key := itemKey(f.Media, f.Path)
		keys[key] = true
		for _, to := range targets {
			i := taggedItem{to.listID() + "\x1f" + key, to.listID(), f}
			if to.Tag == f.Tag && !current[i.key] {
				current[i.key], names[i.list] = true, to.List
				items = append(items, i)
			}
		}
	}
	keyByPath := map[string]string{} // keys of added items, by list and path
	for key, x := range memory.added {
		keyByPath[x.List+"\x1f"+x.Path] = key
	}
	corrected := Verdict{Meta: memory.Meta, added: map[string]addedItem{}}
	var newItems []taggedItem
	for _, i := range items {
		if _, before := memory.added[i.key]; before {
			continue
		}
		oldKey, moved := keyByPath[i.list+"\x1f"+i.Path]
		if !moved || current[oldKey] || i.Path == "" {
			newItems = append(newItems, i)
			continue
		}
		old := memory.added[oldKey]
		a := viewing.Amendment{EventID: old.ID, Reason: viewing.Say("note.calls", "title", i.Media.Label())}
		if old.Open {
			a.Media = []viewing.Media{i.Media}
			corrected.added[i.key] = i.added(old.ID)
		} else {
			a.Drop = true
			newItems = append(newItems, i)
		}
		corrected.added[oldKey] = addedItem{ID: old.ID} // without the path, which the new item has now
		corrected.Amendments = append(corrected.Amendments, a)
	}
	if len(corrected.Amendments) > 0 {
		all = append(all, corrected)
	}
	for part := range slices.Chunk(newItems, chunk) {
		v := Verdict{Meta: memory.Meta, added: map[string]addedItem{}}
		for _, i := range part {
			e := viewing.Event{
				Kind: viewing.KindWatchlist, EventID: memory.Meta.ID + "-w" + shortHash("wish\x00"+i.key), Media: []viewing.Media{i.Media}, InList: i.list,
				Origin: viewing.Origin{Site: "kodi", Path: library.ValidText(i.Path, maxPath), Note: viewing.Say("note.tag", "tag", i.Tag)},
			}
			if len(newItems) > maxLiveItems {
				e.Class = viewing.ClassImport
			}
			if i.list != "" {
				e.Kind = viewing.KindListItem
				if _, created := memory.added[i.list]; !created && names[i.list] != "" {
					v.Viewings = append(v.Viewings, viewing.Event{Kind: viewing.KindList, EventID: i.list, List: &viewing.List{Name: names[i.list]}})
					v.added[i.list], names[i.list] = addedItem{ID: i.list}, ""
				}
			}
			v.Viewings = append(v.Viewings, e)
			v.added[i.key] = i.added(e.EventID)
		}
		all = append(all, v)
	}
	return all, len(keys)
}
