package queue

import (
	"context"
	"database/sql"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Lookup is a held entry without an identifier that a service may be asked to identify.
type Lookup struct {
	Entry   Entry
	Asked   int           // number of lookups since its item last changed
	Runtime time.Duration // of the item, as the source reported it; 0 if unknown
}

// Lookups returns up to n lookups of the account that are due, in the order in which they became
// due.
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

// NextLookup returns when the next lookup of the account is due; ok is false if none exists.
func (s *Store) NextLookup(ctx context.Context, account string) (t time.Time, ok bool, err error) {
	return s.readTime(ctx, "find next lookup", "SELECT min(ask_at, iif(planned_at > ?2, ?2, ask_at)) FROM lookups WHERE account = ?1 AND ask_at >= 0 ORDER BY 1 LIMIT 1", account, s.now().UnixMilli())
}

// LookupResult is the result of a lookup.
type LookupResult struct {
	Lookup Lookup // the lookup; if its entry has changed since, the result is ignored
	// Media is the identified item; nil if the lookup failed: the entry stays held.
	Media *viewing.Media
	// Why becomes a step if the entry does not have the same one already and it has a code.
	Why   viewing.Message
	AskAt time.Time // if still held: when to ask again; zero means never
	// Uncounted is set if not all services could be asked: it does not count as a lookup.
	Uncounted bool
	// Candidates are possible items for a person to choose from, the most likely first.
	Candidates []resolve.Candidate
}

// maxCandidates limits the candidates stored for one entry.
const maxCandidates = 8

// RecordLookups records results in one transaction. The rules decide again about entries that
// were identified; those held only for that reason may be sent.
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
			t.identify(e, m, t.eventOf(e), correctedStep(correction.Work, *e.Reported, m))
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

// Candidates returns the candidates of the last lookup of an entry, the most likely first.
func (s *Store) Candidates(ctx context.Context, id int64) (all []resolve.Candidate, err error) {
	_, err = read(ctx, s, "read candidates", func(r *sql.Rows) (struct{}, error) {
		return struct{}{}, r.Scan(fromJSON{&all})
	}, "SELECT candidates FROM lookups WHERE entry = ?", id)
	return all, err
}

// RetryLookups makes all lookups of the account due now, because another service can be asked.
func (s *Store) RetryLookups(ctx context.Context, account string) error {
	return s.write(ctx, "retry lookups", func(t *tx) error {
		t.nudge = true
		t.resetLookups(account)
		return nil
	})
}

// resetLookups makes all lookups of the account due now and resets their counts.
func (t *tx) resetLookups(account string) {
	t.exec("UPDATE lookups SET ask_at = 0, asked = 0 WHERE account = ?", account)
}
