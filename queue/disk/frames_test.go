package disk

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// A log is read up to its last commit, and never beyond a page that is not as
// it was written.
func FuzzReadLog(f *testing.F) {
	s := unopened(f)
	for i := range 3 {
		s.enqueue(mark(strings.Repeat(fmt.Sprint("mark ", i), 700))) // longer than a page
		s.batch(<-s.jobs)
	}
	defer s.end(f)
	log, err := os.ReadFile(s.path + "-wal")
	if err != nil {
		f.Fatal(err)
	}
	whole := readLog(log)
	if whole.empty() {
		f.Fatal("nothing in a log")
	}
	f.Add(log, uint(0), byte(0))
	f.Add(log[:len(log)/2], uint(70), byte(1))
	f.Add(log, uint(len(log)-1), byte(9))
	f.Fuzz(func(t *testing.T, content []byte, at uint, change byte) {
		if len(content) > 0 {
			content[at%uint(len(content))] ^= change
		}
		found := readLog(content)
		if found.size > 1<<16 {
			return // an image would be large
		}
		found.over(nil)
		for number, page := range found.pages {
			if number == 0 || number > found.size || len(page) != pageSize {
				t.Errorf("page %d of %d with %d bytes", number, found.size, len(page))
			}
		}
		for _, page := range found.live() {
			rowsOf(page, func(number uint32) []byte { return found.pages[number] })
		}
	})
}

// Rows are read from single pages as SQLite reads them from tables.
func FuzzRowsOf(f *testing.F) {
	f.Add([]byte{13, 0, 0, 0, 1, 0, 100})
	f.Fuzz(func(_ *testing.T, content []byte) {
		page := make([]byte, pageSize)
		copy(page, content)
		rowsOf(page, func(uint32) []byte { return page })
	})
}
