package control

import (
	"strings"

	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Wanted is an item that somebody asks about. Zero values are not known.
type Wanted struct {
	Kind    viewing.MediaType `json:"kind"` // movie, episode or tv
	IDs     viewing.IDs       `json:"ids"`
	Site    *viewing.Site     `json:"site,omitempty"`
	Title   string            `json:"title"`
	Year    int               `json:"year"`
	Show    *viewing.Show     `json:"show,omitempty"`
	Season  *int              `json:"season,omitempty"`
	Episode *int              `json:"episode,omitempty"`
}

// Media is the item as a viewing tells it.
func (w Wanted) Media() viewing.Media {
	return viewing.Media{
		Type: w.Kind, IDs: w.IDs, Show: w.Show, Title: w.Title, Year: w.Year, Season: w.Season, Episode: w.Episode, Site: w.Site,
	}
}

// Resolution is what an item is.
type Resolution struct {
	Certain    *Certain            `json:"certain"`
	Candidates []resolve.Candidate `json:"candidates"`
	By         string              `json:"by"` // correction, memory, service, wikidata, tmdb, source or none
	Why        string              `json:"why"`
	// Trouble is why nobody could be asked, such as a pause; absent where somebody was.
	Trouble *viewing.Message `json:"trouble,omitempty"`
	// Named is the film or series that is certain, with its title; absent in identify's lines.
	Named *resolve.Candidate `json:"named,omitempty"`
	// Correction is the one that decided; absent where none did.
	Correction *resolve.Correction `json:"correction,omitempty"`
}

// Certain is an item that is certain. TMDB is an episode's series; ID is an
// episode's own number, where that alone is known.
type Certain struct {
	Type    viewing.MediaType `json:"type"`
	TMDB    int64             `json:"tmdb,omitempty"`
	Season  *int              `json:"season,omitempty"`
	Episode *int              `json:"episode,omitempty"`
	ID      int64             `json:"id,omitempty"`
}

// ResolutionOf is a decision in these words; why is its message.
func ResolutionOf(d resolve.Decision, why string) Resolution {
	r := Resolution{Candidates: append([]resolve.Candidate{}, d.Candidates...), By: "none", Why: why}
	switch {
	case d.Is == nil && len(r.Candidates) == 0:
	case d.Kept:
		r.By = "memory"
	case d.By != "":
		r.By = strings.ToLower(strings.TrimPrefix(d.By, "the "))
	case d.Is != nil:
		r.By = "source"
	}
	if d.Is != nil {
		r.Certain, r.Named = CertainOf(*d.Is), &d.Named
	}
	return r
}

// CertainOf is an item that is identified, in these words.
func CertainOf(m viewing.Media) *Certain {
	switch {
	case m.Placed():
		return &Certain{Type: m.Type, TMDB: m.Show.IDs.TMDB, Season: m.Season, Episode: m.Episode}
	case m.Type == viewing.Episode:
		return &Certain{Type: m.Type, ID: m.IDs.TMDB}
	default:
		return &Certain{Type: m.Type, TMDB: m.IDs.TMDB}
	}
}
