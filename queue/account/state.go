package account

// State is how an account stands, in one word. An instance stands in the same
// words. A source is ok, waiting or attention.
type State string

// The states.
const (
	OK        State = "ok"        // entries are sent as they come
	Offline   State = "offline"   // the service cannot be reached, or asks to wait; it is tried again by itself
	Paused    State = "paused"    // the user has paused it
	Attention State = "attention" // the user must act: a refused key, a wrong address, a full disk
	NoKey     State = "no_key"    // there is no key yet; people are told Attention
)
