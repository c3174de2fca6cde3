// Package queue is the outbox: every viewing that a source reported, on disk
// until the service has it or the user drops it.
//
// It owns the SQLite database of the state folder, its schema, the lock of
// that folder, and the life of an entry: pending, sending, then delivered,
// in doubt, rejected, held, dropped or merged.
//
// It promises that what [Store.Commit] has answered survives a crash and a
// power cut; that an event is one event however often it is told; that an
// entry is marked on disk before a byte of it may leave; that entries about
// one item are handed out in the order they happened; and that the counters
// agree with the rows, for both change in one transaction.
//
// It refuses to send, to decide what an answer means, and to look into what
// sources keep here as their own memory.
//
// All writing is done by one goroutine, [Store.Run], which gathers what waits
// into one transaction and answers after the disk has it. Readers have
// connections of their own and see only whole transactions.
package queue
