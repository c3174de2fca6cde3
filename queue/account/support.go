package account

import (
	"maps"
	"time"
)

// SupportLasts is how long it is believed that an endpoint is not there.
const SupportLasts = 24 * time.Hour

// Support is what is known of the service's optional endpoints, by their names:
// "me", "history", "status", "lists", "list_items", "resolve", "resolve_batch".
type Support map[string]Endpoint

// Endpoint is whether the service has an optional endpoint.
type Endpoint struct {
	Has bool      `json:"has"`
	At  time.Time `json:"at"` // when it was asked
}

// May reports whether an endpoint is worth asking: it is not known to be
// missing, or that was long ago.
func (s Support) May(name string, now time.Time) bool {
	e, known := s[name]
	return !known || e.Has || now.Sub(e.At).Abs() >= SupportLasts
}

// With is the table after the service has shown whether it has the endpoint.
func (s Support) With(name string, has bool, now time.Time) Support {
	all := Support{}
	maps.Copy(all, s)
	all[name] = Endpoint{Has: has, At: now}
	return all
}
