package resolve

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// The names of providers that the decision depends on.
const (
	TMDB      = "TMDB"
	ByService = "the service" // the tracking service
)

// maxRounds is how often answers may lead to further questions. The longest sequence is a
// search, the names of its hits, and a season.
const maxRounds = 8

// Chain is a list of providers in the order in which they are asked.
type Chain []*Provider

// Decide decides about each piece of evidence. If a provider is unavailable, the decisions
// that need its answers are made without them and list the unanswered questions. The error
// says why questions are unanswered; it is nil if there are none.
func (c Chain) Decide(ctx context.Context, all []Evidence) ([]Decision, error) {
	k := &answerSet{answers: map[Question]*Answer{}, asked: map[Question]bool{}, unavailable: map[*Provider]error{}}
	decided := make([]Decision, len(all))
	for range maxRounds {
		var open []Question
		for i, e := range all {
			decided[i] = Decide(e, k.find)
			for _, q := range decided[i].Unanswered {
				if !k.asked[q] {
					k.asked[q] = true
					open = append(open, q)
				}
			}
		}
		if len(open) == 0 {
			break
		}
		k.askProviders(ctx, c, open)
	}
	var err error
	for i, d := range decided {
		if len(d.Unanswered) > 0 {
			err = errors.Join(slices.Collect(maps.Values(k.unavailable))...)
			decided[i] = Decide(all[i], func(q Question) (*Answer, bool) { return k.answers[q], true })
			decided[i].Unanswered = d.Unanswered
		}
	}
	return decided, err
}

// Contradiction checks an item with a TMDB number, if TMDB is enabled. It returns a message
// and true if TMDB contradicts the number; false also if TMDB is unavailable.
func (c Chain) Contradiction(ctx context.Context, m viewing.Media) (viewing.Message, bool) {
	if len(c) == 0 || c[len(c)-1].Name != TMDB || !m.Identified() {
		return viewing.Message{}, false
	}
	e := Evidence{Media: m}
	if e.Unsure = false; m.Placed() {
		e.IDs = viewing.IDs{} // it is sent by series, season and number
	}
	decided, _ := c[len(c)-1:].Decide(ctx, []Evidence{e})
	d := decided[0].asContradiction(m)
	return d.MessageWithProvider(), d.Contradicted && len(d.Unanswered) == 0
}

// asContradiction turns a decision about an item with a number into one about that number:
// it is contradicted if the decision is certain of another item. A missing confirmation
// is not a contradiction.
func (d Decision) asContradiction(m viewing.Media) Decision {
	found := d.Item != nil && !m.Placed() && d.Item.Type == m.Type && d.Item.IDs.TMDB == m.IDs.TMDB // also an episode's place
	if d.Item == nil || d.Item.Key() == m.Key() || found {
		return d
	}
	is := Decision{Unanswered: d.Unanswered, Why: why("elsewhere"), Contradicted: true, By: d.By}
	if m.Type != viewing.Episode {
		is.Candidates = []Candidate{d.Work}
	}
	return is
}

// answerSet holds the answers during one call of [Chain.Decide].
type answerSet struct {
	answers     map[Question]*Answer
	asked       map[Question]bool
	unavailable map[*Provider]error // the error of each provider that failed
}

// find returns the answer to a question, and whether there is one.

func (k *answerSet) find(q Question) (*Answer, bool) {
	a, known := k.answers[q]
	return a, known
}

// askProviders asks each provider the questions that those before it left open. A question
// stays unanswered if the last provider for it was unavailable.
func (k *answerSet) askProviders(ctx context.Context, c Chain, open []Question) {
	all, missing := map[Question]*Answer{}, map[Question]bool{}
	for n, p := range c {
		rest := slices.DeleteFunc(slices.Clone(open), func(q Question) bool { return all[q].isFinal(q) })
		found, cancel := map[Question]*Answer{}, context.CancelFunc(func() {})
		if len(rest) > 0 && k.unavailable[p] == nil {
			asking := ctx
			if end, ok := ctx.Deadline(); ok && n < len(c)-1 { // leave time for the others
				asking, cancel = context.WithTimeout(ctx, time.Until(end)/2)
			}
			var err error
			if found, err = p.answer(asking, rest); err != nil {
				k.unavailable[p] = err
			}
			cancel()
		}
		for _, q := range rest {
			a, answered := found[q]
			all[q], missing[q] = all[q].combine(a), !answered
		}
	}
	for _, q := range open {
		if !missing[q] {
			k.answers[q] = all[q]
		}
	}
}

// isFinal reports whether no other provider needs to be asked: there is exactly one
// result. An answer to a title is never final: a later provider may know another work of
// that name.
func (a *Answer) isFinal(q Question) bool {
	return !a.isEmpty() && !a.Partial && len(a.Works)+len(a.Episodes) == 1 && q.Topic != ByTitle
}

// combine merges the answer of a later provider, by the table of the package comment.
func (a *Answer) combine(later *Answer) *Answer {
	switch {
	case later == nil, later.isEmpty() && !a.isEmpty():
		return a
	case a.isEmpty(), a.Partial || len(a.Works)+len(a.Episodes) > 1:
		return later
	}
	both := *later
	both.FromCache = later.FromCache && a.FromCache
	both.Works = slices.Clone(later.Works)
	for _, w := range a.Works {
		both.Works = addWork(both.Works, w)
	}
	return &both
}
