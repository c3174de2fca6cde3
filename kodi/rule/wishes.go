package rule

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/filmspool/filmspool/kodi/scan"
	"github.com/filmspool/filmspool/kodi/snapshot"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Wishes says what a library hands over beside its viewings. The zero value is
// nothing.
type Wishes struct {
	// Tag is the tag of films and series that go to the watchlist; "" is none.
	Tag string
	// Sets has a list made of each movie set, with its films.
	Sets bool
	// Playlists has a list made of each M3U playlist, with its films.
	Playlists bool
	// Items hands over the films of the lists too.
	Items bool
}

// Any reports whether anything is asked for.
func (w Wishes) Any() bool { return w.Tag != "" || w.Sets || w.Playlists }

// Playlist is one of Kodi's playlists, with what its entries lead to.
type Playlist struct {
	Name    string
	Smart   bool   // a rule of Kodi's, which is not evaluated
	Problem string // why it was not read, a clause; "" when it was
	Entries []Entry
}

// Entry is a line of a playlist.
type Entry struct {
	Shown string // for a person, without secrets
	File  int    // its place among the files of the reading; -1 for none
}

// wish is one thing to hand over, once for good.
type wish struct {
	slot  string // names it within the library: its scope and what it is
	scope string // the watchlist, or the slot of the list it is in; "" for a list
	list  string // the name of a list
	from  string // where it comes from, for a person
	media viewing.Media
	path  string
}

// The names of scopes, and what stands between a scope and an item.
const (
	toWatchlist  = "watchlist"
	ofSet        = "set"
	ofPlaylist   = "playlist"
	slotMark     = "\x1f"
	maxListName  = 200
	manyAtOnce   = 10 // more wishes than that in one reading leave as an import does
	maxShownLeft = 20 // entries of a playlist that are named as left out
)

// asked is all that a library wishes for now, and what is told of it beside.
type asked struct {
	items  bool // those of lists too
	wishes []wish
	lists  []scan.ListFound // without what is new of them
	smart  []string
	unread []string
}

// ask gathers what is asked for.
func (w Wishes) ask(found snapshot.Wishes, lists []Playlist, snap snapshot.Snapshot) *asked {
	a := &asked{items: w.Items}
	for _, x := range found.Tagged {
		a.item(toWatchlist, x.Media, x.Path, fmt.Sprintf("It has the tag %q.", w.Tag))
	}
	for _, s := range found.Sets {
		if scope := a.list(ofSet, s.Name, "It is a movie set of this name."); scope != "" {
			for _, x := range s.Films {
				a.item(scope, x.Media, x.Path, "It is in the movie set.")
			}
		}
	}
	for _, p := range lists {
		switch {
		case p.Smart:
			a.smart = append(a.smart, p.Name)
		case p.Problem != "":
			a.unread = append(a.unread, p.Name+": "+p.Problem)
		default:
			a.playlist(p, snap, found.Films)
		}
	}
	return a
}

// list adds a list and gives its slot; "" without a name.
func (a *asked) list(from, name, why string) string {
	name = strings.TrimSpace(validText(strings.TrimSpace(strings.Map(noControl, name)), maxListName))
	if name == "" {
		return ""
	}
	slot := from + slotMark + name
	if !slices.ContainsFunc(a.wishes, func(w wish) bool { return w.slot == slot }) {
		a.wishes = append(a.wishes, wish{slot: slot, list: name, from: why})
		a.lists = append(a.lists, scan.ListFound{Name: name, From: from})
	}
	return slot
}

func noControl(r rune) rune {
	if r < ' ' {
		return ' '
	}
	return r
}

// item adds a film or a series.
func (a *asked) item(scope string, m viewing.Media, path, why string) {
	if scope != toWatchlist && !a.items {
		return
	}
	a.wishes = append(a.wishes, wish{slot: scope + slotMark + itemKey(m, path), scope: scope, media: m, path: path, from: why})
}

