package page

import (
	"net/url"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

const (
	maxReviewed = 1000 // entries of a state that are grouped
	groupSize   = 10   // cards of a group on the page
)

// group is what waits for a person's decision for one reason. Of a title that nobody knows
// one viewing stands for all.
type group struct {
	Name  string // of its texts
	State viewing.State
	// Reason and Source choose its entries where one act is for all of them; "" where
	// each is decided alone.
	Reason, Source string
	Cards          []card
	N              int
	More           string // the address of the diary with all of it
	all            []entry.Question
}

// reviewData is what waits for a person's decision.
type reviewData struct {
	Groups []*group
	UpTo   int64 // the newest entry
}

// groupOf returns the group of an entry: its name, and whether one act may be for all.
func groupOf(e entry.Entry) (name string, together bool) {
	switch {
	case e.State == viewing.StateInDoubt:
		return "unconfirmed", false
	case e.State == viewing.StateRejected:
		return "refused", false
	case e.Reason == viewing.ReasonWave:
		return "wave", true
	case e.Reason == string(viewing.ClassBulk):
		return "bulk", true
	case e.Reason == viewing.ReasonContradicted, e.Media != nil && !e.Media.Identified():
		return "unknown", false
	default:
		return "unsure", false
	}
}

// groupOrder is the order of the groups on the page.
var groupOrder = []string{"unknown", "wave", "bulk", "unsure", "unconfirmed", "refused"}

func showReview(v *view) (any, error) {
	d := &reviewData{}
	var err error
	if d.UpTo, err = newest(v); err != nil {
		return nil, err
	}
	if v.Result != nil { // the entry that something was found for stands alone
		x, err := v.explain()
		if err != nil {
			return nil, err
		}
		name, _ := groupOf(x.Entry)
		d.Groups = []*group{{Name: name, N: 1, Cards: []card{newCard(v, x, "/review")}}}
		return d, nil
	}
	groups := map[string]*group{}
	questions, err := v.api().Questions(v.ctx())
	if err != nil {
		return nil, err
	}
	if len(questions) > 0 {
		g := &group{Name: "unknown", State: viewing.StateHeld, all: questions}
		groups[g.Name], d.Groups = g, []*group{g}
	}
	for _, state := range []viewing.State{viewing.StateHeld, viewing.StateInDoubt, viewing.StateRejected} {
		all, err := v.api().List(v.ctx(), entry.Filter{State: state, NoQuestions: state == viewing.StateHeld, Limit: maxReviewed})
		if err != nil {
			return nil, err
		}
		for _, e := range all {
			name, together := groupOf(e)
			key := name
			if together {
				key += " " + e.Source
			}
			g := groups[key]
			if g == nil {
				g = &group{Name: name, State: e.State}
				if together {
					g.Reason, g.Source = e.Reason, e.Source
				}
				groups[key] = g
				d.Groups = append(d.Groups, g)
			}
			g.all = append(g.all, entry.Question{Entry: e.ID, N: 1})
		}
	}
	return d, d.fill(v)
}

// fill sorts the groups and makes the cards that the page shows.
func (d *reviewData) fill(v *view) error {
	sorted := d.Groups[:0:0]
	for _, name := range groupOrder {
		for _, g := range d.Groups {
			if g.Name == name {
				sorted = append(sorted, g)
			}
		}
	}
	d.Groups = sorted
	for _, g := range d.Groups {
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
				continue // it has gone
			}
			c := newCard(v, x, "/review")
			c.Others = q.N - 1
			g.Cards = append(g.Cards, c)
		}
	}
	return nil
}
