package rule

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/filmspool/filmspool/kodi/snapshot"
)

// What befalls a library besides being watched: renamed folders, corrected
// matches, upgrades, another Kodi, backups; and an importer that is killed.

func (h *household) snapshot() snapshot.Snapshot {
	snap := shown(h.files...)
	snap.Version = h.version
	snap.Path = fmt.Sprintf("/u/Database/MyVideos%d.db", h.version)
	return snap
}

// commit keeps a verdict as the importer does: not each that only moves the
// time of the last good reading.
func (h *household) commit(t *rapid.T, v Verdict) {
	quiet := v.Quiet(h.known)
	h.known.Apply(v)
	if quiet && h.now.Sub(h.savedAt) < time.Hour {
		return
	}
	h.keep(t, v)
}

func (h *household) keep(t *rapid.T, v Verdict) {
	state, err := v.State()
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(h.saved, state)
	h.savedAt = h.now
}

// save keeps the time of the last good reading.
func (h *household) save() {
	state, err := Verdict{Meta: h.known.Meta}.State()
	if err != nil {
		panic(err) // numbers and texts alone
	}
	maps.Copy(h.saved, state)
	h.savedAt = h.now
}

// kill leaves the importer with what it has kept. It does not run until it is
// started again.
func (h *household) kill(t *rapid.T) {
	known, err := Parse(h.saved)
	if err != nil {
		t.Fatal(err)
	}
	h.known, h.on = known, false
}

// rename gives a file another path: the library has a second row for it, with
// what an NFO says, and keeps the old one until it is cleaned.
func (h *household) rename(t *rapid.T) {
	f := *h.pickItem(t)
	h.stale[f.Path] = true
	h.made++
	f = rebuilt(f, h.made)
	f.ID, f.Path = h.made, fmt.Sprintf("/moved/%d.mkv", h.made)
	switch rapid.IntRange(0, 2).Draw(t, "NFO") {
	case 0:
		f.PlayCount, f.LastPlayed = 0, ""
	case 1:
		if f.PlayCount > 0 && f.LastPlayed != "" {
			f.LastPlayed = f.LastPlayed[:len(time.DateOnly)] + " 00:00:00"
		}
	default:
		f.PlayCount, f.LastPlayed = 1, h.text()
	}
	h.files = append(h.files, f)
	h.fresh[f.Path] = true
	h.soon(t)
}

// clean takes rows without a file out of the library; plays that were not read
// are lost to all.
func (h *household) clean(t *rapid.T) {
	h.files = slices.DeleteFunc(slices.Clone(h.files), func(f snapshot.File) bool { return h.stale[f.Path] })
	for path := range h.stale {
		delete(h.unread, path)
	}
	clear(h.stale)
	h.soon(t)
}

// rematch corrects which film a file is.
func (h *household) rematch(t *rapid.T) {
	f := h.pickItem(t)
	if len(f.Items) > 1 || f.Items[0].Media.Show != nil {
		return
	}
	f.Items = slices.Clone(f.Items)
	h.made++
	f.Items[0].Media.IDs.TMDB = h.made
	h.insert(t, f)
}

// playUnknown plays a file that is not in the library yet.
func (h *household) playUnknown(t *rapid.T) {
	h.made++
	h.files = append(h.files, bare(film(h.made, 0, "")))
	h.fresh[h.files[len(h.files)-1].Path] = true
	h.play(t, &h.files[len(h.files)-1])
}

// scanPlayed puts such a file into the library.
func (h *household) scanPlayed(t *rapid.T) {
	at := slices.IndexFunc(h.files, func(f snapshot.File) bool { return len(f.Items) == 0 })
	if at < 0 {
		return
	}
	h.files[at].Items = film(h.files[at].ID, 0, "").Items
	h.insert(t, &h.files[at])
}

// clocksChange goes to the hour in which the clocks of New York change next.
func (h *household) clocksChange(t *rapid.T) {
	zone := h.zones["America/New_York"]
	next := h.now
	for offsetIn(zone, next.Add(30*time.Minute)) == offsetIn(zone, h.now) {
		next = next.Add(30 * time.Minute)
	}
	h.pass(next.Sub(h.now) + time.Duration(rapid.IntRange(0, 59).Draw(t, "minutes"))*time.Minute)
}

// another is a Kodi on the same library, in a zone of its own.
func (h *household) another(t *rapid.T) {
	home := h.zone
	h.zone, h.away = h.zones["America/Los_Angeles"], true
	defer func() { h.zone = home }()
	if rapid.Bool().Draw(t, "plays") {
		h.play(t, h.pick(t))
	} else {
		h.mark(t, h.pickItem(t))
	}
}

// restore brings an older library back.
func (h *household) restore(t *rapid.T) {
	if h.backup == nil {
		return
	}
	h.pass(3 * time.Minute) // nobody brings back within a minute what they have just saved
	for _, f := range slices.Concat(h.files, h.backup) {
		h.undone[f.Path], h.edited[f.Path], h.taken[f.Path] = true, true, true // who can tell it from a person?
		delete(h.stale, f.Path)
	}
	for _, f := range h.backup { // of a count that was gone, nobody knows any more which time came with it
		if !slices.ContainsFunc(h.files, func(now snapshot.File) bool { return now.Path == f.Path && now.PlayCount > 0 }) {
			delete(h.broken, f.Path+f.LastPlayed)
		}
	}
	h.files = slices.Clone(h.backup)
	for _, f := range h.files { // an old time, which a remote may now give a new count
		if at, err := time.ParseInLocation(time.DateTime, f.LastPlayed, h.zones["America/New_York"]); err == nil {
			h.partly[f.Path] = &act{path: f.Path, ends: []time.Time{at}, zone: h.zones["America/Los_Angeles"]}
			if h.away { // by a clock that has travelled unseen, an old time may look like a new one
				h.muddle(&f)
			}
		}
	}
	clear(h.unread)
	h.soon(t)
}
