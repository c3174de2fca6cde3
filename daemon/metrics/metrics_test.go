package metrics_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/filmspool/filmspool/daemon/metrics"
	"github.com/filmspool/filmspool/queue/account"
)

// full is a reading with every figure.
func full() metrics.Reading {
	return metrics.Reading{
		Entries: map[string]map[string]int64{"anna": {"pending": 3, "delivered": 1_000_000}, "ben": {"pending": 0}},
		Oldest:  90 * time.Second, Writable: true,
		Accounts: []metrics.Account{
			{Name: "anna", State: account.Offline, Wait: 15 * time.Second, Sends: map[string]int64{"delivered": 7, "throttled": 2}},
			{Name: "ben", State: account.OK},
		},
		Libraries: map[string]int64{"ok": 2, "denied": 1}, Polled: 1,
		Answers: map[string]map[string]int64{"tmdb": {"found": 4}},
		Sockets: 5, Refused: map[string]int64{"BAD_MESSAGE": 6},
	}
}

// scrape asks a handler, and reads the answer as Prometheus does: a line for each
// value.
func scrape(t *testing.T, read func(context.Context) (metrics.Reading, error)) []string {
	t.Helper()
	w := httptest.NewRecorder()
	metrics.Handler(read).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(families)) {
		for _, m := range families[name].GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetValue())
			}
			value := m.GetGauge().GetValue() + m.GetCounter().GetValue()
			lines = append(lines, fmt.Sprint(strings.Join(append([]string{name}, labels...), " "), " ", value))
		}
	}
	return lines
}

func TestEveryFigureIsShown(t *testing.T) {
	got := strings.Join(scrape(t, func(context.Context) (metrics.Reading, error) { return full(), nil }), "\n")
	const want = `filmspool_account_retry_seconds anna 15
filmspool_account_retry_seconds ben 0
filmspool_account_state anna attention 0
filmspool_account_state anna offline 1
filmspool_account_state anna ok 0
filmspool_account_state anna paused 0
filmspool_account_state ben attention 0
filmspool_account_state ben offline 0
filmspool_account_state ben ok 1
filmspool_account_state ben paused 0
filmspool_entries anna delivered 1e+06
filmspool_entries anna pending 3
filmspool_entries ben pending 0
filmspool_libraries denied 1
filmspool_libraries ok 2
filmspool_libraries_polled 1
filmspool_oldest_pending_seconds 90
filmspool_queue_writable 1
filmspool_refused_total BAD_MESSAGE 6
filmspool_resolver_answers_total found tmdb 4
filmspool_sends_total anna delivered 7
filmspool_sends_total anna throttled 2
filmspool_websockets 5`
	if got != want {
		t.Errorf("got\n%s", got)
	}
}

// The names keep what Prometheus asks of names, and its registry finds no fault.
func TestNamesKeepTheRules(t *testing.T) {
	problems, err := testutil.CollectAndLint(full())
	if err != nil || len(problems) > 0 {
		t.Error(problems, err)
	}
}

// What cannot be read is no figure, and the reason is for the log alone.
func TestNoReadingIsNoAnswer(t *testing.T) {
	w := httptest.NewRecorder()
	broken := func(context.Context) (metrics.Reading, error) { return full(), errors.New("open /home/anna/queue") }
	metrics.Handler(broken).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != 503 || strings.Contains(w.Body.String(), "anna") {
		t.Error(w.Code, w.Body)
	}
}
