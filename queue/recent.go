package queue

import (
	"slices"
	"sync"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Change is an entry that was added, or that came into another state.
type Change struct {
	Entry int64
	State viewing.State // which it came into
}

// maxRecent is how many changes are remembered.
const maxRecent = 1000

// recent are the newest changes, numbered from 1 at each opening.
type recent struct {
	mu   sync.Mutex
	all  []Change
	last int64
}

func (r *recent) add(more []Change) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last += int64(len(more))
	r.all = append(r.all, more[max(0, len(more)-maxRecent):]...)
	r.all = slices.Delete(r.all, 0, max(0, len(r.all)-maxRecent))
}

// ChangesSince are the changes of this opening that came after one number, the
// oldest first, and the number of the newest. Of more than a thousand the oldest
// are left out. [Store.Subscribe] tells when to ask again.
func (s *Store) ChangesSince(after int64) (changes []Change, last int64) {
	s.recent.mu.Lock()
	defer s.recent.mu.Unlock()
	n := min(max(0, s.recent.last-after), int64(len(s.recent.all)))
	return slices.Clone(s.recent.all[int64(len(s.recent.all))-n:]), s.recent.last
}
