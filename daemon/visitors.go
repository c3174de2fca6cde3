package daemon

import (
	"context"
	"slices"

	"github.com/filmspool/filmspool/connector"
	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
	"github.com/filmspool/filmspool/daemon/locale"
	"github.com/filmspool/filmspool/queue/account"
)

// connectorStatus is what a paired browser may know.
func (d *Daemon) connectorStatus(ctx context.Context) connector.Status {
	s, err := d.examined(ctx, false)
	if err != nil {
		return connector.Status{}
	}
	out := connector.Status{
		Online: true, Pending: s.Counts.Pending + s.Counts.Sending, Attention: control.NeedUser(s.Counts),
	}
	for _, p := range pressing(s.Problems) {
		out.Problems += p.Code + " " + p.About + "\n"
	}
	for _, a := range s.Accounts {
		if a.Unused {
			continue
		}
		out.Online = out.Online && a.State == account.OK
		if a.State == account.Attention {
			out.Attention++
		}
		if a.LastDelivered != nil && a.LastDelivered.After(out.LastDelivered) {
			out.LastDelivered = *a.LastDelivered
		}
	}
	return out
}

// connectorProblems are what a paired browser is told of, in its language.
func (d *Daemon) connectorProblems(ctx context.Context, language string) (all []protocol.Problem) {
	s, err := d.examined(ctx, false)
	if err != nil {
		return nil
	}
	found := pressing(s.Problems)
	health.Write(locale.In(language), found)
	for _, p := range found {
		all = append(all, protocol.Problem{Code: p.Code, Severity: string(p.Severity), Text: p.Text, Act: p.Act.Text})
	}
	return all
}

// pressing are the problems that a browser shows.
func pressing(all []control.Problem) []control.Problem {
	all = slices.DeleteFunc(health.Roots(all), func(p control.Problem) bool {
		return p.Severity == control.Note
	})
	return all[:min(len(all), protocol.MostProblems)]
}
