package demo

import (
	"context"
	"fmt"
	"time"

	"github.com/filmspool/filmspool/queue/tracker/sandbox"
)

// count compares the service's records with what was done.
func (t *tour) count(ctx context.Context) error {
	records, err := t.stage.service.Records(ctx)
	if err != nil {
		return err
	}
	t.result.tally(t.plan, records)
	r := t.result
	t.say("The service has %d viewings: %d from the browser, %d from Kodi, %d from the command line; %d on the watchlist, %d lists.",
		len(records.History), r.History.Browser, r.History.Kodi, r.History.CLI, r.Watchlist, r.Lists)
	t.say("Lost: %d. Doubled: %d. While it was away, %d waited here.", r.Lost, r.Doubled, r.OfflineHeld)
	if r.Lost > 0 || r.Doubled > 0 {
		return fmt.Errorf("%w: %d lost, %d doubled", ErrMiscounted, r.Lost, r.Doubled)
	}
	return nil
}

// tally counts what arrived once, what did not arrive, and what arrived more
// often than it was done.
func (r *Result) tally(p plan, records sandbox.Records) {
	arrived := map[string]int{}
	for _, h := range records.History {
		arrived[recordKey(h)]++
	}
	for _, a := range p.watched {
		key := actKey(a)
		if arrived[key] == 0 {
			r.Lost++
			continue
		}
		arrived[key]--
		switch a.source {
		case browser:
			r.History.Browser++
		case library:
			r.History.Kodi++
		case command:
			r.History.CLI++
		}
	}
	for _, surplus := range arrived {
		r.Doubled += surplus
	}
	r.Watchlist, r.Lists = len(records.Watchlist), len(records.Lists)
	r.miss(len(p.watchlist) - len(records.Watchlist))
	r.miss(len(p.lists) - len(records.Lists))
}

// miss counts n as lost, or as doubled when it is negative.
func (r *Result) miss(n int) {
	r.Lost += max(n, 0)
	r.Doubled += max(-n, 0)
}

// actKey names what was watched and when, as recordKey names what arrived.
func actKey(a act) string { return a.media.Key() + " " + a.ended.UTC().Format(time.RFC3339) }

// recordKey names one record of the service.
func recordKey(h sandbox.HistoryItem) string {
	at := h.WatchedAt.UTC().Format(time.RFC3339)
	if h.Type == "episode" && h.SeasonNumber != nil {
		return fmt.Sprintf("episode:%d:%d:%d %s", h.TVShowID, *h.SeasonNumber, h.EpisodeNumber, at)
	}
	return fmt.Sprintf("%s:%d %s", h.Type, h.ID, at)
}
