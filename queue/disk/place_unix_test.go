//go:build unix

package disk

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// The log may be the first to notice that the file is gone. The open file has
// everything still, so it stays open until it could be written anew.
func TestALogOfAFileThatIsGoneKeepsItOpen(t *testing.T) {
	for name, notice := range map[string]func(*File){"grown": (*File).growLog, "looked at": (*File).look} {
		t.Run(name, func(t *testing.T) {
			clock := newClock()
			o := options(filepath.Join(t.TempDir(), "queue.db"))
			o.Now = clock.now
			file, err := Open(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			f := opened{file, o.Ledger.(*tally)}
			f.enqueue(mark("kept"))
			f.batch(<-f.jobs)
			f.reader.SetMaxIdleConns(-1) // nobody else has it open
			blocked := f.path + ".salvaging"
			if err := errors.Join(os.MkdirAll(filepath.Join(blocked, "in the way"), 0o700), os.Remove(f.path)); err != nil {
				t.Fatal(err)
			}
			notice(f.File)
			if err := os.RemoveAll(blocked); err != nil {
				t.Fatal(err)
			}
			clock.advance(rescueEvery)
			if f.look(); !f.rescued {
				t.Error("it was not written anew")
			}
			f.end(t)
			again := openAt(t, f.path)
			defer again.end(t)
			if there := again.marks(t); !there["kept"] {
				t.Errorf("kept %v", there)
			}
		})
	}
}
