package page

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
)

// statusData is the data of the page Status, beside the status itself.
type statusData struct {
	Unsent int64 // entries that wait or are being sent, or are saved in a local diary
	Held   int64 // entries that wait for the user
	Paused bool  // all accounts in use are paused, or none has a service
	Pauses []int // the lengths of a pause in hours; 0 is one without an end
}

var pauseHours = []int{1, 3, 12, 24, 0}

func showStatus(v *view) (any, error) {
	counts, unresolved := v.Status.Counts, v.Status.LocalUnresolved()
	d := &statusData{
		Unsent: counts.Pending + counts.Sending + unresolved, Held: counts.Held - unresolved, Paused: len(v.Status.Accounts) > 0, Pauses: pauseHours,
	}
	for _, a := range v.Status.Accounts {
		d.Paused = d.Paused && (a.State == account.Paused || a.Unused || a.Local)
	}
	return d, nil
}

// needsSetup reports whether there is no account with a service, no source and no entry. It is false
// once the person has ended or postponed setup.
func (s *Site) needsSetup(ctx context.Context) bool {
	status, err := s.o.API.Status(ctx)
	return err == nil && !s.putOff.Load() && len(status.Sources) == 0 && status.Counts == entry.Counts{} && status.Storage == nil &&
		!slices.ContainsFunc(status.Accounts, func(a control.Account) bool { return a.BaseURL != "" })
}

// retryAll sends again what waits or was rejected.
func retryAll(v *view) error {
	_, err := v.api().Operate(v.ctx(), entry.Order{Verb: entry.VerbRetry, Selection: entry.Selection{All: true}})
	return v.done(err, "now.retried")
}

// pause stops sending, for some hours or without an end.
func pause(v *view) error {
	hours, err := strconv.Atoi(v.PostFormValue("hours"))
	if err != nil || !slices.Contains(pauseHours, hours) {
		return v.refuse("now.badPause")
	}
	p, key := control.Pause{}, "now.paused"
	if hours > 0 {
		p.Until, key = time.Now().Add(time.Duration(hours)*time.Hour), "now.pausedUntil"
	}
	_, err = v.api().Pause(v.ctx(), p)
	return v.done(err, key, "until", p.Until)
}

// resume ends the pause of an account, or of all.
func resume(v *view) error {
	_, err := v.api().Resume(v.ctx(), control.Pause{Account: v.PostFormValue("account")})
	return v.done(err, "now.resumed")
}

// seen acknowledges a notice.
func seen(v *view) error {
	id, err := strconv.ParseInt(v.PostFormValue("target"), 10, 64)
	if err != nil {
		return v.refuse("now.noNotice")
	}
	return v.done(v.api().Acknowledge(v.ctx(), id), "now.seen")
}
