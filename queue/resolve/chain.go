package resolve

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// The names of providers that decide something.
const (
	TMDB      = "TMDB"
	ByService = "the service" // the tracking service
)

// maxRounds is how often answers may lead to further questions. The longest way is a
// search, the names of its hits, and a season.
const maxRounds = 8

// Chain are those that are asked, in their order.
type Chain []*Provider

// Decide decides about each piece of evidence. Where somebody cannot be asked, what
// lacks an answer for that is decided without it, and names its open questions. The
// error says why; it is nil where nothing is left open.
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
	var trouble error
	for i, d := range decided {
		if len(d.Unanswered) > 0 {
			trouble = errors.Join(slices.Collect(maps.Values(k.unavailable))...)
			decided[i] = Decide(all[i], func(q Question) (*Answer, bool) { return k.answers[q], true })
			decided[i].Unanswered = d.Unanswered
		}
	}
	return decided, trouble
}

// Contradiction checks an item that is known by a TMDB number, where TMDB is on: it
// says what contradicts, and is false for nothing, also where TMDB cannot be asked.
func (c Chain) Contradiction(ctx context.Context, m viewing.Media) (viewing.Message, bool) {
	if len(c) == 0 || c[len(c)-1].Name != TMDB || !m.Identified() {
		return viewing.Message{}, false
	}
	e := Evidence{Media: m}
	if e.Unsure = false; m.Placed() {
		e.IDs = viewing.IDs{} // it is sent by its place
	}
	decided, _ := c[len(c)-1:].Decide(ctx, []Evidence{e})
	d := decided[0].asContradiction(m)
	return d.MessageWithProvider(), d.Contradicted && len(d.Unanswered) == 0
}

// contradicting is a decision about an item that is known by a number: what speaks
// against that number. That nothing confirms it is no contradiction.
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

// knowledge is what was learned while one call decides.
type answerSet struct {
	answers     map[Question]*Answer
	asked       map[Question]bool
	unavailable map[*Provider]error // who could not be asked, and why
}

func (k *answerSet) find(q Question) (*Answer, bool) {
	a, known := k.answers[q]
	return a, known
}

// ask asks each provider about what those before it have left open. What the last one
// that matters could not be asked about stays without an answer.
func (k *answerSet) askProviders(ctx context.Context, c Chain, open []Question) {
	all, missing := map[Question]*Answer{}, map[Question]bool{}
	for n, p := range c {
		rest := slices.DeleteFunc(slices.Clone(open), func(q Question) bool { return all[q].isFinal(q) })
		found, cancel := map[Question]*Answer{}, context.CancelFunc(func() {})
		if len(rest) > 0 && k.unavailable[p] == nil {
			asking := ctx
			if end, ok := ctx.Deadline(); ok && n < len(c)-1 { // the others need time, too
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

// decides reports whether nobody else need be asked: it names one work. A title is
// never decided: a later provider may know a namesake.
func (a *Answer) isFinal(q Question) bool {
	return !a.isEmpty() && !a.Partial && len(a.Works)+len(a.Episodes) == 1 && q.Topic != ByTitle
}

// and joins what a later provider says, by the table of the package's comment.
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
