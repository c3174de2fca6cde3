package disk

import (
	"encoding/binary"
	"maps"
	"slices"
)

// logged is what a write-ahead log holds: whole pages of the database, as of
// its last commit.
type logged struct {
	pages map[uint32][]byte // the newest content of each page, by its number from 1
	size  uint32            // of the database, in pages
	older []oldPage         // what earlier rounds of the log have left, the newest first
}

// oldPage is a page as it once was. The database has had it since, and may
// have changed it.
type oldPage struct {
	number  uint32
	content []byte
}

// The sizes of a log's parts, and its first four bytes. The last bit of those
// tells the order of bytes that the checksums are made in.
const (
	logHeader   = 32
	frameHeader = 24
	frameSize   = frameHeader + pageSize
	logMagic    = 0x377f0682
)

// readLog reads a log as SQLite would recover it: frames count as far as their
// salts and checksums fit, and up to the last commit. Without one there is
// nothing in it. The pages are parts of content.
func readLog(content []byte) logged {
	found := logged{pages: map[uint32][]byte{}}
	if len(content) < logHeader {
		return found
	}
	order, ok := logOrder(content)
	if !ok || binary.BigEndian.Uint32(content[8:]) != pageSize {
		return found
	}
	sum := checksum{order: order}
	if sum.add(content[:24]); !sum.is(content[24:]) {
		return found
	}
	salts := string(content[16:24])
	open := map[uint32][]byte{} // of a transaction whose commit was not read yet
	rest := content[logHeader:]
	for ; len(rest) >= frameSize; rest = rest[frameSize:] {
		frame, page := rest[:frameHeader], rest[frameHeader:frameSize]
		sum.add(frame[:8])
		sum.add(page)
		number, size := binary.BigEndian.Uint32(frame), binary.BigEndian.Uint32(frame[4:])
		if string(frame[8:16]) != salts || !sum.is(frame[16:]) || number == 0 {
			break
		}
		open[number] = page
		if size == 0 {
			continue
		}
		maps.Copy(found.pages, open)
		clear(open)
		found.size = size
	}
	maps.DeleteFunc(found.pages, func(number uint32, _ []byte) bool { return number > found.size })
	found.older = olderPages(rest, order)
	return found
}

// olderPages reads what earlier rounds have left behind the newest one. The
// sum of a frame goes on from the frame before, so the first one of each round
// cannot be checked and is left out.
func olderPages(rest []byte, order binary.ByteOrder) (all []oldPage) {
	var round []oldPage
	seen := map[uint32]bool{}
	sum := checksum{order: order}
	salts := ""
	for ; ; rest = rest[min(frameSize, len(rest)):] {
		whole := len(rest) >= frameSize
		good := whole && salts == string(rest[8:16])
		if good {
			sum.add(rest[:8])
			sum.add(rest[frameHeader:frameSize])
			good = sum.is(rest[16:])
		}
		if good {
			round = append(round, oldPage{binary.BigEndian.Uint32(rest), rest[frameHeader:frameSize]})
		} else {
			for _, page := range slices.Backward(round) {
				if !seen[page.number] {
					all = append(all, page)
				}
				seen[page.number] = true
			}
			round = nil
		}
		if !whole {
			return all
		}
		salts = string(rest[8:16])
		sum.a, sum.b = binary.BigEndian.Uint32(rest[16:]), binary.BigEndian.Uint32(rest[20:])
	}
}

// logOrder is the order of bytes of a log's checksums.
func logOrder(content []byte) (binary.ByteOrder, bool) {
	switch binary.BigEndian.Uint32(content) {
	case logMagic:
		return binary.LittleEndian, true
	case logMagic + 1:
		return binary.BigEndian, true
	default:
		return nil, false
	}
}

// checksum is SQLite's sum of a log, which goes on from frame to frame.
type checksum struct {
	order binary.ByteOrder
	a, b  uint32
}

// add takes bytes into the sum, eight at a time.
func (c *checksum) add(content []byte) {
	for ; len(content) >= 8; content = content[8:] {
		c.a += c.order.Uint32(content) + c.b
		c.b += c.order.Uint32(content[4:]) + c.a
	}
}

// is reports whether the sum is the one that was written.
func (c *checksum) is(written []byte) bool {
	return binary.BigEndian.Uint32(written) == c.a && binary.BigEndian.Uint32(written[4:]) == c.b
}

// empty reports whether nothing was committed into the log.
func (l logged) empty() bool { return l.size == 0 }

// over is the database that base becomes by the log. Pages that neither has
// are zero. Base is not changed.
func (l logged) over(base []byte) []byte {
	image := make([]byte, int(l.size)*pageSize)
	copy(image, base)
	for number, page := range l.pages {
		copy(image[(int(number)-1)*pageSize:], page)
	}
	return image
}

// live are the log's pages in their order, without those that the database had
// given back: what stands there is of an earlier time.
func (l logged) live() [][]byte {
	free := l.free()
	var pages [][]byte
	for _, number := range slices.Sorted(maps.Keys(l.pages)) {
		if !free[number] {
			pages = append(pages, l.pages[number])
		}
	}
	return pages
}

// free are the pages that were given back since the log began. Whoever gives
// one back writes down the first page and the list of free ones, so that both
// are in the log.
func (l logged) free() map[uint32]bool {
	free := map[uint32]bool{}
	next := uint32(0)
	if first := l.pages[1]; first != nil {
		next = binary.BigEndian.Uint32(first[32:])
	}
	for trunk := l.pages[next]; trunk != nil && !free[next]; trunk = l.pages[next] {
		free[next] = true
		count := min(binary.BigEndian.Uint32(trunk[4:]), pageSize/4-2)
		for i := range count {
			free[binary.BigEndian.Uint32(trunk[8+4*i:])] = true
		}
		next = binary.BigEndian.Uint32(trunk)
	}
	return free
}

// page finds a page by its number: the newest one.
func (l logged) page() func(number uint32) []byte {
	older := map[uint32][]byte{}
	for _, page := range l.older {
		if older[page.number] == nil {
			older[page.number] = page.content
		}
	}
	return func(number uint32) []byte {
		if page := l.pages[number]; page != nil {
			return page
		}
		return older[number]
	}
}
