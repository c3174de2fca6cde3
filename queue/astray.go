package queue

import "time"

// farthest is beyond every time that is ever planned: a grace and what a
// service may ask for end after a day. An entry that is due later was put off
// by a clock that has been set back since.
const farthest = 25 * time.Hour

const updateAstray = `UPDATE entries SET next_at = ?2
	WHERE account = ?1 AND lane = ?3 AND state = 'pending' AND behind = 0 AND next_at > ?2 + ?4`

// bringBack makes what would be due too far ahead due now. Where the clock
// runs well it finds nothing, by one look into the index.
func (t *tx) bringBack(account string, lane Lane) error {
	_, err := t.exec(updateAstray, account, t.now, int(lane), farthest.Milliseconds())
	return err
}

// nearer is at, or now when at is too far ahead to be meant.
func nearer(at, now time.Time) time.Time {
	if at.Sub(now) > farthest {
		return now
	}
	return at
}