// playlist adds one. Lists of the service hold films and series, so an episode
// is left out. What a film is comes from the look for it, since a reading may
// have the outline of it alone.
func (a *asked) playlist(p Playlist, snap snapshot.Snapshot, all map[int64]snapshot.Wish) {
	var films []snapshot.Wish
	var left []string
	for _, entry := range p.Entries {
		if entry.File < 0 {
			left = append(left, entry.Shown+": not a file of the library")
			continue
		}
		f := snap.Files[entry.File]
		film, known := all[row(f)]
		if row(f) == 0 || mediaOf(f)[0].Type != viewing.Movie || !known {
			left = append(left, entry.Shown+": not a film")
			continue
		}
		films = append(films, snapshot.Wish{Media: film.Media, Path: f.Path})
	}
	if len(films) == 0 {
		a.unread = append(a.unread, p.Name+": it holds no film of the library")
		return
	}
	scope := a.list(ofPlaylist, p.Name, "It is a playlist of this name.")
	if scope == "" {
		return
	}
	for _, f := range films {
		a.item(scope, f.Media, f.Path, "It is in the playlist.")
	}
	found := &a.lists[slices.IndexFunc(a.lists, func(l scan.ListFound) bool { return l.From+slotMark+l.Name == scope })]
	found.LeftOut = append(found.LeftOut, left[:min(len(left), maxShownLeft)]...)
	found.Left += len(left)
}

// Grants are what comes of wishes: events, corrections of earlier ones, and
// what is known then.
type Grants struct {
	asked      *asked
	meta       Meta
	known      map[string]granted
	now        map[string]bool // the slots that are wished for now
	taken      map[string]bool // slots dealt with
	fresh      []wish
	amendments []viewing.Amendment
	changed    map[string]*granted // nil is forgotten
}

// Grant compares what a library wishes for with what was handed over before.
// That is left out for good, also when the wish was taken back meanwhile.
func (w Wishes) Grant(known *Memory, found snapshot.Wishes, lists []Playlist, snap snapshot.Snapshot) *Grants {
	return w.ask(found, lists, snap).grant(known)
}

func (a *asked) grant(known *Memory) *Grants {
	all := a.wishes
	g := &Grants{
		asked: a, meta: known.Meta, known: known.wishes, now: map[string]bool{}, taken: map[string]bool{}, changed: map[string]*granted{},
	}
	for _, w := range all {
		g.now[w.slot] = true
	}
	places := map[string]string{} // scope and path of a granted item → its slot
	for slot, x := range g.known {
		if scope, ok := scopeOf(slot); ok && x.Path != "" {
			places[scope+slotMark+x.Path] = slot
		}
	}
	for _, w := range all {
		if _, before := g.known[w.slot]; before || g.taken[w.slot] {
			continue
		}
		g.taken[w.slot] = true
		was, moved := places[w.scope+slotMark+w.path]
		if !moved || w.scope == "" || w.path == "" || g.now[was] || !g.follow(w, was) {
			g.fresh = append(g.fresh, w)
		}
	}
	return g
}

// scopeOf is the scope of an item's slot; false for a list's.
func scopeOf(slot string) (string, bool) {
	scope, _, _ := strings.Cut(slot, slotMark)
	n := strings.LastIndex(slot, slotMark)
	return slot[:max(n, 0)], scope == toWatchlist || strings.Count(slot, slotMark) > 1
}

// follow lets an earlier wish follow the identity of its file: one without an
// identifier gets it; one that Kodi now calls by another name is withdrawn,
// unless it has left, and wished for anew. It reports whether that is all.
func (g *Grants) follow(w wish, was string) bool {
	old := g.known[was]
	if old.Open {
		reason := "Kodi now calls it " + w.media.Label() + "."
		g.amendments = append(g.amendments, viewing.Amendment{EventID: old.ID, Media: []viewing.Media{w.media}, Reason: reason})
		g.changed[was] = nil
		g.changed[w.slot] = &granted{ID: old.ID, Path: w.path, Open: !w.media.Identified()}
		return true
	}
	g.amendments = append(g.amendments, viewing.Amendment{EventID: old.ID, Drop: true, Reason: "Kodi now calls it " + w.media.Label() + "."})
	g.changed[was] = &granted{ID: old.ID} // its file is another's now
	return false
}

