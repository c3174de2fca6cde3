package chain

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue/resolve/identity"
)

// maxRounds is how often answers may lead to further questions. The longest way
// is a search, the names of its hits, and a season.
const maxRounds = 8

// Chain are those that are asked, in their order.
type Chain []*Link

// Decide decides about each piece of evidence. Where somebody cannot be asked, what
// lacks an answer for that is left with open questions. The error says why; it is
// nil where nothing is left open.
func (c Chain) Decide(ctx context.Context, all []identity.Evidence) ([]identity.Decision, error) {
	decided := make([]identity.Decision, len(all))
	before := map[identity.Question]said{}
	var trouble error
	for n, link := range c {
		k := &known{name: link.name, last: n == len(c)-1, before: before, own: map[identity.Question]*identity.Answer{}}
		trouble = errors.Join(trouble, k.inTime(ctx, link, all, decided))
		for q := range k.own {
			before[q] = k.whole(q)
		}
	}
	if slices.ContainsFunc(decided, func(d identity.Decision) bool { return len(d.Open) > 0 }) {
		return decided, trouble
	}
	return decided, nil
}

// said is an answer, and who gave it.
type said struct {
	*identity.Answer
	by string
}

func (s said) empty() bool {
	return s.Answer == nil || len(s.Films)+len(s.Series)+len(s.Episodes) == 0
}

// known is what is known while one is asked. It implements [identity.Known].
type known struct {
	name   string
	last   bool // nobody comes later
	before map[identity.Question]said
	own    map[identity.Question]*identity.Answer
	by     string // the last of those whose answers say something
	asked  string // of those who answered at all
	fresh  bool   // an answer was asked for now
}

// inTime leaves half of the time to those that come later.
func (k *known) inTime(ctx context.Context, link *Link, all []identity.Evidence, decided []identity.Decision) error {
	if end, ok := ctx.Deadline(); ok && !k.last {
		half, cancel := context.WithTimeout(ctx, time.Until(end)/2)
		defer cancel()
		ctx = half
	}
	return k.decideAll(ctx, link, all, decided)
}

// decideAll decides about all that is not certain yet, and asks for that.
func (k *known) decideAll(ctx context.Context, link *Link, all []identity.Evidence, decided []identity.Decision) error {
	for range maxRounds {
		open := k.round(all, decided)
		if len(open) == 0 {
			return nil
		}
		if err := link.learn(ctx, open, k.own); err != nil {
			k.round(all, decided) // by what was learned before the trouble
			return err
		}
	}
	return nil
}

// round decides by what is known, and gives the questions that were not asked yet.
func (k *known) round(all []identity.Evidence, decided []identity.Decision) (open []identity.Question) {
	seen := map[identity.Question]bool{}
	for i, e := range all {
		if decided[i].Item != nil {
			continue
		}
		k.by, k.asked, k.fresh = "", "", false
		decided[i] = identity.Decide(e, k)
		decided[i].By = cmp.Or(k.by, k.asked)
		decided[i].Kept = decided[i].By != "" && !k.fresh
		for _, q := range decided[i].Open {
			if _, asked := k.own[q]; !asked && !seen[q] {
				seen[q] = true
				open = append(open, q)
			}
		}
	}
	return open
}

// Answer implements [identity.Known]. What cannot be answered here is open while
// there is somebody else to ask.
func (k *known) Answer(q identity.Question) (*identity.Answer, bool) {
	own, asked := k.own[q]
	if !asked || own == nil && !k.last {
		return nil, false
	}
	s := k.whole(q)
	k.fresh = k.fresh || s.Answer != nil && !s.Kept
	switch {
	case s.Answer == nil:
	case s.empty():
		k.asked = s.by
	case k.by != k.name:
		k.by = s.by
	}
	return s.Answer, true
}

// whole is what all have answered so far, by the table of the package's comment.
func (k *known) whole(q identity.Question) said {
	was, own := k.before[q], said{k.own[q], k.name}
	switch {
	case own.Answer == nil, own.empty() && !was.empty():
		return was
	case was.empty(), was.Partial || len(was.Films)+len(was.Series)+len(was.Episodes) > 1:
		return own
	}
	both := *own.Answer
	both.Kept = own.Kept && was.Kept
	both.Films, both.Series = join(both.Films, was.Films), join(both.Series, was.Series)
	return said{&both, k.name}
}

// join adds works that are not among others.
func join(all, more []identity.Work) []identity.Work {
	all = slices.Clone(all)
	for _, w := range more {
		if !slices.ContainsFunc(all, func(other identity.Work) bool { return other.TMDB == w.TMDB }) {
			all = append(all, w)
		}
	}
	return all
}
