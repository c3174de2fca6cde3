package transfer

import (
	"hash/fnv"
	"io"
	"time"
)

// A file of sittings does not tell how long an item is. Its longest sitting stands for that.
const (
	shortest  = 120 // seconds; what is played less is no viewing
	leastPart = 10  // percent of an item that a sitting must play
	mostPart  = 80  // percent that it must reach
	resumedIn = 48 * time.Hour
)

// sittings tells which sittings of a file are viewings. Of an item that somebody saw in
// several, it is the one that reached its end.
type sittings struct {
	longest map[uint64]int       // by item, in seconds
	counted map[uint64]time.Time // by person and item, the last one
}

func newSittings() *sittings {
	return &sittings{map[uint64]int{}, map[uint64]time.Time{}}
}

// see learns the length of an item from how far a sitting came.
func (s *sittings) see(item string, reached int) {
	if key := hashed(item); reached > s.longest[key] {
		s.longest[key] = reached
	}
}

// isViewing reports whether a sitting is a viewing. Played and reached are in seconds; where
// the place that it reached is not known, it is 0.
func (s *sittings) isViewing(person, item string, ended time.Time, played, reached int) bool {
	length, came := s.longest[hashed(item)], reached
	if reached == 0 {
		came = played
	}
	if played < shortest || played*100 < length*leastPart || came*100 < length*mostPart {
		return false
	}
	key := hashed(person, item)
	last, again := s.counted[key]
	whole := reached > 0 && played*100 >= reached*mostPart
	if again && !whole && last.Sub(ended).Abs() < resumedIn {
		return false
	}
	s.counted[key] = ended
	return true
}

// hashed is a short name for some texts, to remember many of them.
func hashed(texts ...string) uint64 {
	h := fnv.New64a()
	for _, text := range texts {
		_, _ = io.WriteString(h, text)
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64()
}
