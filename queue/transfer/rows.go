package transfer

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Line is one line of a table.
type Line struct {
	Number  int      // in the file, from 1
	Fields  []string // until the next line is read
	columns map[string]int
}

// Get is the first of the named columns that is not empty. Names are in lower case.
func (l Line) Get(names ...string) string {
	for _, name := range names {
		if i, found := l.columns[name]; found && i < len(l.Fields) && l.Fields[i] != "" {
			return l.Fields[i]
		}
	}
	return ""
}

// Columns are the names in the first line of a table, in lower case; nil where the part is
// no table.
func (p *Part) Columns() []string {
	head := strings.TrimLeft(p.Head(), " \r\n\t")
	if head == "" || head[0] == '{' || head[0] == '[' || head[0] == '<' {
		return nil
	}
	line, _, _ := strings.Cut(head, "\n")
	columns, err := p.table(strings.NewReader(line)).Read()
	if err != nil {
		return nil
	}
	return columnNames(columns)
}

// Has reports whether the part is a table with these columns, in any order.
func (p *Part) Has(columns ...string) bool {
	has := p.Columns()
	lacks := func(column string) bool { return !slices.Contains(has, column) }
	return len(has) > 0 && !slices.ContainsFunc(columns, lacks)
}

func columnNames(fields []string) []string {
	names := make([]string, len(fields))
	for i, field := range fields {
		names[i] = strings.ToLower(strings.TrimSpace(field))
	}
	return names
}

// table reads lines that are divided as the first one is.
func (p *Part) table(r io.Reader) *csv.Reader {
	line, _, _ := strings.Cut(p.Head(), "\n")
	quoted := false
	counts := map[rune]int{}
	for _, c := range line {
		if c == '"' {
			quoted = !quoted
		} else if !quoted {
			counts[c]++
		}
	}
	table := csv.NewReader(r)
	for _, c := range ";\t" {
		if counts[c] > counts[table.Comma] {
			table.Comma = c
		}
	}
	table.FieldsPerRecord, table.ReuseRecord = -1, true
	return table
}

// Lines reads a table after its first line, which names the columns. An error that names
// the line ends it.
func (p *Part) Lines() iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		text, err := p.text()
		if err != nil {
			yield(Line{}, err)
			return
		}
		defer text.Close()
		bound := &bounded{in: text, left: maxRecord}
		table := p.table(bound)
		line := Line{columns: map[string]int{}}
		for first := true; ; first = false {
			fields, err := table.Read()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				var wrong *csv.ParseError
				if errors.As(err, &wrong) {
					line.Number, err = wrong.Line-1, wrong.Err
				}
				yield(Line{}, atLine(line.Number+1, err))
				return
			}
			line.Fields, bound.left = fields, maxRecord
			line.Number, _ = table.FieldPos(0)
			if first {
				for i, name := range columnNames(fields) {
					line.columns[name] = i
				}
			} else if !yield(line, nil) {
				return
			}
		}
	}
}

// RawLines reads lines of fields between tabs, without names and without quotes.
func (p *Part) RawLines() iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		text, err := p.text()
		if err != nil {
			yield(Line{}, err)
			return
		}
		defer text.Close()
		lines := bufio.NewScanner(text)
		lines.Buffer(nil, maxRecord)
		n := 0
		for lines.Scan() {
			if n++; !yield(Line{Number: n, Fields: strings.Split(lines.Text(), "\t")}, nil) {
				return
			}
		}
		if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
			yield(Line{}, atLine(n+1, errLong()))
		} else if err != nil {
			yield(Line{}, atLine(n+1, err))
		}
	}
}

// Object is one object of a JSON text.
type Object struct {
	Number int // from 1
	JSON   json.RawMessage
}

// Into decodes the object. A field of another type than expected stays empty.
func (o Object) Into(v any) error {
	err := json.Unmarshal(o.JSON, v)
	var typed *json.UnmarshalTypeError
	if errors.As(err, &typed) {
		return nil
	}
	return err
}

