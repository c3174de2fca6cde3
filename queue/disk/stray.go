package disk

import (
	"encoding/binary"
	"math"
	"slices"
)

// The kinds of pages that hold rows. Tables without numbers keep some of their
// rows in the pages above the last ones, too.
const (
	numberedRows = 13
	keyedRows    = 10
	keyedAbove   = 2
)

// row is one row as a page holds it.
type row struct {
	number int64 // tables with numbers only
	values []any // in the order of the table's record
}

// rowsOf reads the rows of one page, without knowing of which table they are.
// Rows that go on in other pages are completed with other. What makes no sense
// is passed over.
func rowsOf(page []byte, other func(number uint32) []byte) (kind byte, rows []row) {
	kind = page[0]
	header := 8
	switch kind {
	case numberedRows, keyedRows:
	case keyedAbove:
		header = 12
	default:
		return 0, nil
	}
	cells := int(binary.BigEndian.Uint16(page[3:]))
	for cell := range min(cells, (pageSize-header)/2) {
		at := int(binary.BigEndian.Uint16(page[header+2*cell:]))
		if at < header || at >= pageSize {
			continue
		}
		if r, ok := readCell(kind, page[at:], other); ok {
			rows = append(rows, r)
		}
	}
	return kind, rows
}

// readCell reads one cell of a page.
func readCell(kind byte, cell []byte, other func(uint32) []byte) (r row, ok bool) {
	if kind == keyedAbove {
		cell = cell[min(4, len(cell)):] // the page below
	}
	size, n := varint(cell)
	if cell = cell[n:]; n == 0 || size > 16<<20 {
		return r, false
	}
	if kind == numberedRows {
		number, n := varint(cell)
		if r.number, cell = int64(number), cell[n:]; n == 0 {
			return r, false
		}
	}
	payload, ok := gather(kind, cell, int(size), other)
	if !ok {
		return r, false
	}
	r.values, ok = columnsOf(payload)
	return r, ok
}

// gather puts a cell's content together, of which a part may lie in a chain of
// other pages.
func gather(kind byte, cell []byte, size int, other func(uint32) []byte) ([]byte, bool) {
	most, least := pageSize-35, (pageSize-12)*32/255-23
	if kind != numberedRows {
		most = (pageSize-12)*64/255 - 23
	}
	if size <= most {
		return cell[:min(size, len(cell))], size <= len(cell)
	}
	here := least + (size-least)%(pageSize-4)
	if here > most {
		here = least
	}
	if here+4 > len(cell) {
		return nil, false
	}
	content := append(make([]byte, 0, size), cell[:here]...)
	for next := binary.BigEndian.Uint32(cell[here:]); len(content) < size; {
		page := other(next)
		if page == nil {
			return nil, false
		}
		content = append(content, page[4:min(pageSize, 4+size-len(content))]...)
		next = binary.BigEndian.Uint32(page)
	}
	return content, true
}

// columnsOf are the columns of a record.
func columnsOf(payload []byte) (values []any, ok bool) {
	size, n := varint(payload)
	if n == 0 || size > uint64(len(payload)) || size < uint64(n) {
		return nil, false
	}
	types, content := payload[n:size], payload[size:]
	for len(types) > 0 {
		kind, n := varint(types)
		if n == 0 || kind > math.MaxInt32 {
			return nil, false
		}
		types = types[n:]
		width := widthOf(kind)
		if width > len(content) {
			return nil, false
		}
		values = append(values, readColumn(kind, content[:width]))
		content = content[width:]
	}
	return values, true
}

// widthOf is how many bytes a column of a type has.
func widthOf(kind uint64) int {
	switch {
	case kind >= 12:
		return int(kind-12) / 2
	case kind == 5:
		return 6
	case kind == 6 || kind == 7:
		return 8
	case kind <= 4:
		return int(kind)
	default:
		return 0
	}
}

// readColumn reads one column.
func readColumn(kind uint64, content []byte) any {
	switch {
	case kind >= 12 && kind%2 == 0:
		return slices.Clone(content)
	case kind >= 12:
		return string(content)
	case kind == 7:
		return math.Float64frombits(binary.BigEndian.Uint64(content))
	case kind == 0 || kind > 9:
		return nil
	case kind >= 8:
		return int64(kind - 8)
	}
	number := int64(0)
	if content[0] >= 0x80 {
		number = -1
	}
	for _, b := range content {
		number = number<<8 | int64(b)
	}
	return number
}

// varint reads a number of one to nine bytes; n is 0 when it is cut off.
func varint(content []byte) (value uint64, n int) {
	for n = range min(9, len(content)) {
		b := content[n]
		if n == 8 {
			return value<<8 | uint64(b), 9
		}
		value = value<<7 | uint64(b&0x7f)
		if b < 0x80 {
			return value, n + 1
		}
	}
	return 0, 0
}

// copyStray keeps the rows of pages that no table may lead to any more. It
// follows copyTables: what was read in order is kept as it was read.
func (r *rescue) copyStray(l logged) error {
	tables, err := r.tables()
	if err != nil {
		return err
	}
	other := l.page()
	for _, page := range l.live() {
		if err := r.keepRows(page, other, tables, InLog); err != nil {
			return err
		}
	}
	if !r.gone {
		return nil // the database has had what is older
	}
	tables = slices.DeleteFunc(tables, func(t rescued) bool { return !t.Lasts })
	for _, page := range l.older {
		if err := r.keepRows(page.content, other, tables, InRound); err != nil {
			return err
		}
	}
	return nil
}

// keepRows keeps the rows of one page.
func (r *rescue) keepRows(page []byte, other func(number uint32) []byte, tables []rescued, from Origin) error {
	kind, rows := rowsOf(page, other)
	for _, row := range rows {
		for _, t := range tables {
			values := t.fits(kind, row)
			if values == nil {
				continue
			}
			if _, err := r.insert(t, values, from); err != nil {
				return err
			}
		}
	}
	return nil
}

// fits makes a row what the table keeps, or nil when it is none of it. Columns
// tell: no two tables and no index have the same number and kinds of them.
func (t rescued) fits(kind byte, r row) []any {
	if t.Shape == "" || t.rowid != (kind == numberedRows) || len(r.values) != len(t.columns) {
		return nil
	}
	for i, want := range t.Shape {
		if !fitsColumn(want, r.values[i]) {
			return nil
		}
	}
	values := slices.Clone(r.values)
	if t.rowid {
		values[0] = r.number
	}
	return values
}

func fitsColumn(want rune, value any) bool {
	ok := true
	switch want {
	case 'n':
		ok = value == nil
	case 't':
		_, ok = value.(string)
	case 'i':
		_, ok = value.(int64)
	case 'b':
		_, ok = value.([]byte)
	}
	return ok
}
