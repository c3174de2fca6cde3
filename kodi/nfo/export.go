package nfo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"github.com/filmspool/filmspool/kodi/plainfile"
	"github.com/filmspool/filmspool/queue/viewing"
)

// exportName is the name of Kodi's export to a single file, which lies in a
// folder kodi_videodb_DATE.
const exportName = "videodb.xml"

// Bounds of an export. With the actors of 30,000 episodes it has about 200 MB.
const (
	maxExport = 4 << 30
	maxItems  = 200_000  // that can be told again: with the path of their file
	maxTexts  = 32 << 20 // bytes of their texts
)

// errCrowded is an export of more than a library can hold.
var errCrowded = fmt.Errorf("%w: it has more items, or longer texts, than a library can hold", ErrTooMany)

// few fails when an export has too many items. They are counted before the
// first is kept, so that a flood of them costs no memory.
func few(src io.Reader) error {
	const mark = "<filenameandpath" // once in each item that is kept
	buf := make([]byte, 256<<10)
	var items, held int
	for {
		n, err := src.Read(buf[held:])
		piece := buf[:held+n]
		if items += bytes.Count(piece, []byte(mark)); items > maxItems {
			return errCrowded
		}
		held = copy(buf, piece[max(0, len(piece)-len(mark)+1):])
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// export is a videodb.xml that was read.
type export struct {
	candidate
	fresh bool
	items []item // films and episodes, in the file's order
}

// readExport reads the newest export when it has changed. It is read whole or
// not at all: one that is cut off is still being written.
func (r *Reader) readExport(ctx context.Context, c candidate) (newer bool, err error) {
	old := r.export
	if c.path == "" {
		r.export = nil
		return old != nil, nil
	}
	if old != nil && !old.fresh && old.path == c.path && old.size == c.size && old.changed.Equal(c.changed) {
		return false, nil
	}
	e := &export{candidate: c, fresh: c.changed.After(time.Now().Add(-settling))}
	if c.size > maxExport {
		return false, fmt.Errorf("%w: %s is larger than 4 GiB", ErrTooMany, c.path)
	}
	file, err := plainfile.Open(c.path)
	if err != nil {
		return false, classify(err)
	}
	defer file.Close()
	if err := few(&patient{ctx, io.LimitReader(file, maxExport)}); err != nil {
		return false, fmt.Errorf("%s: %w", c.path, err)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return false, classify(err)
	}
	if e.items, err = parseExport(&patient{ctx, io.LimitReader(file, maxExport)}); err != nil {
		return false, fmt.Errorf("%s: %w", c.path, err)
	}
	r.export = e
	return true, nil
}

// patient reads as long as its context lasts.
type patient struct {
	ctx context.Context
	io.Reader
}

func (p *patient) Read(b []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	return p.Reader.Read(b)
}

// parseExport reads films and episodes, the latter with the identifiers of
// the series around them. One <videodb> element must be all there is.
func parseExport(src io.Reader) ([]item, error) {
	var films, episodes []item
	from := 0 // where the episodes of the current series begin
	texts, crowded := 0, false
	var p parser
	p.src = &cleaner{src: src}
	p.emit = func(v *values) {
		i := v.item()
		if i.path == "" && i.media.Type != viewing.TV {
			return // nothing to know it by next time
		}
		texts += i.texts()
		switch i.media.Type {
		case viewing.Episode:
			episodes = append(episodes, i)
		case viewing.TV:
			for n := range episodes[from:] {
				episodes[from+n].join(i)
			}
			from = len(episodes)
		default:
			films = append(films, i)
		}
		if crowded = texts > maxTexts; crowded {
			p.breach("it is too much")
		}
	}
	p.run()
	switch {
	case crowded:
		return nil, errCrowded
	case p.err != nil:
		return nil, p.err
	case p.fault != "":
		return nil, fmt.Errorf("%w: %s", ErrIncomplete, p.fault)
	case p.root != "videodb":
		return nil, fmt.Errorf("%w: it is no export of a video library", ErrIncomplete)
	}
	return append(films, episodes...), nil
}

// cleaner makes the bytes of a stream valid, as clean does.
type cleaner struct {
	src  io.Reader
	raw  [32 << 10]byte
	tail int    // bytes of an unfinished character at the front of raw
	out  []byte // clean, not yet handed out
	err  error
	seen bool // the first bytes were looked at
}

func (c *cleaner) Read(b []byte) (int, error) {
	for len(c.out) == 0 {
		if c.err != nil {
			return 0, c.err
		}
		c.refill()
	}
	n := copy(b, c.out)
	c.out = c.out[n:]
	return n, nil
}

// refill cleans the next piece, up to the last whole character.
func (c *cleaner) refill() {
	n, err := c.src.Read(c.raw[c.tail:])
	c.err = err
	piece := c.raw[:c.tail+n]
	keep := 0
	if err == nil {
		keep = unfinished(piece)
	}
	whole := piece[:len(piece)-keep]
	if !c.seen && len(whole) > 0 {
		whole, c.seen = bytes.TrimPrefix(whole, []byte("\xef\xbb\xbf")), true
	}
	c.out = bytes.Clone(clean(whole))
	c.tail = copy(c.raw[:], piece[len(piece)-keep:])
}

// unfinished is how many bytes at the end begin a character that goes on.
func unfinished(piece []byte) int {
	for n := 1; n <= min(3, len(piece)); n++ {
		last := piece[len(piece)-n:]
		if utf8.RuneStart(last[0]) {
			if last[0] >= 0xc0 && !utf8.FullRune(last) {
				return n
			}
			return 0
		}
	}
	return 0
}
