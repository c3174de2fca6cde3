package nfo

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"time"
	"unicode/utf8"

	"github.com/filmspool/filmspool/queue/viewing"
)

// exportName is the name of Kodi's export to a single file, which lies in a
// folder kodi_videodb_DATE.
const exportName = "videodb.xml"

// Bounds of an export. With the actors of 30,000 episodes it has about 200 MB.
const (
	maxExport = 4 << 30
	maxItems  = 1_000_000
)

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
	file, err := os.Open(c.path)
	if err != nil {
		return false, classify(err)
	}
	defer file.Close()
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
	p := parser{scanner: newScanner(nil)}
	p.src = &cleaner{src: src}
	p.emit = func(v *values) {
		i := v.item()
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
		if len(films)+len(episodes) > maxItems {
			p.breach("it has more items than a library can hold")
		}
	}
	p.run()
	switch {
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
