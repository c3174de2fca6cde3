// Package tracker holds the words of a tracking API: what is asked of a service,
// and what its answers mean here.
//
// It owns the [Request] for one entry and the [Verdict] on it, with its [Fate].
// It owns what is read back: [Reading], [ItemStatus], [RemoteList], [Match] and
// [User]. [HistoryItem.Of] says whether a record is of an item.
//
// It promises that equal entries make equal requests, byte for byte. An item
// that the service cannot name is no request ([ErrUnidentified]).
//
// It refuses to send, to wait and to keep anything. Package v1 sends. Who needs
// a client declares a small interface in these words, as queue/replay does.
//
// # What is sent
//
// A viewing carries its type (movie or episode), count 1, and watchedAt in UTC.
// An episode goes as tvShowId, seasonNumber and episodeNumber. Its own id goes
// only when those are not known, and never beside them. What is not known is
// left out; null is never sent.
package tracker
