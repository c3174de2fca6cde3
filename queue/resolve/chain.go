package resolve

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// maxRounds is how often answers may lead to further questions. The longest way is a
// search, the names of its hits, and a season.
const maxRounds = 8

// Chain are those that are asked, in their order.
type Chain []*Provider

// Decide decides about each piece of evidence. Where somebody cannot be asked, what
// lacks an answer for that is left with open questions. The error says why; it is nil
// where nothing is left open.
func (c Chain) Decide(ctx context.Context, all []Evidence) ([]Decision, error) {
	decided := make([]Decision, len(all))
	if len(c) == 0 {
		for i, e := range all {
			decided[i] = Alone(e)
		}
		return decided, nil
	}
	before := map[Question]answered{}
	var trouble error
	for n, p := range c {
		k := &known{name: p.Name, last: n == len(c)-1, before: before, own: answers{}}
		trouble = errors.Join(trouble, k.inTime(ctx, p, all, decided))
		for q := range k.own {
			before[q] = k.whole(q)
		}
	}
	if slices.ContainsFunc(decided, func(d Decision) bool { return len(d.Open) > 0 }) {
		return decided, trouble
	}
	return decided, nil
}

// Contradiction checks an item that is known by a TMDB number, where TMDB is on: a
// sentence or two for a person say what contradicts; "" is nothing, also where TMDB
// cannot be asked.
func (c Chain) Contradiction(ctx context.Context, m viewing.Media) string {
	if len(c) == 0 || c[len(c)-1].Name != "TMDB" || !m.Identified() {
		return ""
	}
	e := EvidenceOf(m)
	if e.Unsure = false; m.Placed() {
		e.Own.IDs = viewing.IDs{} // it is sent by its place
	}
	decided, _ := c[len(c)-1:].Decide(ctx, []Evidence{e})
	d := decided[0]
	if d.Why = d.Contradicts(m); d.Why == "" {
		return ""
	}
	if d.Item != nil && d.Item.Kind != viewing.Episode {
		d.Candidates = []Work{d.Named}
	}
	d.Item = nil
	return d.Said()
}

// answered is an answer, and who gave it.
type answered struct {
	*Answer
	by string
}

// known is what is known while one provider is asked.
type known struct {
	name   string
	last   bool // nobody comes later
	before map[Question]answered
	own    answers
	by     string // the last of those whose answers say something
	asked  string // of those who answered at all
	fresh  bool   // an answer was asked for now
}

// inTime decides about all that is not certain yet, and asks for that. It leaves half
// of the time to those that come later.
func (k *known) inTime(ctx context.Context, p *Provider, all []Evidence, decided []Decision) error {
	if end, ok := ctx.Deadline(); ok && !k.last {
		half, cancel := context.WithTimeout(ctx, time.Until(end)/2)
		defer cancel()
		ctx = half
	}
	for range maxRounds {
		open := k.round(all, decided)
		if len(open) == 0 {
			return nil
		}
		if err := p.learn(ctx, open, k.own); err != nil {
			k.round(all, decided) // by what was learned before the trouble
			return err
		}
	}
	return nil
}

// round decides by what is known, and gives the questions that were not asked yet.
func (k *known) round(all []Evidence, decided []Decision) (open []Question) {
	seen := map[Question]bool{}
	for i, e := range all {
		if decided[i].Item != nil {
			continue
		}
		k.by, k.asked, k.fresh = "", "", false
		d := Decide(e, k)
		d.By = cmp.Or(k.by, k.asked)
		d.Kept = d.By != "" && !k.fresh
		decided[i] = d
		for _, q := range d.Open {
			if _, asked := k.own[q]; !asked && !seen[q] {
				seen[q] = true
				open = append(open, q)
			}
		}
	}
	return open
}

// Answer implements [Known]. What cannot be answered here is open while there is
// somebody else to ask, and so is a title: a later one may know a namesake.
func (k *known) Answer(q Question) (*Answer, bool) {
	own, asked := k.own[q]
	if title := q.Ask == SearchFor || q.Ask == SearchTV; !asked || !k.last && (own == nil || title) {
		return nil, false
	}
	g := k.whole(q)
	k.fresh = k.fresh || g.Answer != nil && !g.Kept
	switch {
	case g.Answer == nil:
	case g.empty():
		k.asked = g.by
	case k.by != k.name:
		k.by = g.by
	}
	return g.Answer, true
}

// whole is what all have answered so far, by the table of the package's comment.
func (k *known) whole(q Question) answered {
	was, own := k.before[q], answered{k.own[q], k.name}
	switch {
	case own.Answer == nil, own.empty() && !was.empty():
		return was
	case was.empty(), was.Partial || len(was.Films)+len(was.Series)+len(was.Episodes) > 1:
		return own
	}
	both := *own.Answer
	both.Kept = own.Kept && was.Kept
	both.Films, both.Series = slices.Clone(both.Films), slices.Clone(both.Series)
	for _, w := range was.Films {
		both.Films = merge(both.Films, w)
	}
	for _, w := range was.Series {
		both.Series = merge(both.Series, w)
	}
	return answered{&both, k.name}
}
