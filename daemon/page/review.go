package page

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// maxCards is how many decisions one page asks for.
const maxCards = 20

// reviewData is what waits for a person's decision.
type reviewData struct {
	Cards []card
	Waves []entry.Wave
	UpTo  int64 // the newest entry
	Older string
}

func showReview(v *view) (any, error) {
	status, err := v.api().Status(v.ctx())
	if err != nil {
		return nil, err
	}
	d := &reviewData{Waves: status.Waves}
	if d.UpTo, err = newest(v); err != nil {
		return nil, err
	}
	if v.Result != nil { // the entry that something was found for stands alone
		x, err := v.explain()
		d.Cards = []card{newCard(v, x, "/review")}
		return d, err
	}
	below, _ := strconv.ParseInt(v.Typed("below"), 10, 64) // 0, the newest, for any other text
	var open []entry.Entry
	for _, state := range []viewing.State{viewing.StateInDoubt, viewing.StateHeld} {
		some, err := v.api().List(v.ctx(), entry.Filter{State: state, Limit: maxCards + 1, Below: max(below, 0)})
		if err != nil {
			return nil, err
		}
		open = append(open, some...)
	}
	slices.SortFunc(open, func(a, b entry.Entry) int { return cmp.Compare(b.ID, a.ID) })
	if len(open) > maxCards {
		open = open[:maxCards]
		d.Older = "/review?below=" + strconv.FormatInt(open[maxCards-1].ID, 10)
	}
	for _, e := range open {
		if x, err := v.api().Explain(v.ctx(), e.ID); err == nil { // else it has gone
			d.Cards = append(d.Cards, newCard(v, x, "/review"))
		}
	}
	return d, nil
}