// Objects reads the elements of the array at a path of JSON, such as "response.data". With the
// path "" these are the values of the text itself, such as the lines of JSON lines, or the
// elements of its array. Everything else is skipped. An error that names the object ends it.
func (p *Part) Objects(path string) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		text, err := p.text()
		if err != nil {
			yield(Object{}, err)
			return
		}
		defer text.Close()
		bound := &bounded{in: text, left: maxRecord}
		w := walker{json: json.NewDecoder(bound), bound: bound, yield: yield}
		if path == "" && !strings.HasPrefix(strings.TrimLeft(p.Head(), " \t\r\n"), "[") {
			for err == nil {
				err = w.give()
			}
			if errors.Is(err, io.EOF) {
				return
			}
		} else {
			keys := strings.FieldsFunc(path, func(r rune) bool { return r == '.' })
			if err = w.find(keys); errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
		}
		if err != nil && !errors.Is(err, errStop) {
			yield(Object{}, atObject(w.number+1, err))
		}
	}
}

// errStop ends a walk because its caller has ended it.
var errStop = errors.New("stopped")

// walker walks through JSON.
type walker struct {
	json   *json.Decoder
	bound  *bounded
	yield  func(Object, error) bool
	number int
}

// give gives the next value.
func (w *walker) give() error {
	var value json.RawMessage
	if err := w.json.Decode(&value); err != nil {
		return err
	}
	w.bound.left = maxRecord
	if w.number++; !w.yield(Object{w.number, value}, nil) {
		return errStop
	}
	return nil
}

// find gives the elements of the array at the path keys below the next value.
func (w *walker) find(keys []string) error {
	start, err := w.token()
	switch {
	case err != nil:
		return err
	case start == json.Delim('[') && len(keys) == 0:
		for err == nil && w.json.More() {
			err = w.give()
		}
	case start == json.Delim('{') && len(keys) > 0:
		for err == nil && w.json.More() {
			var key json.Token
			if key, err = w.token(); err == nil && key == keys[0] {
				err = w.find(keys[1:])
			} else if err == nil {
				err = w.skip(0)
			}
		}
	case start == json.Delim('[') || start == json.Delim('{'):
		return w.skip(1)
	default:
		return nil
	}
	if err == nil {
		_, err = w.token()
	}
	return err
}

// skip reads the next value, or to the end of the one that is open at depth 1.
func (w *walker) skip(depth int) error {
	for {
		token, err := w.token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('['), json.Delim('{'):
			depth++
		case json.Delim(']'), json.Delim('}'):
			depth--
		}
		if depth > maxDepth {
			return errLong()
		}
		if depth == 0 {
			return nil
		}
	}
}

func (w *walker) token() (json.Token, error) {
	token, err := w.json.Token()
	w.bound.left = maxRecord
	return token, err
}

// bounded fails once a record is longer than allowed, so that one without an end is not read
// into memory. Its reader sets left again after each record.
type bounded struct {
	in   io.Reader
	left int
}

// Read reads, and fails beyond the bound.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errLong()
	}
	n, err := b.in.Read(p)
	b.left -= n
	return n, err
}

func errLong() error { return viewing.Say("file.long", "mb", strconv.Itoa(maxRecord>>20)) }

// atLine names the line at which a file cannot be read.
func atLine(line int, err error) error { return unreadable("file.line", line, err) }

// atObject names the object of a JSON text at which it cannot be read.
func atObject(number int, err error) error { return unreadable("file.entry", number, err) }

func unreadable(code string, number int, err error) error {
	why := viewing.MessagesOf(err)[0]
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		why = viewing.Say("file.cut")
	case errors.Is(err, csv.ErrQuote), errors.Is(err, csv.ErrBareQuote):
		why = viewing.Say("file.quotes")
	}
	return viewing.Say(code, "line", strconv.Itoa(number)).Because(why)
}

// keys makes the keys of rows.
type keys struct {
	form string
	seen map[uint64]uint32
}

func newKeys(form string) *keys { return &keys{form, map[uint64]uint32{}} }

// next is the key of a row that says this: a hash of it, and how many equal rows came before.
func (k *keys) next(content ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(content, "\x00")))
	short := binary.BigEndian.Uint64(sum[:])
	before := k.seen[short]
	k.seen[short] = before + 1
	key := k.form + ":" + hex.EncodeToString(sum[:16])
	if before > 0 {
		key += "-" + strconv.Itoa(int(before))
	}
	return key
}

