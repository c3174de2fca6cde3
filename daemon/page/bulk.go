package page

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// bulk is what a verb would do with many entries.
type bulk struct {
	Order   control.Order
	Would   entry.Changed
	Expect  string // what it would change, for the form that does it
	Heading string
}

// tally is one line of a preview: how many, and which.
type tally struct {
	N    int64
	What string
}

// From are the states of what would be changed.
func (b *bulk) From() (lines []tally) {
	for _, state := range viewing.States() {
		if n := b.Would.From[state]; n > 0 {
			lines = append(lines, tally{n, string(state)})
		}
	}
	return lines
}

// Left is what would be left as it is, by the reason.
func (b *bulk) Left() (lines []tally) {
	for _, why := range slices.Sorted(maps.Keys(b.Would.Left)) {
		lines = append(lines, tally{b.Would.Left[why], why})
	}
	return lines
}

// maxTicked bounds how many entries a form can name: a page has fewer.
const maxTicked = 200

// orderOf is what a person wants of many entries: of those that are ticked, or of all
// that the filter shows and that were there when they looked.
func orderOf(v *visit) (o control.Order, err error) {
	o.Verb = v.PostFormValue("verb")
	if !slices.Contains(diaryData{}.Verbs(), o.Verb) {
		return o, v.refuse("diary.badVerb")
	}
	if v.PostFormValue("scope") == "all" {
		o.Filter, err = filterOf(v)
		if err == nil {
			o.UpTo, err = strconv.ParseInt(v.PostFormValue("upTo"), 10, 64)
		}
		if err != nil || o.UpTo < 1 {
			return o, v.refuse("diary.badFilter")
		}
		return o, nil
	}
	for _, text := range v.PostForm["entry"] {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil || id < 1 {
			return o, v.refuse("diary.noEntry")
		}
		o.IDs = append(o.IDs, id)
	}
	if len(o.IDs) == 0 || len(o.IDs) > maxTicked {
		return o, v.refuse("diary.noneTicked")
	}
	return o, nil
}

// try finds out what an order would do. Of entries that are named, those that it does
// not fit are left, as with a filter.
func try(v *visit, o control.Order) (*bulk, error) {
	b := &bulk{Order: o}
	o.DryRun = true
	if len(o.IDs) == 0 {
		var err error
		b.Would, err = v.api().Operate(v.ctx(), o)
		return b, err
	}
	b.Would = entry.Changed{From: map[viewing.State]int64{}, Left: map[string]int64{}}
	b.Order.IDs = nil
	for _, id := range o.IDs {
		o.IDs = []int64{id}
		one, err := v.api().Operate(v.ctx(), o)
		if errors.Is(err, &control.Fault{Code: control.CodeRefused}) {
			x, err := v.api().Explain(v.ctx(), id)
			if err != nil {
				return nil, err
			}
			b.Would.Left[standing(x.Entry)]++
			continue
		}
		if err != nil {
			return nil, err
		}
		for state, n := range one.From {
			b.Would.From[state] += n
		}
		b.Would.Changed += one.Changed
		b.Order.IDs = append(b.Order.IDs, one.IDs...)
	}
	b.Expect = fmt.Sprint(b.Order.IDs, b.Would.From)
	return b, nil
}

// standing is why a verb leaves an entry: its reason where it is held, else its state.
func standing(e entry.Entry) string {
	if e.State == viewing.StateHeld {
		return e.Reason
	}
	return string(e.State)
}

// previewBulk shows what a verb would do.
func previewBulk(v *visit) error {
	o, err := orderOf(v)
	if err != nil {
		return err
	}
	b, err := try(v, o)
	if err != nil {
		return err
	}
	b.show(v)
	return nil
}

// show has the room's page show it.
func (b *bulk) show(v *visit) {
	b.Heading = v.Say("diary.would."+b.Order.Verb, "n", b.Would.Changed)
	v.Shown, v.preview = b, true
}

// doBulk does what a preview has shown. Where entries that were named stand otherwise
// by now, it shows that anew.
func doBulk(v *visit) error {
	o, err := orderOf(v)
	if err != nil {
		return err
	}
	if len(o.IDs) > 0 {
		b, err := try(v, o)
		if err != nil {
			return err
		}
		if b.Expect != v.PostFormValue("expect") {
			v.tell("diary.changedMeanwhile")
			b.show(v)
			return nil
		}
		o = b.Order
	}
	did, err := v.api().Operate(v.ctx(), o)
	return v.done(err, "diary.done."+o.Verb, "n", did.Changed)
}
