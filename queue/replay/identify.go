package replay

import (
	"context"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/resolve/identity"
)

// Identifier decides what items are, and asks others than the service for that.
// With an error, those that lack an answer have open questions.
type Identifier interface {
	Decide(ctx context.Context, all []identity.Evidence) ([]identity.Decision, error)
}

// identifyPatience bounds how long others are asked in one inquiry: meanwhile
// the service is asked nothing.
const identifyPatience = 2 * time.Minute

// apartKnown takes what the service was certain of apart: that need not wait for
// others.
func apartKnown(settled []queue.Finding) (known, rest []queue.Finding) {
	for _, f := range settled {
		if f.Media != nil {
			known = append(known, f)
		} else {
			rest = append(rest, f)
		}
	}
	return known, rest
}

// identify asks others about what the service was not certain of. Where they
// cannot be asked, it is as if there were none.
func (q *inquiry) identify(ctx context.Context, settled []queue.Finding) []queue.Finding {
	var open []*queue.Finding
	var told []identity.Evidence
	for i, f := range settled {
		e := f.Lookup.Entry
		if e.Media == nil {
			continue
		}
		if evidence := identity.EvidenceOf(*e.Media); identity.Asks(evidence) {
			open, told = append(open, &settled[i]), append(told, evidence)
		}
	}
	if len(open) == 0 {
		return settled
	}
	ctx, cancel := context.WithTimeout(ctx, identifyPatience)
	defer cancel()
	decided, err := q.identifier.Decide(ctx, told)
	if err != nil {
		q.log.Debug("not asked what entries without identifier are", "error", err)
	}
	for i, f := range open {
		if i < len(decided) && len(decided[i].Open) == 0 {
			took(f, decided[i])
		}
	}
	return settled
}

// took makes a decision part of a finding, beside what the service has said.
func took(f *queue.Finding, d identity.Decision) {
	if d.Item != nil {
		m := d.Item.Apply(*f.Lookup.Entry.Media)
		f.Media, f.AskAt = &m, time.Time{}
	}
	if d.By != "" {
		f.Said += " " + d.By + " was asked."
	}
	f.Said = strings.TrimSpace(f.Said + " " + d.Said())
	kind := identity.ClueOf(*f.Lookup.Entry.Media).Kind
	for _, w := range d.Candidates {
		f.Candidates = append(f.Candidates, w.Candidate())
	}
	f.Candidates = identity.Distinct(kind, f.Candidates)
	if one := d.Candidates; len(one) == 1 && one[0].Kind == kind {
		f.Said += ifRight(f.Lookup, one[0].TMDB)
	}
}
