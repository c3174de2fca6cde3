package resolve

import (
	"slices"

	"github.com/filmspool/filmspool/queue/resolve/identity"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Subject is an item that is asked about, one question after the other.
type Subject struct {
	media     viewing.Media
	questions []Question // the first of them is to be asked
	answer    Answer     // to that, once near is to be asked
	near      []Question // to be asked before that answer is taken
	beside    []Answer   // to those
	orSeries  bool       // see [Subject.OrSeries]
}

// NewSubject begins with the surest question about an item; it is nil where
// there is nothing to ask.
func NewSubject(m viewing.Media) *Subject {
	all := Questions(m)
	if len(all) == 0 {
		return nil
	}
	return &Subject{media: m, questions: all}
}

// OrSeries has the series of a film's title asked about, too, where the film's
// year is not known. Who asks may know no more than the title, and so not the
// kind: both become suggestions.
func (s *Subject) OrSeries() { s.orSeries = true }

// Next is the question that is to be asked.
func (s *Subject) Next() Question {
	if len(s.near) > 0 {
		return s.near[0]
	}
	return s.questions[0]
}

// Hear takes in the answer to the next question; the zero answer is none. It
// reports whether another question is left.
func (s *Subject) Hear(a Answer) (more bool) {
	switch {
	case len(s.near) > 0:
		s.near, s.beside = s.near[1:], append(s.beside, a)
		return len(s.near) > 0
	case a.TMDB == 0 && len(s.questions) > 1:
		s.questions = s.questions[1:]
		return true
	default:
		s.answer, s.near = a, append(Near(s.media, s.questions[0], a), s.series()...)
		return len(s.near) > 0
	}
}

// series is the question about the series of a title, if that is to be asked.
func (s *Subject) series() []Question {
	q := s.questions[0]
	if !s.orSeries || q.Type != viewing.Movie || q.Year != 0 {
		return nil
	}
	q.Type = viewing.TV
	return []Question{q}
}

// Judge says what the answers mean.
func (s *Subject) Judge() Judgement { return Judge(s.media, s.questions[0], s.answer, s.beside) }

// Suggestions are what the item may be, the best first. They are of one type,
// unless both were asked about.
func (s *Subject) Suggestions() (all []identity.Candidate) {
	for _, a := range append([]Answer{s.answer}, s.beside...) {
		c := identity.Candidate{Type: viewing.MediaType(a.Type), TMDB: a.TMDB, Title: a.Title, Year: a.Year}
		known := c.TMDB > 0 && (c.Type == viewing.Movie || c.Type == viewing.TV)
		again := slices.ContainsFunc(all, func(b identity.Candidate) bool { return c.Type == b.Type && c.TMDB == b.TMDB })
		if known && !again && (len(all) == 0 || c.Type == all[0].Type || len(s.series()) > 0) {
			all = append(all, c)
		}
	}
	return all
}

// Gather makes one request of the next questions about several items: each
// once, at most so many, and their places in it. Titles come first: a service
// that answers by place may count those alone.
func Gather[S interface{ Next() Question }](open []S, most int) (wanted []Question, place map[Question]int) {
	place = map[Question]int{}
	for _, s := range open {
		if _, known := place[s.Next()]; !known && len(wanted) < most {
			place[s.Next()] = 0
			wanted = append(wanted, s.Next())
		}
	}
	slices.SortStableFunc(wanted, func(a, b Question) int { return min(len(a.IMDB), 1) - min(len(b.IMDB), 1) })
	for i, w := range wanted {
		place[w] = i
	}
	return wanted, place
}
