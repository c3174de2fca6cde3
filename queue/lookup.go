package queue

import (
	"context"
	"database/sql"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Lookup is an entry that is held and has no identifier: the service may be
// asked what it is.
type Lookup struct {
	Entry   Entry
	Asked   int           // how often it was, since its evidence last changed
	Runtime time.Duration // of the item, as a player told it; 0 when it is not known
}

// Lookups lists up to n of the account's entries that the service is to be
// asked about now, those first that wait the longest.
func (s *Store) Lookups(ctx context.Context, account string, n int) ([]Lookup, error) {
	return read(ctx, s, "list lookups", func(r *sql.Rows) (l Lookup, err error) {
		var seconds float64
		l.Entry, err = scanEntryWith(r, &l.Asked, &seconds)
		l.Runtime = time.Duration(seconds * float64(time.Second))
		return l, err
	}, "SELECT "+entryColumns+`, l.asked, CASE json_array_length(v.body, '$.media') WHEN 1 THEN
		max(coalesce(json_extract(v.body, '$.progress.duration'), 0.0), coalesce(json_extract(v.body, '$.origin.runtime'), 0.0)) ELSE 0.0 END FROM lookups AS l
		JOIN entries AS n ON n.id = l.entry JOIN events AS v ON v.id = n.event
		WHERE l.account = ?1 AND (l.ask_at <= ?2 OR l.ask_at > ?2 AND l.planned_at > ?2) ORDER BY l.ask_at, l.entry LIMIT ?3`, account, s.now().UnixMilli(), n)
}

// NextLookup is when the service is to be asked about the next of the
// account's entries; ok is false without any.
func (s *Store) NextLookup(ctx context.Context, account string) (t time.Time, ok bool, err error) {
	return s.readTime(ctx, "find next lookup", "SELECT min(ask_at, iif(planned_at > ?2, ?2, ask_at)) FROM lookups WHERE account = ?1 AND ask_at >= 0 ORDER BY 1 LIMIT 1", account, s.now().UnixMilli())
}

// LookupResult is what a question about an entry has brought.
type LookupResult struct {
	Lookup Lookup // as it was read; an entry that has changed since is left alone
	// Media is what it is; nil leaves the entry held.
	Media *viewing.Media
	// Why becomes a step of the explanation when it is new; without a code it says nothing.
	Why   viewing.Message
	AskAt time.Time // still held: when to ask again; zero is never
	// Uncounted says that not everybody could be asked.
	Uncounted bool
	// Candidates are what it may be, the likeliest first. A person may choose one.
	Candidates []resolve.Candidate
}

// maxCandidates bounds how many candidates are kept for one entry.
const maxCandidates = 8

// RecordLookups records findings in one transaction. An entry that gets its identity
// is decided about anew: what was held for want of it alone may leave.
func (s *Store) RecordLookups(ctx context.Context, findings []LookupResult) error {
	return s.write(ctx, "record findings", func(t *tx) error {
		for _, f := range findings {
			t.recordLookup(f)
		}
		return nil
	})
}

func (t *tx) recordLookup(f LookupResult) {
	was := f.Lookup.Entry
	e := t.entry(was.ID)
	if e.State != viewing.StateHeld || e.Revision != was.Revision || e.Media == nil || e.Media.Identified() {
		return
	}
	e.Reported = e.AsReported()
	if correction := t.correctionFor(e.Media); correction != nil {
		if m, _ := correction.Apply(*e.Media); m.Identified() {
			e.Correction = correction.ID
			t.identify(e, m, t.eventOf(e), correctedStep(correction.Is, *e.Reported, m))
			return
		}
	}
	if f.Media != nil && f.Media.Identified() {
		t.identify(e, *f.Media, t.eventOf(e), entry.Step{Code: "resolved", Cause: messageOrNil(f.Why)})
		return
	}
	if f.Why.Code != "" {
		t.note(was.ID, entry.Step{Code: "asked", Cause: &f.Why})
	}
	t.exec("UPDATE lookups SET ask_at = ?, planned_at = ?, asked = asked + iif(?, 0, 1), candidates = ? WHERE entry = ?",
		timeOrNull(f.AskAt), t.now, f.Uncounted, asJSON{f.Candidates[:min(len(f.Candidates), maxCandidates)]}, was.ID)
}

// Candidates are what an entry without an identifier may be by the last answers, the
// likeliest first.
func (s *Store) Candidates(ctx context.Context, id int64) (all []resolve.Candidate, err error) {
	_, err = read(ctx, s, "read candidates", func(r *sql.Rows) (struct{}, error) {
		return struct{}{}, r.Scan(fromJSON{&all})
	}, "SELECT candidates FROM lookups WHERE entry = ?", id)
	return all, err
}

// RetryLookups has everything of the account asked about at once that has no
// identifier: there is somebody else to ask.
func (s *Store) RetryLookups(ctx context.Context, account string) error {
	return s.write(ctx, "ask anew", func(t *tx) error {
		t.nudge = true
		t.resetLookups(account)
		return nil
	})
}

// resetLookups has another service asked about everything that has no identifier.
func (t *tx) resetLookups(account string) {
	t.exec("UPDATE lookups SET ask_at = 0, asked = 0 WHERE account = ?", account)
}