// eventOf names a wish for good.
func (g *Grants) eventOf(slot string) string {
	if x, ok := g.known[slot]; ok {
		return x.ID
	}
	sum := sha256.Sum256([]byte("wish\x00" + slot))
	return g.meta.ID + "-w" + hex.EncodeToString(sum[:16])
}

// viewing is a wish in the shared vocabulary.
func (g *Grants) viewing(w wish) viewing.Event {
	v := viewing.Event{
		Kind: viewing.KindList, EventID: g.eventOf(w.slot),
		Origin: viewing.Origin{Site: "kodi", Path: validText(w.path, maxPath), Note: w.from},
	}
	if len(g.fresh) > manyAtOnce {
		v.Class = viewing.ClassImport
	}
	switch w.scope {
	case "":
		v.List = &viewing.List{Name: w.list}
	case toWatchlist:
		v.Kind, v.Media = viewing.KindWatchlist, []viewing.Media{w.media}
	default:
		v.Kind, v.Media, v.InList = viewing.KindListItem, []viewing.Media{w.media}, g.eventOf(w.scope)
	}
	return v
}

// Verdicts are what to hand over: the corrections, then what is new in chunks.
// Each becomes durable together with what is known of it.
func (g *Grants) Verdicts(chunk int) (all []Verdict) {
	if len(g.amendments) > 0 {
		all = append(all, Verdict{Amendments: g.amendments, Meta: g.meta, wishes: g.changed})
	}
	for part := range slices.Chunk(g.fresh, chunk) {
		v := Verdict{Meta: g.meta, wishes: map[string]*granted{}} // the names of events begin with the id in Meta
		for _, w := range part {
			v.Viewings = append(v.Viewings, g.viewing(w))
			v.wishes[w.slot] = &granted{ID: g.eventOf(w.slot), Path: w.path, Open: w.scope != "" && !w.media.Identified()}
		}
		all = append(all, v)
	}
	return all
}

// Report tells what is new.
func (g *Grants) Report() *scan.Beside {
	a := g.asked
	b := &scan.Beside{Watchlist: []scan.WishFound{}, Lists: []scan.ListFound{}, Smart: orNone(a.smart), Unread: orNone(a.unread), Before: len(g.now) - len(g.taken)}
	lists := map[string]*scan.ListFound{}
	for n := range a.lists {
		l := &a.lists[n]
		l.Items = []scan.WishFound{}
		lists[l.From+slotMark+l.Name] = l
	}
	for _, w := range g.fresh {
		switch w.scope {
		case "":
			lists[w.slot].New = true
		case toWatchlist:
			b.Watchlist = append(b.Watchlist, scan.WishFound{Media: w.media, Path: w.path})
		default:
			lists[w.scope].Items = append(lists[w.scope].Items, scan.WishFound{Media: w.media, Path: w.path})
		}
	}
	for _, l := range a.lists {
		if l.New || len(l.Items) > 0 || l.Left > 0 {
			b.Lists = append(b.Lists, l)
		}
	}
	slices.SortStableFunc(b.Lists, func(x, y scan.ListFound) int { return -cmp.Compare(x.From, y.From) })
	return b
}

func orNone(all []string) []string {
	if all == nil {
		return []string{}
	}
	return all
}

// Summary is what there is beside viewings, a clause.
func (g *Grants) Summary() string {
	a := g.asked
	tagged := 0
	for _, w := range a.wishes {
		if w.scope == toWatchlist {
			tagged++
		}
	}
	said := fmt.Sprintf("%d tagged for the watchlist, %d sets and playlists", tagged, len(a.lists))
	if n := len(a.smart); n > 0 {
		said += fmt.Sprintf(", %d smart playlists not evaluated", n)
	}
	if n := len(a.unread); n > 0 {
		said += fmt.Sprintf(", %d playlists without a list: filmspool kodi scan", n)
	}
	return said
}
