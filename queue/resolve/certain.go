package resolve

import "github.com/filmspool/filmspool/queue/viewing"

// facts are what an answer and the item have in common.
type facts struct {
	byIMDB     bool   // it was asked for by an IMDb identifier, else by the title
	kind       bool   // the types are equal
	confidence string // high, medium, low or untold
	here       int    // the year of the item; 0 for untold
	there      int    // the year of the answer; 0 for untold
	title      bool   // the titles are equal, but for case, punctuation and spaces
	titled     bool   // both tell a title
	namesake   bool   // another one of that title is at most a year away, or its year is untold
	unsure     bool   // the source is not sure of what it tells itself
	ownCount   bool   // where an episode was seen, they are counted in another way, perhaps
}

// doubt is a row of the table: what stands against an answer, as a clause.
type doubt struct {
	why    string
	stands func(facts) bool
}

// doubts is the table. The first row that fits says why an answer is not
// certain; an answer that no row fits is certain.
func doubts() []doubt {
	return []doubt{
		{"but that is no %s", func(f facts) bool { return !f.kind }},
		{"but is not sure of it", func(f facts) bool { return f.confidence != high && (!f.byIMDB || f.confidence != "") }},
		{"but title and year are those of another", func(f facts) bool {
			return f.byIMDB && f.titled && !f.title && f.here > 0 && f.there > 0 && apart(f.here, f.there) > 1
		}},
		{"but the titles differ", func(f facts) bool { return !f.byIMDB && !f.title }},
		{"but the year is not known here", func(f facts) bool { return !f.byIMDB && f.here == 0 }},
		{"but does not tell its year", func(f facts) bool { return !f.byIMDB && f.there == 0 }},
		{"but the years differ", func(f facts) bool { return !f.byIMDB && f.here != f.there }},
		{"but another of that title is at most a year away", func(f facts) bool { return !f.byIMDB && f.namesake }},
		{"but the site counts its episodes in its own way", func(f facts) bool { return f.ownCount }},
		{"but where it was seen is not to be trusted", func(f facts) bool { return f.unsure }},
	}
}

// doubt is "" when an answer is certain, else why it is not.
func (f facts) doubt() string {
	for _, d := range doubts() {
		if d.stands(f) {
			return d.why
		}
	}
	return ""
}

func apart(a, b int) int { return max(a-b, b-a) }

// factsOf compares an answer with what is wanted of an item. near are the answers
// to [Near].
func factsOf(w wanted, m viewing.Media, q Question, a Answer, near []Answer) facts {
	f := facts{
		byIMDB: q.IMDB != "", kind: a.Type == string(w.kind), confidence: a.Confidence, here: w.year, there: a.Year,
		title: fold(a.Title) == fold(w.title), titled: fold(a.Title) != "" && fold(w.title) != "",
		unsure: m.Unsure, ownCount: m.Type == viewing.Episode && m.Site.OwnCount(),
	}
	for _, other := range near {
		f.namesake = f.namesake || a.besides(other)
	}
	return f
}

// besides reports whether another answer is a namesake: of the same type and
// title, as far as it tells, and not more than a year away.
func (a Answer) besides(other Answer) bool {
	another := other.TMDB > 0 && other.TMDB != a.TMDB && other.Type == a.Type
	called := fold(other.Title) == "" || fold(other.Title) == fold(a.Title)
	return another && called && (other.Year == 0 || apart(other.Year, a.Year) <= 1)
}

// Near is what else to ask before a title's answer is taken: what the service
// knows by that title in the years beside it. There is nothing to ask where the
// answer is not certain anyway.
func Near(m viewing.Media, q Question, a Answer) []Question {
	if q.IMDB != "" || Judge(m, q, a, nil).Media == nil {
		return nil
	}
	before, after := q, q
	before.Year, after.Year = q.Year-1, q.Year+1
	return []Question{before, after}
}
