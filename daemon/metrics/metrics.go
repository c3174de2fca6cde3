package metrics

import (
	"context"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/filmspool/filmspool/queue/account"
)

// Reading is how an instance stands at one instant. Counts are from the start of the
// process, unless they say otherwise.
type Reading struct {
	// Entries are those in the queue now, by account and state.
	Entries map[string]map[string]int64
	// Oldest is how long the oldest pending entry has waited; 0 for none.
	Oldest time.Duration
	// Writable says that the queue can be written, as far as was tried.
	Writable bool
	Accounts []Account
	// Libraries are the Kodi libraries by their state; of these, Polled are those
	// whose changes no event of the file system tells.
	Libraries map[string]int64
	Polled    int64
	// Answers are those of resolvers, by resolver and kind.
	Answers map[string]map[string]int64
	// Sockets are the websockets that are open now.
	Sockets int
	// Refused are the messages and posts that the connector did not take, by code.
	Refused map[string]int64
}

// Account is one account at a service.
type Account struct {
	Name  string
	State account.State
	// Wait is the time until the service is tried again; 0 when nothing is planned.
	Wait time.Duration
	// Sends are the requests for entries, by what the answer meant.
	Sends map[string]int64
}

// Handler answers with a reading. Where there is none it answers 503, without the
// reason, which could name a file.
func Handler(read func(context.Context) (Reading, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reading, err := read(r.Context())
		if err != nil {
			http.Error(w, "the queue cannot be read now", http.StatusServiceUnavailable)
			return
		}
		own := prometheus.NewRegistry()
		own.MustRegister(reading)
		promhttp.HandlerFor(own, promhttp.HandlerOpts{DisableCompression: true}).ServeHTTP(w, r)
	})
}

// Describe implements [prometheus.Collector]. It names nothing beforehand: a reading
// is collected once.
func (Reading) Describe(chan<- *prometheus.Desc) {}

// Collect implements [prometheus.Collector].
func (r Reading) Collect(out chan<- prometheus.Metric) {
	now := func(name, help string, labels ...string) figure {
		return figure{out, prometheus.NewDesc("filmspool_"+name, help, labels, nil), prometheus.GaugeValue}
	}
	sinceStart := func(name, help string, labels ...string) figure {
		f := now(name+"_total", help, labels...)
		f.kind = prometheus.CounterValue
		return f
	}
	now("entries", "Entries in the queue, by account and state.", "account", "state").table(r.Entries)
	now("oldest_pending_seconds", "How long the oldest pending entry has waited; 0 for none.").put(r.Oldest.Seconds())
	now("queue_writable", "1 when the queue can be written, as far as was tried.").put(number(r.Writable))
	state := now("account_state", "1 for the state in which an account is.", "account", "state")
	wait := now("account_retry_seconds", "Seconds until the service is tried again; 0 when nothing is planned.", "account")
	sends := map[string]map[string]int64{}
	for _, a := range r.Accounts {
		for _, s := range []account.State{account.OK, account.Offline, account.Paused, account.Attention} {
			state.put(number(a.State == s), a.Name, string(s))
		}
		wait.put(a.Wait.Seconds(), a.Name)
		sends[a.Name] = a.Sends
	}
	sinceStart("sends", "Requests for entries, by account and by what the answer meant.", "account", "result").table(sends)
	now("libraries", "Kodi libraries, by state.", "state").row(r.Libraries)
	now("libraries_polled", "Kodi libraries whose changes no event of the file system tells.").put(float64(r.Polled))
	sinceStart("resolver_answers", "Questions about what an item is, by resolver and kind of answer.", "resolver", "kind").table(r.Answers)
	now("websockets", "Open websockets of browsers.").put(float64(r.Sockets))
	sinceStart("refused", "Messages and posts that were not taken, by code.", "code").row(r.Refused)
}

// figure is one name with its labels.
type figure struct {
	out  chan<- prometheus.Metric
	desc *prometheus.Desc
	kind prometheus.ValueType
}

// put shows a value; the labels are those of its Desc, in their order.
func (f figure) put(value float64, labels ...string) {
	f.out <- prometheus.MustNewConstMetric(f.desc, f.kind, value, labels...)
}

// row shows a value for each word of the last label.
func (f figure) row(values map[string]int64, labels ...string) {
	for word, n := range values {
		f.put(float64(n), append(labels, word)...)
	}
}

// table shows a row for each word of the first label.
func (f figure) table(rows map[string]map[string]int64) {
	for word, values := range rows {
		f.row(values, word)
	}
}

func number(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
