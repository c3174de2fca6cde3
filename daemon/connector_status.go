package daemon

import (
	"context"
	"slices"
	"time"

	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
	"github.com/filmspool/filmspool/daemon/locale"
	"github.com/filmspool/filmspool/queue/account"
)

// connectorStatus is what a paired browser is told, in its language.
func (d *Daemon) connectorStatus(ctx context.Context, language string) protocol.Status {
	s, err := d.examined(ctx, false)
	if err != nil {
		return protocol.Status{}
	}
	out := protocol.Status{
		Online: true, Pending: s.Counts.Pending + s.Counts.Sending, Attention: control.NeedUser(s.Counts), Page: d.pages(),
	}
	var last time.Time
	for _, a := range s.Accounts {
		if a.Unused {
			continue
		}
		out.Online = out.Online && a.State == account.OK
		if a.State == account.Attention {
			out.Attention++
		}
		if a.LastDelivered != nil && a.LastDelivered.After(last) {
			last = *a.LastDelivered
			out.LastDelivered = last.UTC().Format(time.RFC3339)
		}
	}
	found := slices.DeleteFunc(health.Roots(s.Problems), func(p control.Problem) bool { return p.Severity == control.Note })
	found = found[:min(len(found), protocol.MaxProblems)]
	health.Write(locale.In(language), found)
	for _, p := range found {
		out.Problems = append(out.Problems, protocol.Problem{Code: p.Code, Severity: string(p.Severity), Text: p.Text, Act: p.Act.Text})
	}
	return out
}
