package page

import (
	"slices"
	"strconv"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// nowRoom is the first page: how things stand, what needs a person, and what waits.
func nowRoom() room {
	return room{path: "/", name: "now", menu: true, show: showNow, acts: map[string]act{
		"retry": retryAll, "pause": pauseAll, "resume": resume, "seen": seen,
	}}
}

// nowData is what the first page shows.
type nowData struct {
	Status   control.Status
	Problems []problem
	Counts   []count
	Pauses   []pauseChoice
	Paused   bool // all accounts that are used
}

// problem is one with what its button does, where it has one.
type problem struct {
	control.Problem
	Do, Name, Value string // the act, and the one value that it takes
}

// count is how many entries are in a state, and where they are shown.
type count struct {
	State viewing.State
	Text  string
	Where string
}

// pauseChoice is how long a pause may be.
type pauseChoice struct {
	Hours int // 0: until the person ends it
	Text  string
}

func showNow(v *visit) (any, error) {
	status, err := v.api().Status(v.ctx())
	if err != nil {
		return nil, err
	}
	health.Tell(v.Speech, &status)
	data := &nowData{Status: status, Counts: countsOf(v, status), Pauses: pauses(v)}
	for _, p := range status.Problems {
		data.Problems = append(data.Problems, buttonOf(p))
	}
	data.Paused = len(status.Accounts) > 0 && !slices.ContainsFunc(status.Accounts, func(a control.Account) bool { return a.State != account.Paused && !a.Unused })
	return data, nil
}

// buttonOf is a problem with the button of this page for its act, where there is one.
func buttonOf(p control.Problem) problem {
	switch p.Act.Verb {
	case control.ActSeen:
		return problem{p, control.ActSeen, "id", p.Act.Target}
	case control.ActRetry:
		return problem{Problem: p, Do: control.ActRetry}
	default:
		return problem{Problem: p}
	}
}

// countsOf are the states in which there is something, what needs a person first.
func countsOf(v *visit, s control.Status) (all []count) {
	c := s.Counts
	for _, one := range []struct {
		state viewing.State
		n     int64
		where string
	}{
		{viewing.StateInDoubt, c.InDoubt, "/review"},
		{viewing.StateHeld, c.Held, "/review"},
		{viewing.StateRejected, c.Rejected, "/diary?state=" + string(viewing.StateRejected)},
		{viewing.StatePending, c.Pending + c.Sending, "/diary?state=" + string(viewing.StatePending)},
		{viewing.StateDelivered, c.Delivered, "/diary?state=" + string(viewing.StateDelivered)},
	} {
		if one.n > 0 {
			all = append(all, count{one.state, v.Say("now.count."+string(one.state), "n", one.n), one.where})
		}
	}
	return all
}

// pauses are how long a person can pause with one click.
func pauses(v *visit) (all []pauseChoice) {
	for _, hours := range []int{1, 3, 12, 24} {
		all = append(all, pauseChoice{hours, v.Say("now.pauseHours", "n", hours)})
	}
	return append(all, pauseChoice{0, v.Say("now.pauseOpen")})
}

// retryAll does what the command does: it has all sent again that waits or was rejected.
func retryAll(v *visit) error {
	_, err := v.api().Operate(v.ctx(), control.Order{Verb: control.Retry, Selection: entry.Selection{All: true}})
	return v.done(err, "now.retried")
}

// maxPause bounds a pause in hours: a year.
const maxPause = 366 * 24

// pauseAll stops sending, for some hours or until a person ends it.
func pauseAll(v *visit) error {
	hours, err := strconv.Atoi(v.PostFormValue("hours"))
	if err != nil || hours < 0 || hours > maxPause {
		return v.refuse("now.badPause")
	}
	p := control.Pause{}
	if hours > 0 {
		p.Until = time.Now().Add(time.Duration(hours) * time.Hour)
	}
	if _, err := v.api().Pause(v.ctx(), p); err != nil {
		return err
	}
	if hours > 0 {
		v.tell("now.pausedUntil", "until", p.Until)
	} else {
		v.tell("now.paused")
	}
	return nil
}

// resume ends the pause of an account, or of all.
func resume(v *visit) error {
	_, err := v.api().Resume(v.ctx(), control.Pause{Account: v.PostFormValue("account")})
	return v.done(err, "now.resumed")
}

// seen forgets a notice.
func seen(v *visit) error {
	id, err := strconv.ParseInt(v.PostFormValue("id"), 10, 64)
	if err != nil {
		return v.refuse("now.noNotice")
	}
	return v.done(v.api().Acknowledge(v.ctx(), id), "now.seen")
}