// clean is a text without control characters and outer blanks.
func clean(text string) string {
	if strings.ContainsFunc(text, unicode.IsControl) {
		text = strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return ' '
			}
			return r
		}, text)
	}
	return strings.TrimSpace(text)
}

// clip is the beginning of a text, for a message.
func clip(text string) string {
	text = clean(strings.ToValidUTF8(text, ""))
	if runes := []rune(text); len(runes) > 60 {
		return string(runes[:60]) + "…"
	}
	return text
}

// number is a whole number from 0 to 9 digits; 0 for anything else.
func number(text string) int {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || n < 0 || n > 1<<53-1 {
		return 0
	}
	return int(n)
}

// calendar reads the times of one file.
type calendar struct {
	zone                 *time.Location
	dayFirst             *bool // what the user said
	dayTells, monthTells bool  // a date of the file has its day, or its month, first for certain
}

func newCalendar(o Options) *calendar {
	c := &calendar{zone: o.Zone, dayFirst: o.DayFirst}
	if c.zone == nil {
		c.zone = time.Local
	}
	return c
}

// calendarOf reads a whole table to learn the order of its dates, which stand in a column.
func calendarOf(p *Part, o Options, columns ...string) (*calendar, error) {
	c := newCalendar(o)
	for line, err := range p.Lines() {
		if err != nil {
			return nil, err
		}
		if c.see(line.Get(columns...)); c.dayTells && c.monthTells {
			return nil, atLine(line.Number, viewing.Say("file.dates"))
		}
	}
	return c, nil
}

// dayForm is a date in numbers.
var dayForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\d{1,4})([./-]) ?(\d{1,2})[./-] ?(\d{1,2}|\d{4})(\.?)$`)
})

// see learns from a date which order its file has.
func (c *calendar) see(text string) {
	if parts := dayForm().FindStringSubmatch(text); parts != nil && len(parts[1]) <= 2 && parts[2] != "." {
		c.dayTells = c.dayTells || number(parts[1]) > 12
		c.monthTells = c.monthTells || number(parts[3]) > 12
	}
}

// The forms of a time without a zone.
var localForms = []string{time.DateTime, "2006-01-02T15:04:05", "2006-01-02 15:04"}

// instant reads a time. A day is noon of it. Ambiguous says that the order of day and month
// is not known.
func (c *calendar) instant(text string) (in viewing.Instant, ambiguous, ok bool) {
	text = strings.TrimSpace(text)
	if in, err := viewing.ParseInstant(text); err == nil {
		return in, false, true
	}
	if len(text) > len(time.DateOnly) {
		for _, form := range localForms {
			if t, err := time.ParseInLocation(form, text, c.zone); err == nil {
				return withText(t, text), false, true
			}
		}
	}
	parts := dayForm().FindStringSubmatch(text)
	if parts == nil {
		return in, false, false
	}
	first, month, last := number(parts[1]), number(parts[3]), number(parts[4])
	year, day := last, first
	switch {
	case len(parts[1]) == 4 && len(parts[4]) <= 2:
		year, day = first, last
	case len(parts[1]) > 2 || len(parts[4]) == 1 || len(parts[4]) == 2 && (parts[2] == "-" || parts[5] != ""):
		return in, false, false // the year may be first
	case parts[2] == "." || day == month:
	case c.dayTells || c.monthTells:
		if c.monthTells {
			day, month = month, day
		}
	case c.dayFirst == nil:
		ambiguous = true
	case !*c.dayFirst:
		day, month = month, day
	}
	if len(parts[4]) == 2 && len(parts[1]) < 4 {
		year += 2000
	}
	t := time.Date(year, time.Month(month), day, 12, 0, 0, 0, c.zone)
	if t.Day() != day || t.Month() != time.Month(month) {
		return in, false, false
	}
	in = withText(t, text)
	in.Precision = viewing.Day
	return in, ambiguous, true
}

// withText is a time as a file wrote it.
func withText(t time.Time, text string) viewing.Instant {
	in := viewing.At(t)
	in.Text = text
	return in
}
