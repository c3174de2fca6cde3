package page

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// bulk is the preview of a verb for several entries.
type bulk struct {
	Order  entry.Order
	Would  entry.Changed
	Expect string // state of the selected entries; the next form sends it back
}

// orderOf reads the form: a verb for the ticked entries, or for all entries of the filter that
// existed when the page was rendered.
func orderOf(v *view) (o entry.Order, err error) {
	o.Verb = entry.Verb(v.PostFormValue("verb"))
	if !slices.Contains(bulkVerbs, o.Verb) {
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
	if len(o.IDs) == 0 || len(o.IDs) > pageSize {
		return o, v.refuse("diary.noneTicked")
	}
	return o, nil
}

// dryRun previews an order. It leaves out ticked entries that the verb does not fit.
func dryRun(v *view, o entry.Order) (*bulk, error) {
	b := &bulk{Order: o}
	if len(o.IDs) == 0 {
		o.DryRun = true
		var err error
		b.Would, err = v.api().Operate(v.ctx(), o)
		return b, err
	}
	b.Would = entry.Changed{From: map[viewing.State]int64{}, Left: map[string]int64{}}
	b.Order.IDs = nil
	for _, id := range o.IDs {
		x, err := v.api().Explain(v.ctx(), id)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(x.Actions(time.Now()), o.Verb) {
			why := string(x.State)
			if x.State == viewing.StateHeld {
				why = x.Reason
			}
			b.Would.Left[why]++
			continue
		}
		b.Order.IDs = append(b.Order.IDs, id)
		b.Would.Changed++
		b.Would.From[x.State]++
	}
	b.Expect = fmt.Sprint(b.Order.IDs, b.Would.From)
	return b, nil
}

func previewBulk(v *view) error {
	o, err := orderOf(v)
	if err != nil {
		return err
	}
	b, err := dryRun(v, o)
	return v.result(b, err)
}

// doBulk carries out a previewed order. If ticked entries have changed since, it previews again.
func doBulk(v *view) error {
	o, err := orderOf(v)
	if err == nil && len(o.IDs) > 0 {
		b, err := dryRun(v, o)
		if err != nil || b.Expect != v.PostFormValue("expect") {
			v.flash("diary.changedMeanwhile")
			return v.result(b, err)
		}
	}
	if err != nil {
		return err
	}
	did, err := v.api().Operate(v.ctx(), o)
	return v.done(err, "diary.done."+string(o.Verb), "n", did.Changed)
}
