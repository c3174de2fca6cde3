package resolve

import (
	"slices"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Subject is an item that is asked about, one question after the other.
type Subject struct {
	media     viewing.Media
	questions []Question // the first of them is to be asked
	answer    Answer     // to that, once near is to be asked
	near      []Question // to be asked before that answer is taken
	beside    []Answer   // to those
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
		s.answer, s.near = a, Near(s.media, s.questions[0], a)
		return len(s.near) > 0
	}
}

// Judge says what the answers mean.
func (s *Subject) Judge() Judgement { return Judge(s.media, s.questions[0], s.answer, s.beside) }

// Suggestions are what the item may be, the best first.
func (s *Subject) Suggestions() []Answer {
	a := s.answer
	if a.TMDB <= 0 || a.Type != string(viewing.Movie) && a.Type != string(viewing.TV) {
		return nil
	}
	all := []Answer{a}
	for _, other := range s.beside {
		if other.Type == a.Type && other.TMDB != a.TMDB {
			all = append(all, other)
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
