package identity

import (
	"fmt"
	"strings"

	"github.com/filmspool/filmspool/queue/viewing"
)

// maxNamed is how many candidates a sentence names.
const maxNamed = 3

// Apply gives an item the identity that is certain. Season and number become
// those of TMDB, as the service counts.
func (i Item) Apply(m viewing.Media) viewing.Media {
	if i.Kind != viewing.Episode {
		m.IDs.TMDB = i.TMDB
		return m
	}
	if i.Own > 0 {
		m.IDs.TMDB = i.Own
	}
	if i.TMDB == 0 {
		return m
	}
	show := viewing.Show{}
	if m.Show != nil {
		show = *m.Show
	}
	show.IDs.TMDB = i.TMDB
	m.Show, m.Season, m.Episode = &show, &i.Season, &i.Number
	return m
}

// Said is a decision in one or two sentences for a person.
func (d Decision) Said() string {
	if d.Item != nil {
		return fmt.Sprintf("It is certain: %s.", d.Why)
	}
	said := fmt.Sprintf("It is not certain: %s.", d.Why)
	if len(d.Candidates) == 0 {
		return said
	}
	var names []string
	for _, w := range d.Candidates[:min(len(d.Candidates), maxNamed)] {
		names = append(names, w.String())
	}
	if more := len(d.Candidates) - maxNamed; more > 0 {
		names = append(names, fmt.Sprintf("%d others", more))
	}
	return said + " It may be " + strings.Join(names, " or ") + "."
}

// String is a work in a person's words.
func (w Work) String() string { return w.Candidate().String() }
