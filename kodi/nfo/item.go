package nfo

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Bounds of one item.
const (
	maxValue = 4096 // bytes of a value
	maxIDs   = 32   // identifiers that are looked at
	maxHeld  = 50   // items in one media file
	maxWords = 50   // genres, and tags
)

// item is a film, a series or an episode as a file tells of it.
type item struct {
	media      viewing.Media // of type TV for a series; an episode's Show has no identifiers
	playCount  int
	lastPlayed string // as written
	duration   time.Duration
	path       string // of the media file; exports only
	genres     []string
	tags       []string
	doubt      string // why some identifiers are left out, one clause
	unsure     bool   // the file is broken: no identifier can be trusted
}

// texts is how many bytes of text are kept of an item. Each genre and tag counts
// with the 16 bytes that refer to it, although equal ones are kept once.
func (i item) texts() int {
	n := len(i.media.Title) + len(i.path) + len(i.lastPlayed) + len(i.doubt)
	for _, word := range slices.Concat(i.genres, i.tags) {
		n += len(word) + 16
	}
	if i.media.Show != nil {
		n += len(i.media.Show.Title)
	}
	return n
}

// values are an item's fields as written.
type values struct {
	kind                                           viewing.MediaType
	depth                                          int // of its element
	title, showTitle, playCount, lastPlayed        string
	watched, year, premiered, season, episode      string
	runtime, seconds, path, id, tmdb, imdb1, imdb2 string
	tvdb                                           string
	genres, tags                                   []string
	ids                                            []uniqueID
}

// uniqueID is one <uniqueid>.
type uniqueID struct {
	namespace, value string
	preferred        bool
}

// parser gathers items from tokens.
type parser struct {
	scanner
	lenient bool            // fields count wherever they stand in an item
	emit    func(*values)   // called at the end of each item
	items   []*values       // those that are open: an episode within its series
	into    *string         // the field that is open
	at      int             // the depth of its element
	value   strings.Builder // of that field
}

// run reads to the end, or to the first fault unless it is lenient.
func (p *parser) run() {
	for {
		t := p.next()
		if p.fault != "" && !p.lenient {
			return
		}
		switch t.kind {
		case ending:
			p.cutOff()
			return
		case opening:
			p.start(t)
		case chars:
			p.text(t)
		case closing:
			p.close()
		}
	}
}

// cutOff ends what is open at the end of a broken file. An item counts when
// what matters of it was read whole.
func (p *parser) cutOff() {
	for _, v := range slices.Backward(p.items) {
		if v.kind == viewing.TV || v.playCount != "" && v.lastPlayed != "" {
			p.emit(v)
		}
	}
}

// item is the innermost item, or nil.
func (p *parser) item() *values {
	if len(p.items) == 0 {
		return nil
	}
	return p.items[len(p.items)-1]
}

func (p *parser) start(t token) {
	if p.lenient {
		p.endField()
	}
	if kind, ok := p.opens(string(t.name)); ok {
		p.items = append(p.items, &values{kind: kind, depth: p.depth})
		return
	}
	v := p.item()
	if v == nil || p.into != nil || !p.lenient && p.depth != v.depth+1 && string(t.name) != "durationinseconds" {
		return
	}
	switch string(t.name) {
	case "uniqueid":
		p.openID(v, t.attrs)
	case "genre":
		p.openWord(&v.genres)
	case "tag":
		p.openWord(&v.tags)
	default:
		p.into = v.field(string(t.name))
	}
	p.at = p.depth
}

// opens reports whether an element is an item where it stands.
func (p *parser) opens(name string) (viewing.MediaType, bool) {
	inExport := p.depth > 1 && string(p.name(1)) == "videodb"
	switch {
	case name == "movie" && (p.depth == 1 || inExport && p.depth == 2):
		return viewing.Movie, true
	case name == "tvshow" && (p.depth == 1 || inExport && p.depth == 2):
		return viewing.TV, true
	case name == "episodedetails" && (p.depth == 1 || inExport && p.depth == 3 || p.multiple() || p.lenient):
		if !inExport {
			p.items = nil // one that was not closed ends here, uncounted
		}
		return viewing.Episode, true
	default:
		return "", false
	}
}

