package tracker

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// HistoryItem is one record of a viewing as the service shows it. Numbers that
// it leaves out are 0, or nil.
type HistoryItem struct {
	Type            string
	ID, TMDBID      int64
	ShowID          int64
	Season, Episode *int
	WatchedAt       time.Time // zero when it tells none that can be read
}

// Reading is the whole history of one type.
type Reading struct {
	Items []HistoryItem
	// Complete says that all pages were read and nothing moved meanwhile. Only
	// then does it prove anything that a record is not among the items.
	Complete bool
	// Bound says that the history is longer than what is read: another try
	// would end there, too.
	Bound bool
	// Print is the [Fingerprint] of the items.
	Print string
}

// Fingerprint is a hash of records: equal for equal records in any order, and
// only for those.
func Fingerprint(items []HistoryItem) string {
	lines := make([][sha256.Size]byte, len(items))
	for i, h := range items {
		lines[i] = sha256.Sum256(fmt.Appendf(nil, "%s %d %d %d %s %s %d",
			h.Type, h.ID, h.TMDBID, h.ShowID, number(h.Season), number(h.Episode), h.WatchedAt.UnixMilli()))
	}
	slices.SortFunc(lines, func(a, b [sha256.Size]byte) int { return bytes.Compare(a[:], b[:]) })
	sum := sha256.New()
	for _, line := range lines {
		sum.Write(line[:])
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

func number(n *int) string {
	if n == nil {
		return "-"
	}
	return strconv.Itoa(*n)
}

// Likeness is whether a record is of an item.
type Likeness int

// The likenesses.
const (
	Unclear Likeness = iota // they name the item in different forms
	Alike
	Different
)

// Of compares the record's item with m.
func (h HistoryItem) Of(m viewing.Media) Likeness {
	if h.Type != "" && h.Type != string(m.Type) {
		return Different
	}
	if m.Placed() {
		return h.placedLike(m)
	}
	return h.numberedLike(m.IDs.TMDB)
}

// placedLike compares series, season and number. A record that leaves the
// series' own name out may have it as tmdbId.
func (h HistoryItem) placedLike(m viewing.Media) Likeness {
	show := h.ShowID
	if show == 0 {
		show = h.TMDBID
	}
	switch {
	case m.IDs.TMDB > 0 && h.ID == m.IDs.TMDB:
		return Alike
	case show == 0 || h.Season == nil || h.Episode == nil || *h.Episode == 0:
		return Unclear
	case show == m.Show.IDs.TMDB && *h.Season == *m.Season && *h.Episode == *m.Episode:
		return Alike
	case h.ShowID == 0 && h.ID == h.TMDBID:
		return Unclear // that is the episode's, not the series'
	default:
		return Different
	}
}

// numberedLike compares the identifier of the film or episode itself.
func (h HistoryItem) numberedLike(id int64) Likeness {
	switch {
	case id == 0 || h.ID == 0 && h.TMDBID == 0:
		return Unclear
	case h.ID == id || h.TMDBID == id:
		return Alike
	default:
		return Different
	}
}
