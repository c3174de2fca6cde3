//go:build unix

package library_test

import (
	"context"
	"database/sql"
	"maps"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"syscall"
	"testing"
	"time"

	"github.com/filmspool/filmspool/kodi"
	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/kodi/snapshot"
	"github.com/filmspool/filmspool/queue/viewing"
)

// keeper is a sink that keeps state alone.
type keeper struct {
	state map[string][]byte
	kept  chan struct{}
}

func (k *keeper) State(context.Context, string) (map[string][]byte, error) { return k.state, nil }

func (k *keeper) Commit(_ context.Context, b viewing.Batch) ([]viewing.Outcome, error) {
	maps.Copy(k.state, b.State)
	select {
	case k.kept <- struct{}{}:
	default:
	}
	return make([]viewing.Outcome, len(b.Events)), nil
}

// BenchmarkCompare reads that library again and compares it with what is known
// of it, after one film was played. It counts the processor's time, which other
// programs of the machine change less than the clock's, and as a yardstick that
// of fetching the rows of the files alone.
func BenchmarkCompare(b *testing.B) {
	path := large(b)
	importer := known(b, filepath.Dir(filepath.Dir(path)))
	db, err := sql.Open("sqlite", path)
	ok(b, err)
	defer db.Close()
	_, err = db.Exec(`update files set playCount = 1, lastPlayed = ? where idFile = 2`, time.Now().Format(time.DateTime))
	ok(b, err)
	b.ReportAllocs()
	var spent, plain, held time.Duration
	for b.Loop() {
		before := processor(b)
		report, err := importer.Scan(b.Context())
		if err != nil || len(report.New)+len(report.Held) != 1 {
			b.Fatal(report, err)
		}
		spent += processor(b) - before
	}
	nothing := snapshot.Part{Pick: func(snapshot.Snapshot) func(snapshot.File) bool { return func(snapshot.File) bool { return false } }}
	for range b.N {
		before := processor(b)
		fetchFiles(b, db)
		plain += processor(b) - before
		s, err := library.Read(b.Context(), path, nothing)
		ok(b, err)
		held = max(held, s.Held)
	}
	b.ReportMetric(float64(spent.Milliseconds())/float64(b.N), "cpu-ms/op")
	b.ReportMetric(float64(plain.Milliseconds())/float64(b.N), "plain-cpu-ms/op")
	b.ReportMetric(float64(held.Milliseconds()), "longest-lock-ms")
	b.ReportMetric(peak(b, func() {
		_, err := importer.Scan(b.Context())
		ok(b, err)
	}), "peak-MB")
}

// peak is how much more memory is in use at some moment of act, in MB.
func peak(b *testing.B, act func()) float64 {
	b.Helper()
	var m runtime.MemStats
	debug.FreeOSMemory()
	runtime.ReadMemStats(&m)
	before, most := m.HeapAlloc, m.HeapAlloc
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for look := time.NewTicker(2 * time.Millisecond); ; {
			select {
			case <-stop:
				look.Stop()
				return
			case <-look.C:
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapAlloc)
			}
		}
	}()
	act()
	close(stop)
	<-stopped
	return float64(most-before) / (1 << 20)
}

// known is an importer that has read a library before.
func known(b *testing.B, userdata string) *kodi.Importer {
	b.Helper()
	sink := &keeper{state: map[string][]byte{}, kept: make(chan struct{}, 1)}
	importer, err := kodi.New(kodi.Options{Library: kodi.Folder(userdata, false, house{}, nil), Sink: sink, Account: house{}})
	ok(b, err)
	ctx, stop := context.WithCancel(b.Context())
	ended := make(chan error)
	go func() { ended <- importer.Run(ctx) }()
	<-sink.kept
	stop()
	ok(b, <-ended)
	return importer
}

// processor is the time that this program has used the processor for.
func processor(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	ok(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// fetchFiles fetches the rows of all files.
func fetchFiles(b *testing.B, db *sql.DB) {
	b.Helper()
	rows, err := db.Query(`select idFile, idPath, strFilename, ifnull(playCount, 0), ifnull(lastPlayed, '') from files`)
	ok(b, err)
	defer rows.Close()
	for rows.Next() {
		var id, folder, plays int64
		var name, last string
		ok(b, rows.Scan(&id, &folder, &name, &plays, &last))
	}
	ok(b, rows.Err())
}
