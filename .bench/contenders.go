//go:build linux

package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/mikestefanello/backlite"
	"go.etcd.io/bbolt"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/viewing"
)

// openFloor is what the disk can do: 4 KiB of a file that has its full size
// are overwritten and flushed. Of many callers each waits for the others.
func openFloor(_ context.Context, dir string) (contender, error) {
	file, err := os.Create(filepath.Join(dir, "floor"))
	if err != nil {
		return contender{}, err
	}
	if _, err := file.Write(make([]byte, 256*4096)); err != nil {
		return contender{}, err
	}
	if err := file.Sync(); err != nil {
		return contender{}, err
	}
	page := make([]byte, 4096)
	var mu sync.Mutex
	return contender{name: "overwrite, fdatasync", close: file.Close, alone: func(n int) error {
		mu.Lock()
		defer mu.Unlock()
		if _, err := file.WriteAt(page, int64(n%256)*4096); err != nil {
			return err
		}
		return syscall.Fdatasync(int(file.Fd()))
	}}, nil
}

// seen is a viewing as a browser reports it.
func seen(n int) viewing.Event {
	return viewing.Event{
		Kind: viewing.KindViewing, EventID: fmt.Sprintf("3b241101-e2bb-4255-8caf-%012d", n), Count: 1,
		Media:     []viewing.Media{{Type: viewing.Movie, IDs: viewing.IDs{TMDB: int64(n)}, Title: "The Film of the Evening", Year: 1999}},
		WatchedAt: viewing.At(time.Now().Add(-time.Minute)),
	}
}

func openOurs(ctx context.Context, dir string) (contender, error) {
	s, err := queue.Open(ctx, queue.Options{Path: filepath.Join(dir, "filmspool.db")})
	if err != nil {
		return contender{}, err
	}
	ran := make(chan error, 1)
	go func() { ran <- s.Run(ctx) }()
	return contender{name: "filmspool", close: func() error { return errors.Join(s.Close(), <-ran) }, alone: func(n int) error {
		_, err := s.Commit(ctx, viewing.Batch{Source: "browser:b1", Events: []viewing.Event{seen(n)}})
		return err
	}}, nil
}

// task is an event as backlite takes it.
type task struct {
	Key  string
	Body string
}

// Config implements [backlite.Task].
func (task) Config() backlite.QueueConfig {
	return backlite.QueueConfig{Name: "viewings", MaxAttempts: 3}
}

// body is an event of about the size of ours.
func body(n int) string {
	text, err := json.Marshal(seen(n))
	if err != nil {
		return ""
	}
	return string(text) + strings.Repeat(" ", max(0, 300-len(text)))
}

func openBacklite(_ context.Context, dir string) (contender, error) {
	db, err := sql.Open("sqlite", "file:"+dir+"/backlite.db?_pragma=busy_timeout(10000)&_pragma=journal_mode(wal)&_pragma=synchronous(full)&_txlock=immediate")
	if err != nil {
		return contender{}, err
	}
	db.SetMaxOpenConns(1) // more only wait for each other
	client, err := backlite.NewClient(backlite.ClientConfig{DB: db, NumWorkers: 1, ReleaseAfter: time.Hour})
	if err == nil {
		err = client.Install()
	}
	if err != nil {
		return contender{}, err
	}
	client.Register(backlite.NewQueue(func(context.Context, task) error { return nil }))
	return contender{name: "backlite 0.6.0", close: db.Close, alone: func(n int) error {
		_, err := client.Add(task{Key: fmt.Sprint(n), Body: body(n)}).Save()
		return err
	}}, nil
}

func openBolt(_ context.Context, dir string) (contender, error) {
	db, err := bbolt.Open(filepath.Join(dir, "bolt.db"), 0o600, nil)
	if err != nil {
		return contender{}, err
	}
	bucket := []byte("viewings")
	err = db.Update(func(tx *bbolt.Tx) error {
		_, err := tx.CreateBucketIfNotExists(bucket)
		return err
	})
	put := func(n int) func(*bbolt.Tx) error {
		return func(tx *bbolt.Tx) error {
			return tx.Bucket(bucket).Put(fmt.Appendf(nil, "3b241101-e2bb-4255-8caf-%012d", n), []byte(body(n)))
		}
	}
	return contender{
		name: "bbolt 1.5.0, Batch", close: db.Close,
		alone: func(n int) error { return db.Update(put(n)) },
		many:  func(n int) error { return db.Batch(put(n)) },
	}, err
}
