package account

import "time"

// Row is what the queue keeps about one account.
type Row struct {
	Name          string
	BaseURL       string // the address it was last used with
	Proven        bool   // that address has answered as the service does
	Pause         Pause  // why nothing is sent; the zero value while entries are sent
	LastDelivered time.Time
	// Owner is the service's id of the user whose key is used; "" when the
	// service has not told.
	Owner string
	// Keeps is how the service keeps times: "exact", "minute", "day",
	// "arrival", or "" as long as that is not known.
	Keeps   string
	Support Support
	// MovedAt is when the address was last changed. What was sent before, was
	// sent elsewhere.
	MovedAt time.Time
	// OfflineAt is since when the service is out of reach, or asks to wait; zero where
	// it is not.
	OfflineAt time.Time
}

// SignIn takes note of a login: whose key it is, where the service tells, and
// that its optional endpoints are to be asked for again.
func (r *Row) SignIn(owner string) {
	r.Support = nil
	if owner != "" {
		r.Owner = owner
	}
}

// MoveTo takes another address: what was known of the last one counts no more.
func (r *Row) MoveTo(baseURL string, now time.Time) {
	if r.BaseURL == baseURL {
		return
	}
	if r.BaseURL != "" {
		r.MovedAt = now
	}
	r.BaseURL, r.Proven, r.Keeps, r.Support, r.Owner, r.OfflineAt = baseURL, false, "", nil, "", time.Time{}
}

// Own takes note of whose key is used, "" where nobody can tell. The first user
// known is the owner. It reports whether the key may be the owner's.
func (r *Row) Own(user string) bool {
	if r.Owner == "" {
		r.Owner = user
	}
	return user == "" || r.Owner == user
}
