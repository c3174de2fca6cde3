// Package tracker holds the words of a tracking API: what is asked of a service,
// and what its answers mean here.
//
// It owns the [Request] for one entry and the [Verdict] on it, with its [Fate].
// It owns what is read back: [Reading], [ItemStatus], [RemoteList], [Match] and
// [User]. [HistoryItem.Of] says whether a record is of an item.
//
// It promises that a [Request] can be sent: its entry keeps the field rules, and
// the service has a name for its item ([ErrUnidentified]).
//
// It refuses to send, to wait and to keep anything. Package v1 sends. Whoever
// needs a client declares a small interface in these words, as queue/replay
// does.
package tracker
