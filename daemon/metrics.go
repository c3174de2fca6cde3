package daemon

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// metrics answers programs such as Prometheus with figures, without titles. Where the queue
// cannot be read it answers 503, without the reason, which could name a file.
func (d *Daemon) metrics(w http.ResponseWriter, r *http.Request) {
	text, err := d.figures(r.Context())
	if err != nil {
		http.Error(w, "the queue cannot be read now", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = io.WriteString(w, text) // fails only where the asker is gone
}

// figures is how things stand, in Prometheus' text format. Totals count since the start.
func (d *Daemon) figures(ctx context.Context) (string, error) {
	var out strings.Builder
	write := func(kind, name, help string, values map[string]int64) {
		fmt.Fprintf(&out, "# HELP filmspool_%s %s\n# TYPE filmspool_%[1]s %[3]s\n", name, help, kind)
		for _, labels := range slices.Sorted(maps.Keys(values)) {
			fmt.Fprintf(&out, "filmspool_%s%s %d\n", name, labels, values[labels])
		}
	}
	counts, err := d.store.CountsOf(ctx)
	if err != nil {
		return "", err
	}
	s, err := d.status(ctx)
	if err != nil {
		return "", err
	}
	entries, states, sends, libraries, answers, refused := map[string]int64{}, map[string]int64{}, map[string]int64{}, map[string]int64{}, map[string]int64{}, map[string]int64{}
	for _, a := range d.accounts {
		if _, has := counts[a.name]; !has {
			counts[a.name] = entry.Counts{}
		}
		for result, n := range a.loop.Sends() {
			sends[fmt.Sprintf("{account=%q,result=%q}", a.name, result)] = n
		}
	}
	for account, c := range counts {
		for state, n := range map[viewing.State]int64{
			viewing.StatePending: c.Pending, viewing.StateSending: c.Sending, viewing.StateHeld: c.Held, viewing.StateInDoubt: c.InDoubt,
			viewing.StateRejected: c.Rejected, viewing.StateDelivered: c.Delivered, viewing.StateMerged: c.Merged, viewing.StateDropped: c.Dropped,
		} {
			entries[fmt.Sprintf("{account=%q,state=%q}", account, state)] = n
		}
	}
	for _, a := range s.Accounts {
		states[fmt.Sprintf("{account=%q,state=%q}", a.Name, a.State)] = 1
	}
	for _, k := range d.libraries {
		libraries[fmt.Sprintf("{state=%q}", k.Status().State)]++
	}
	for _, p := range d.chain() {
		for kind, n := range p.Answers() {
			answers[fmt.Sprintf("{kind=%q,resolver=%q}", kind, strings.ToLower(p.Name))] = n
		}
	}
	for code, n := range d.connector.Refused() {
		refused[fmt.Sprintf("{code=%q}", code)] = n
	}
	writable := int64(1)
	if s.Storage != nil {
		writable = 0
	}
	write("gauge", "entries", "Entries in the queue, by account and state.", entries)
	write("gauge", "oldest_pending_seconds", "How long the oldest pending entry has waited; 0 for none.", map[string]int64{"": s.OldestPendingSeconds})
	write("gauge", "queue_writable", "1 when the queue can be written, as far as was tried.", map[string]int64{"": writable})
	write("gauge", "account_state", "1 for the state in which an account is.", states)
	write("counter", "sends_total", "Requests for entries, by account and by what the answer meant.", sends)
	write("gauge", "libraries", "Kodi libraries, by state.", libraries)
	write("counter", "resolver_answers_total", "Questions about what an item is, by resolver and kind of answer.", answers)
	write("gauge", "websockets", "Open websockets of browsers.", map[string]int64{"": int64(d.connector.Sockets())})
	write("counter", "refused_total", "Messages and posts that were not taken, by code.", refused)
	return out.String(), nil
}
