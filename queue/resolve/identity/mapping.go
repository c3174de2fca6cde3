package identity

// Mapping says where TMDB has a range of episodes that another list numbers
// otherwise.
type Mapping struct {
	From Place // of the first episode in the other list
	Last int   // the number of the last one there
	To   Place // of the first one at TMDB
}

// Mappings are many, by the list that they lead from.
type Mappings map[string][]Mapping

// Mapped gives every place that mappings lead to from another.
func (m Mappings) Mapped(p Place) (to []Place) {
	for _, one := range m[p.List] {
		if one.From.Season == p.Season && one.From.Number <= p.Number && p.Number <= one.Last {
			to = append(to, Place{one.To.List, one.To.Season, one.To.Number + p.Number - one.From.Number})
		}
	}
	return to
}

// Any reports whether a mapping leads from a place of an episode.
func (m Mappings) Any(e Evidence) bool {
	for _, p := range places(e) {
		if len(m.Mapped(p)) > 0 {
			return true
		}
	}
	return false
}

// TitleList is the list that a series' title is: for sources that know no number.
func TitleList(title string) string { return "title:" + fold(title) }
