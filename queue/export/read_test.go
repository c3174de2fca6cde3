package export

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/filmspool/filmspool/queue/viewing"
)

// name is a line of an event of which only the name is left.
func name(id string) string {
	return `{"v":1,"source":"kodi","eventId":"` + id + `","content":"` + strings.Repeat("0", 64) + `"}` + "\n"
}

func TestReadGivesTheLinesBeforeAFault(t *testing.T) {
	broken := errors.New("broken")
	for what, tt := range map[string]struct {
		file io.Reader
		want error
		line int64
	}{
		"a line too long":  {strings.NewReader(name("e1") + strings.Repeat("x", maxLine+1)), viewing.ErrInvalid, 2},
		"words":            {strings.NewReader(name("e1") + "hello\n"), viewing.ErrInvalid, 2},
		"a broken reader":  {io.MultiReader(strings.NewReader(name("e1")), iotest.ErrReader(broken)), broken, 2},
		"the end, in time": {strings.NewReader(name("e1")), nil, 1},
	} {
		r := NewReader(tt.file)
		page, err := r.Read()
		if len(page) != 1 || page[0].EventID != "e1" || !errors.Is(err, tt.want) || r.Number != tt.line {
			t.Errorf("%s: %d lines, the last number %d, %v", what, len(page), r.Number, err)
		}
	}
}

// FuzzReadLine: whatever a file holds, a line is read whole or refused.
func FuzzReadLine(f *testing.F) {
	f.Add([]byte(`{"v":1,"source":"cli","eventId":"e1","event":{"kind":"list","eventId":"e1","list":{"name":"Noir"}},"entries":[{"account":"default","part":0,"kind":"list","state":"pending","list":{"name":"Noir"},"createdAt":"2026-03-01T12:00:00Z"}]}`))
	f.Add([]byte(`{"v":1,"source":"kodi","eventId":"e1","content":"` + strings.Repeat("0", 64) + `"}`))
	f.Add([]byte(`{"v":1,"source":"","event":null}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		a, err := readLine(line)
		if err != nil {
			if !errors.Is(err, viewing.ErrInvalid) {
				t.Errorf("refused with %v", err)
			}
			return
		}
		again, err := json.Marshal(a.Record)
		if err != nil {
			t.Fatalf("taken, but not written again: %v", err)
		}
		if _, err := readLine(again); err != nil {
			t.Errorf("%s was taken, but %s is refused: %v", line, again, err)
		}
	})
}
