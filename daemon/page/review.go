package page

import (
	"cmp"
	"net/url"
	"slices"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

const (
	maxReviewed = 1000 // titles, and entries of a state, that are read
	groupSize   = 10   // cards of a group on the page
)

// group is a group of entries that need a decision for the same reason. An unknown title is shown
// once, with the number of its viewings.
type group struct {
	Name  string // part of the keys of its texts
	State viewing.State
	// Reason and Source select the entries if one act can be for all of them; "" if each is
	// decided alone.
	Reason, Source string
	Cards          []card
	N              int
	More           string // the address of the diary that lists all of them
	all            []entry.Question
}

// reviewData is the data of the page Review.
type reviewData struct {
	Groups []*group
	UpTo   int64 // id of the newest entry
	Cut    bool  // there are more than maxReviewed
}

// groupOf returns the name of an entry's group, and whether one act can be for all of the group.
func groupOf(e entry.Entry) (name string, together bool) {
	switch {
	case e.State == viewing.StateInDoubt:
		return "unconfirmed", false
	case e.State == viewing.StateRejected:
		return "refused", false
	case e.Reason == viewing.ReasonBurst:
		return "burst", true
	case e.Reason == string(viewing.ClassBulk):
		return "bulk", true
	case e.Reason == viewing.ReasonContradicted, e.Media != nil && !e.Media.Identified():
		return "unknown", false
	default:
		return "unsure", false
	}
}

// groupOrder is the order of the groups on the page.
var groupOrder = []string{"unknown", "burst", "bulk", "unsure", "unconfirmed", "refused"}

func showReview(v *view) (any, error) {
	d := &reviewData{}
	var err error
	if d.UpTo, err = newest(v); err != nil {
		return nil, err
	}
	if v.Result != nil { // show only the entry of the search
		x, err := v.explain()
		if err != nil {
			return nil, err
		}
		name, _ := groupOf(x.Entry)
		d.Groups = []*group{{Name: name, N: 1, Cards: []card{newCard(v, x, "/review")}}}
		return d, nil
	}
	questions, err := v.api().Questions(v.ctx())
	if err != nil {
		return nil, err
	}
	if d.Cut = len(questions) == maxReviewed; len(questions) > 0 {
		d.Groups = append(d.Groups, &group{Name: "unknown", State: viewing.StateHeld, all: questions})
	}
	for _, state := range []viewing.State{viewing.StateHeld, viewing.StateInDoubt, viewing.StateRejected} {
		all, err := v.api().List(v.ctx(), entry.Filter{State: state, NoQuestions: state == viewing.StateHeld, Limit: maxReviewed})
		if err != nil {
			return nil, err
		}
		d.Cut = d.Cut || len(all) == maxReviewed
		for _, e := range all {
			d.add(e)
		}
	}
	slices.SortStableFunc(d.Groups, func(a, b *group) int {
		return cmp.Compare(slices.Index(groupOrder, a.Name), slices.Index(groupOrder, b.Name))
	})
	for _, g := range d.Groups {
		g.fill(v)
	}
	return d, nil
}

// add puts an entry into its group.
func (d *reviewData) add(e entry.Entry) {
	g := &group{State: e.State}
	var together bool
	if g.Name, together = groupOf(e); together {
		g.Reason, g.Source = e.Reason, e.Source
	}
	if i := slices.IndexFunc(d.Groups, func(o *group) bool { return o.Name == g.Name && o.Source == g.Source }); i >= 0 {
		g = d.Groups[i]
	} else {
		d.Groups = append(d.Groups, g)
	}
	g.all = append(g.all, entry.Question{Entry: e.ID, N: 1})
}

// fill makes the cards that the page shows.
func (g *group) fill(v *view) {
	if g.N = len(g.all); g.N > groupSize {
		values := url.Values{"state": {string(g.State)}}
		if g.Reason != "" {
			values.Set("reason", g.Reason)
			values.Set("source", g.Source)
		}
		g.More = "/diary?" + values.Encode()
	}
	for _, q := range g.all[:min(g.N, groupSize)] {
		x, err := v.api().Explain(v.ctx(), q.Entry)
		if err != nil {
			continue // it was deleted meanwhile
		}
		c := newCard(v, x, "/review")
		c.Others = q.N - 1
		g.Cards = append(g.Cards, c)
	}
}
