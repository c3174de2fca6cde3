package queue

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// rule is what the model knows of a verb: where it leads from each state, and
// what it leaves alone although it reaches it.
type rule struct {
	run   func(entry.Selection, bool) (entry.Changed, error)
	to    map[viewing.State]viewing.State
	leave func(*modelEntry) string
}

// rules are the operator's verbs as the model has them.
func (m *machine) rules(inDoubt bool) map[string]rule {
	verbs := m.store.verbs(m.t)
	nothing := func(*modelEntry) string { return "" }
	return map[string]rule{
		"retry": {
			verbs["retry"],
			map[viewing.State]viewing.State{viewing.StatePending: viewing.StatePending, viewing.StateRejected: viewing.StatePending, viewing.StateInDoubt: viewing.StatePending},
			func(e *modelEntry) string {
				switch {
				case e.state == viewing.StateInDoubt && !inDoubt:
					return leftInDoubt
				case e.state == viewing.StatePending && !e.nextAt.After(m.store.clock.now()):
					return unchanged
				default:
					return ""
				}
			},
		},
		"hold": {verbs["hold"], map[viewing.State]viewing.State{viewing.StatePending: viewing.StateHeld}, nothing},
		"release": {verbs["release"], map[viewing.State]viewing.State{viewing.StateHeld: viewing.StatePending}, func(e *modelEntry) string {
			if e.item == 0 {
				return viewing.ReasonUnresolved
			}
			return ""
		}},
		"drop": {verbs["drop"], map[viewing.State]viewing.State{
			viewing.StatePending: viewing.StateDropped, viewing.StateHeld: viewing.StateDropped, viewing.StateRejected: viewing.StateDropped, viewing.StateInDoubt: viewing.StateDropped,
		}, nothing},
	}
}

// operate applies a verb to some ids or by a filter, and the model's rule
// beside it.
func (m *machine) operate(r *rapid.T) {
	sel := entry.Selection{MayDouble: rapid.Bool().Draw(r, "in doubt too")}
	name := rapid.SampledFrom([]string{"retry", "hold", "release", "drop"}).Draw(r, "verb")
	verb, dry := m.rules(sel.MayDouble)[name], rapid.Bool().Draw(r, "dry")
	var meant []*modelEntry
	byID := rapid.Bool().Draw(r, "by id")
	if byID {
		for range rapid.IntRange(1, 3).Draw(r, "ids") {
			e := m.choose(r, func(e *modelEntry) bool { return name != "release" || e.state != viewing.StateDropped }) // see recall
			sel.IDs = append(sel.IDs, e.id)
			if !slices.Contains(meant, e) {
				meant = append(meant, e)
			}
		}
	} else {
		sel.Account = rapid.SampledFrom([]string{"", "default", "second"}).Draw(r, "account")
		sel.State = rapid.SampledFrom([]viewing.State{"", viewing.StatePending, viewing.StateHeld, viewing.StateRejected, viewing.StateInDoubt}).Draw(r, "state")
		sel.All = !sel.Chooses()
		for _, e := range m.entries {
			if _, reached := verb.to[e.state]; reached && (sel.Account == "" || sel.Account == e.account) && (sel.State == "" || sel.State == e.state) {
				meant = append(meant, e)
			}
		}
	}
	did, err := verb.run(sel, dry)
	m.compare(fmt.Sprintf("%s %+v", name, sel), verb, meant, byID, dry, did, err)
}

// compare holds what a verb did against the model, and has the model follow.
func (m *machine) compare(what string, verb rule, meant []*modelEntry, byID, dry bool, did entry.Changed, err error) {
	want := entry.Changed{From: map[viewing.State]int64{}, Left: map[string]int64{}}
	refused := false
	for _, e := range meant {
		_, reached := verb.to[e.state]
		left := verb.leave(e)
		refused = refused || byID && (!reached || left != "" && left != unchanged)
		switch {
		case !reached, left == unchanged:
		case left != "":
			want.Left[left]++
		default:
			want.Changed++
			want.From[e.state]++
		}
	}
	switch {
	case refused:
		m.want(errors.Is(err, entry.ErrState), "a refusal of "+what, err)
		return
	case errors.Is(err, entry.ErrState) && !byID:
		m.want(len(meant) == 0, "no refusal of "+what, err)
		return
	}
	m.want(err == nil && did.Changed == want.Changed && fmt.Sprint(did.From) == fmt.Sprint(want.From) &&
		fmt.Sprint(did.Left) == fmt.Sprint(want.Left), fmt.Sprintf("%s: %+v", what, want), did, err)
	for _, e := range meant {
		if !dry && verb.leave(e) == "" {
			m.move(e, verb.to[e.state])
		}
	}
}

// move is what the user's will does to an entry.
func (m *machine) move(e *modelEntry, to viewing.State) {
	if now := m.store.clock.now(); e.nextAt.After(now) {
		e.nextAt = now
	}
	if e.state != to {
		e.void, e.leasedTo = true, time.Time{}
	}
	e.before, e.state = e.state, to
}

// recall takes back that the user dropped an entry: it stands where it stood, and
// what may have arrived never becomes a second request by that.
func (m *machine) recall(r *rapid.T) {
	e := m.choose(r, func(e *modelEntry) bool { return e.state == viewing.StateDropped })
	did, err := m.store.ReleaseHeld(m.t.Context(), entry.Selection{IDs: []int64{e.id}}, false)
	m.want(err == nil && did.Changed == 1 && did.From[viewing.StateDropped] == 1, "taken back", did, err)
	to := viewing.StatePending
	switch {
	case e.before == viewing.StateInDoubt && e.attempts > 0:
		to = viewing.StateInDoubt
	case e.item == 0:
		to = viewing.StateHeld
	}
	m.move(e, to)
}

// settleByHand says what the user knows of an entry in doubt.
func (m *machine) settleByHand(r *rapid.T) {
	e := m.choose(r, func(*modelEntry) bool { return true })
	as := rapid.SampledFrom([]viewing.State{viewing.StateDelivered, viewing.StateRejected, viewing.StateDropped, viewing.StatePending, viewing.StateHeld}).Draw(r, "as")
	_, err := m.store.SettleByHand(m.t.Context(), entry.Selection{IDs: []int64{e.id}}, as, false)
	if e.state != viewing.StateInDoubt || as == viewing.StatePending || as == viewing.StateHeld {
		m.want(errors.Is(err, entry.ErrState), "a refusal", err)
		return
	}
	m.want(err == nil, "settled", err)
	m.move(e, as)
}

// edit gives an entry another identity.
func (m *machine) edit(r *rapid.T) {
	e := m.choose(r, func(*modelEntry) bool { return true })
	item := rapid.Int64Range(1, 3).Draw(r, "item")
	_, err := m.store.Edit(m.t.Context(), e.id, entry.Edit{Media: &viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: item}}})
	switch {
	case e.state == viewing.StatePending:
		e.void, e.leasedTo = true, time.Time{}
	case e.state == viewing.StateRejected, e.state == viewing.StateHeld && e.item == 0:
		m.move(e, viewing.StatePending)
	case e.state == viewing.StateHeld:
	default:
		m.want(errors.Is(err, entry.ErrState), "a refusal", err)
		return
	}
	m.want(err == nil, "an edit", err)
	e.item, e.edited = item, true
}
