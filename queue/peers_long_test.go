//go:build long && linux

package queue

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/mikestefanello/backlite"
	"go.etcd.io/bbolt"

	"github.com/filmspool/filmspool/queue/viewing"
)

// callers is how many add at once.
const callers = 64

// BenchmarkPeers adds durable events of about 330 bytes from 64 callers: to the
// queue, to backlite (a task queue on SQLite) and to bbolt with its Batch. Each
// answers once the disk has the event.
func BenchmarkPeers(b *testing.B) {
	for _, peer := range []struct {
		name string
		open func(b *testing.B, dir string) func(n int) error
	}{{"filmspool", openQueue}, {"backlite", openBacklite}, {"bbolt", openBolt}} {
		b.Run(peer.name, func(b *testing.B) {
			add := peer.open(b, b.TempDir())
			work := make(chan int)
			failed := make(chan error, callers)
			b.ResetTimer()
			for range callers {
				go func() {
					var err error
					for n := range work {
						err = errors.Join(err, add(n))
					}
					failed <- err
				}()
			}
			for n := range b.N {
				work <- n + 1
			}
			close(work)
			for range callers {
				if err := <-failed; err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// browserEvent is a viewing as a browser reports it.
func browserEvent(n int) viewing.Event {
	return viewing.Event{
		Kind: viewing.KindViewing, EventID: fmt.Sprintf("3b241101-e2bb-4255-8caf-%012d", n), Count: 1,
		Media:     []viewing.Media{{Type: viewing.Movie, IDs: viewing.IDs{TMDB: int64(n)}, Title: "The Film of the Evening", Year: 1999}},
		WatchedAt: viewing.At(time.Now().Add(-time.Minute)),
	}
}

func body(n int) string {
	text, err := json.Marshal(browserEvent(n))
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf("%-300s", text)
}

func openQueue(b *testing.B, dir string) func(int) error {
	ctx, cancel := context.WithCancel(b.Context())
	s, err := Open(ctx, Options{Path: filepath.Join(dir, "filmspool.db")})
	if err != nil {
		b.Fatal(err)
	}
	ran := make(chan error, 1)
	go func() { ran <- s.Run(ctx) }()
	b.Cleanup(func() { cancel(); _ = s.Close(); <-ran })
	return func(n int) error {
		_, err := s.Commit(ctx, viewing.Batch{Source: "browser:b1", Events: []viewing.Event{browserEvent(n)}})
		return err
	}
}

type task struct{ Body string }

// Config implements [backlite.Task].
func (task) Config() backlite.QueueConfig {
	return backlite.QueueConfig{Name: "viewings", MaxAttempts: 3}
}

func openBacklite(b *testing.B, dir string) func(int) error {
	db, err := sql.Open("sqlite", "file:"+dir+"/backlite.db?_pragma=busy_timeout(10000)&_pragma=journal_mode(wal)&_pragma=synchronous(full)&_txlock=immediate")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1) // more only wait for each other
	client, err := backlite.NewClient(backlite.ClientConfig{DB: db, NumWorkers: 1, ReleaseAfter: time.Hour})
	if err == nil {
		err = client.Install()
	}
	if err != nil {
		b.Fatal(err)
	}
	client.Register(backlite.NewQueue(func(context.Context, task) error { return nil }))
	return func(n int) error {
		_, err := client.Add(task{Body: body(n)}).Save()
		return err
	}
}

func openBolt(b *testing.B, dir string) func(int) error {
	db, err := bbolt.Open(filepath.Join(dir, "bolt.db"), 0o600, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	bucket := []byte("viewings")
	if err := db.Update(func(tx *bbolt.Tx) error { _, err := tx.CreateBucket(bucket); return err }); err != nil {
		b.Fatal(err)
	}
	return func(n int) error {
		return db.Batch(func(tx *bbolt.Tx) error {
			return tx.Bucket(bucket).Put(fmt.Appendf(nil, "3b241101-e2bb-4255-8caf-%012d", n), []byte(body(n)))
		})
	}
}
