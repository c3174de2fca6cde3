package queue

// Subscribe returns a channel of one slot that is nudged after each commit
// that added or changed entries, and a function that ends the subscription.
// A nudge says no more than "look again"; several may melt into one. Leases
// do not nudge.
func (s *Store) Subscribe() (ch <-chan struct{}, stop func()) {
	nudges := make(chan struct{}, 1)
	s.listening.Lock()
	defer s.listening.Unlock()
	s.listeners[nudges] = struct{}{}
	return nudges, func() {
		s.listening.Lock()
		defer s.listening.Unlock()
		delete(s.listeners, nudges)
	}
}

// nudge tells every subscriber; one that has not looked since the last nudge
// will see this change too.
func (s *Store) nudge() {
	s.listening.Lock()
	defer s.listening.Unlock()
	for nudges := range s.listeners {
		select {
		case nudges <- struct{}{}:
		default:
		}
	}
}
