package page

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// reviewRoom shows what waits for a person's decision, one card each.
func reviewRoom() room {
	return room{path: "/review", name: "review", menu: true, show: showReview, acts: entryActs()}
}

// cardsOnPage bounds how many decisions one page asks for.
const cardsOnPage = 20

// reviewData is what the review shows.
type reviewData struct {
	Cards []subject
	Waves []entry.Wave
	UpTo  int64 // the newest entry that there is
	Older string
}

// showReview asks nobody but the queue: a stranger is asked when a person searches.
func showReview(v *visit) (any, error) {
	status, err := v.api().Status(v.ctx())
	if err != nil {
		return nil, err
	}
	data := &reviewData{Waves: status.Waves}
	if data.UpTo, err = newest(v); err != nil {
		return nil, err
	}
	if v.Shown != nil { // what was found for one entry stands alone
		x, err := named(v)
		data.Cards = []subject{about(v, x, "/review")}
		return data, err
	}
	open, more, err := undecided(v)
	if err != nil {
		return nil, err
	}
	if more {
		data.Older = "/review?below=" + strconv.FormatInt(open[len(open)-1].ID, 10)
	}
	for _, e := range open {
		x := control.Explanation{Explanation: entry.Explanation{Entry: e}}
		x.Why, x.Hint = control.Advice(e)
		if e.Media != nil && !e.Media.Identified() {
			known, _ := v.api().Explain(v.ctx(), e.ID) // it fails where the entry has gone
			x.Candidates = known.Candidates
		}
		data.Cards = append(data.Cards, about(v, x, "/review"))
	}
	return data, nil
}

// undecided are the newest entries of a page that wait for a person, and whether there
// are more.
func undecided(v *visit) (open []entry.Entry, more bool, err error) {
	below, _ := strconv.ParseInt(v.Typed("below"), 10, 64) // what is no number begins at the newest
	for _, state := range []viewing.State{viewing.StateInDoubt, viewing.StateHeld} {
		some, err := v.api().List(v.ctx(), entry.Filter{State: state, Limit: cardsOnPage + 1, Below: max(below, 0)})
		if err != nil {
			return nil, false, err
		}
		open = append(open, some...)
	}
	slices.SortFunc(open, func(a, b entry.Entry) int { return cmp.Compare(b.ID, a.ID) })
	return open[:min(len(open), cardsOnPage)], len(open) > cardsOnPage, nil
}