// multiple reports whether the open element is one in the frame that some
// programs put around the episodes of one file.
func (p *parser) multiple() bool { return p.depth == 2 && string(p.name(1)) == "xbmcmultiepisode" }

func (p *parser) openID(v *values, attrs []byte) {
	if len(v.ids) == maxIDs {
		return
	}
	v.ids = append(v.ids, uniqueID{
		namespace: strings.ToLower(strings.TrimSpace(attribute(attrs, "type"))),
		preferred: strings.EqualFold(attribute(attrs, "default"), "true"),
	})
	p.into = &v.ids[len(v.ids)-1].value
}

func (p *parser) openWord(all *[]string) {
	if len(*all) < maxWords {
		*all = append(*all, "")
		p.into = &(*all)[len(*all)-1]
	}
}

func (p *parser) text(t token) {
	room := maxValue - p.value.Len()
	if p.into == nil || room <= 0 || !p.lenient && p.depth != p.at {
		return
	}
	if t.raw {
		p.value.Write(t.text[:min(len(t.text), room)])
	} else {
		p.value.WriteString(expand(t.text, room))
	}
}

func (p *parser) close() {
	if p.into != nil && (p.lenient || p.depth < p.at) {
		p.endField()
	}
	for len(p.items) > 0 && p.depth < p.item().depth {
		last := len(p.items) - 1
		v := p.items[last]
		p.items = p.items[:last]
		p.emit(v)
	}
}

// endField keeps the value of the open field; of several the first counts.
func (p *parser) endField() {
	if p.into == nil {
		return
	}
	if *p.into == "" {
		*p.into = strings.ToValidUTF8(strings.TrimSpace(p.value.String()), "")
	}
	p.into = nil
	p.value.Reset()
}

// field is where the value of an element goes; nil when it is not needed.
func (v *values) field(name string) *string {
	switch name {
	case "title":
		return &v.title
	case "showtitle":
		return &v.showTitle
	case "playcount":
		return &v.playCount
	case "lastplayed":
		return &v.lastPlayed
	case "watched":
		return &v.watched
	case "year":
		return &v.year
	case "premiered":
		return &v.premiered
	case "season":
		return &v.season
	case "episode":
		return &v.episode
	default:
		return v.rarer(name)
	}
}

// rarer are the fields that say how long an item is, where it lies, and its
// identifiers as programs other than Kodi write them.
func (v *values) rarer(name string) *string {
	switch name {
	case "runtime":
		return &v.runtime
	case "durationinseconds":
		return &v.seconds
	case "filenameandpath":
		return &v.path
	case "id":
		return &v.id
	case "tmdbid":
		return &v.tmdb
	case "imdbid":
		return &v.imdb1
	case "imdb_id":
		return &v.imdb2
	case "tvdbid":
		return &v.tvdb
	default:
		return nil
	}
}

// parse reads an NFO file. When it is broken, the fault says why, and the
// items are what a lenient reading made of it: only those whose play count
// was read whole, all of them unsure.
func parse(raw []byte) (items []item, fault string) {
	doc := decode(raw)
	fault = gather(doc, false, func(v *values) { items = append(items, v.item()) })
	if len(items) > maxHeld {
		return nil, "it tells of more than a file can hold"
	}
	if fault == "" {
		return items, ""
	}
	items = nil
	if !ours(doc) {
		return nil, ""
	}
	gather(doc, true, func(v *values) {
		i := v.item()
		i.unsure, i.doubt = true, fault
		if v.playCount != "" || v.kind == viewing.TV {
			items = append(items, i)
		}
	})
	return slices.Clone(items[:min(len(items), maxHeld)]), fault
}

// ours reports whether a broken file was meant to be of these formats: other
// programs call files with words and drawings NFO, too.
func ours(doc []byte) bool {
	return slices.ContainsFunc([]string{"<movie", "<tvshow", "<episodedetails"}, func(root string) bool {
		return bytes.Contains(doc, []byte(root))
	})
}

func gather(doc []byte, lenient bool, emit func(*values)) (fault string) {
	p := parser{scanner: scanner{buf: doc}, lenient: lenient, emit: emit}
	p.run()
	return p.fault
}
