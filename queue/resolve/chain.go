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
	k := &knowledge{answers: map[Question]*Answer{}, asked: map[Question]bool{}, down: map[*Provider]error{}}
	decided := make([]Decision, len(all))
	for range maxRounds {
		var open []Question
		for i, e := range all {
			decided[i] = Decide(e, k.answer)
			for _, q := range decided[i].Open {
				if !k.asked[q] {
					k.asked[q] = true
					open = append(open, q)
				}
			}
		}
		if len(open) == 0 {
			break
		}
		k.ask(ctx, c, open)
	}
	var trouble error
	for i, d := range decided {
		if len(d.Open) > 0 {
			trouble = errors.Join(slices.Collect(maps.Values(k.down))...)
			decided[i] = Decide(all[i], func(q Question) (*Answer, bool) { return k.answers[q], true })
			decided[i].Open = d.Open
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
	d := decided[0].contradicting(m)
	return d.Asked(), d.Against && len(d.Open) == 0
}

// contradicting is a decision about an item that is known by a number: what speaks
// against that number. That nothing confirms it is no contradiction.
func (d Decision) contradicting(m viewing.Media) Decision {
	found := d.Is != nil && !m.Placed() && d.Is.Type == m.Type && d.Is.IDs.TMDB == m.IDs.TMDB // also an episode's place
	if d.Is == nil || d.Is.Key() == m.Key() || found {
		return d
	}
	is := Decision{Open: d.Open, Why: why("elsewhere"), Against: true, By: d.By}
	if m.Type != viewing.Episode {
		is.Candidates = []Candidate{d.Named}
	}
	return is
}

// knowledge is what was learned while one call decides.
type knowledge struct {
	answers map[Question]*Answer
	asked   map[Question]bool
	down    map[*Provider]error // who could not be asked, and why
}

func (k *knowledge) answer(q Question) (*Answer, bool) {
	a, known := k.answers[q]
	return a, known
}

// ask asks each provider about what those before it have left open. What the last one
// that matters could not be asked about stays without an answer.
func (k *knowledge) ask(ctx context.Context, c Chain, open []Question) {
	all, missing := map[Question]*Answer{}, map[Question]bool{}
	for n, p := range c {
		rest := slices.DeleteFunc(slices.Clone(open), func(q Question) bool { return all[q].decides(q) })
		found, cancel := map[Question]*Answer{}, context.CancelFunc(func() {})
		if len(rest) > 0 && k.down[p] == nil {
			asking := ctx
			if end, ok := ctx.Deadline(); ok && n < len(c)-1 { // the others need time, too
				asking, cancel = context.WithTimeout(ctx, time.Until(end)/2)
			}
			var err error
			if found, err = p.learn(asking, rest); err != nil {
				k.down[p] = err
			}
			cancel()
		}
		for _, q := range rest {
			a, answered := found[q]
			all[q], missing[q] = all[q].and(a), !answered
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
func (a *Answer) decides(q Question) bool {
	return !a.empty() && !a.Partial && len(a.Works)+len(a.Episodes) == 1 && q.Ask != ByTitle
}

// and joins what a later provider says, by the table of the package's comment.
func (a *Answer) and(later *Answer) *Answer {
	switch {
	case later == nil, later.empty() && !a.empty():
		return a
	case a.empty(), a.Partial || len(a.Works)+len(a.Episodes) > 1:
		return later
	}
	both := *later
	both.Kept = later.Kept && a.Kept
	both.Works = slices.Clone(later.Works)
	for _, w := range a.Works {
		both.Works = merge(both.Works, w)
	}
	return &both
}
