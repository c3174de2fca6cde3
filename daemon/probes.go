package daemon

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/filmspool/filmspool/daemon/guard"
	"github.com/filmspool/filmspool/daemon/metrics"
	"github.com/filmspool/filmspool/kodi"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

const (
	// probeWait is how long a question about health may take.
	probeWait = 5 * time.Second
	// countEvery is how many times the time of a count passes before the next one.
	countEvery = 20
)

// probes answer programs that watch over this one.
type probes struct {
	*Daemon

	counting sync.Mutex
	entries  map[string]map[string]int64
	counted  time.Time // when entries may be counted again
}

// route adds "/healthz" and "/readyz", which answer 200 or 503 with one word, and
// "/metrics", where that is turned on. They need no token. A browser gets nothing,
// because any page could ask.
func (p *probes) route(mux *http.ServeMux) {
	mux.Handle("GET /healthz", guard.Programs(probe(p.healthy)))
	mux.Handle("GET /readyz", guard.Programs(probe(p.ready)))
	if p.o.Config.Metrics.Enabled {
		mux.Handle("GET /metrics", guard.Programs(metrics.Handler(p.read)))
	}
}

// probe answers whether something is well.
func probe(well func(context.Context) bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), probeWait)
		defer cancel()
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		word := "ok\n"
		if !well(ctx) {
			word = "unavailable\n"
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_, _ = io.WriteString(w, word) // the asker is gone; nobody is left to tell
	})
}

// healthy reports whether the queue can be written, as far as was tried, and its
// writer moves.
func (p *probes) healthy(ctx context.Context) bool {
	return p.trouble() == nil && p.store.Alive(ctx) == nil
}

// ready reports whether all runs: the queue, a client for each account that is
// used, and each library, which was looked at once.
func (p *probes) ready(ctx context.Context) bool {
	accounts, err := p.standings(ctx)
	if err != nil || !p.healthy(ctx) {
		return false
	}
	for _, a := range accounts {
		if s := p.account(a.Name); s != nil && !a.Unused {
			if _, problem := s.look(); problem != "" {
				return false
			}
		}
	}
	for _, k := range p.kodis() {
		if k.Status().State == kodi.StateStarting {
			return false
		}
	}
	return true
}

// read is how things stand, in figures.
func (p *probes) read(ctx context.Context) (r metrics.Reading, err error) {
	r = metrics.Reading{Writable: p.trouble() == nil, Libraries: map[string]int64{}, Answers: p.identifier.Answers()}
	if r.Entries, err = p.count(ctx); err != nil {
		return r, err
	}
	oldest, waits, err := p.store.OldestPending(ctx, "")
	if err != nil {
		return r, err
	}
	if waits {
		r.Oldest = max(0, time.Since(oldest))
	}
	if r.Accounts, err = p.accountFigures(ctx); err != nil {
		return r, err
	}
	for _, k := range p.kodis() {
		s := k.Status()
		r.Libraries[s.State]++
		if s.Deaf != "" {
			r.Polled++
		}
	}
	if p.connector != nil {
		r.Sockets, r.Refused = p.connector.Sockets(), p.connector.Refused()
	}
	return r, nil
}

// accountFigures are how the accounts stand that are used.
func (p *probes) accountFigures(ctx context.Context) (all []metrics.Account, err error) {
	accounts, err := p.standings(ctx)
	for _, a := range accounts {
		if a.Unused {
			continue
		}
		out := metrics.Account{Name: a.Name, State: a.State}
		if a.NextTry != nil {
			out.Wait = max(0, time.Until(*a.NextTry))
		}
		if s := p.account(a.Name); s != nil {
			out.Sends = s.loop.Sends()
		}
		all = append(all, out)
	}
	return all, err
}

// count is the number of entries by account and state. It reads all entries, so it
// gives the last count again for a while.
func (p *probes) count(ctx context.Context) (map[string]map[string]int64, error) {
	p.counting.Lock()
	defer p.counting.Unlock()
	begun := time.Now()
	if begun.Before(p.counted) {
		return p.entries, nil
	}
	counts, err := p.store.CountsOf(ctx)
	if err != nil {
		return nil, err
	}
	p.entries, p.counted = map[string]map[string]int64{}, begun.Add(countEvery*time.Since(begun))
	show := func(account string, n entry.Counts) {
		p.entries[account] = map[string]int64{
			string(viewing.StatePending): n.Pending, string(viewing.StateSending): n.Sending,
			string(viewing.StateHeld): n.Held, string(viewing.StateInDoubt): n.InDoubt, string(viewing.StateRejected): n.Rejected,
			string(viewing.StateDelivered): n.Delivered, string(viewing.StateMerged): n.Merged, string(viewing.StateDropped): n.Dropped,
		}
	}
	for _, a := range p.accounts { // also without entries
		show(a.name, counts[a.name])
	}
	for account, n := range counts {
		show(account, n)
	}
	return p.entries, nil
}
