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
	table := csv.NewReader(r)
	for _, c := range ";\t" {
		if strings.Count(line, string(c)) > strings.Count(line, string(table.Comma)) {
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

// each calls look with every line of a table after the first one.
func (p *Part) each(look func(Line) error) error {
	for line, err := range p.Lines() {
		if err == nil {
			err = look(line)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// eachRaw calls look with every line of a text that has fields between tabs, without names
// and without quotes.
func (p *Part) eachRaw(look func(Line) error) error {
	text, err := p.text()
	if err != nil {
		return err
	}
	defer text.Close()
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, maxRecord)
	n := 1
	for ; lines.Scan(); n++ {
		if err := look(Line{Number: n, Fields: strings.Split(lines.Text(), "\t")}); err != nil {
			return err
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return atLine(n, errLong())
	case err != nil:
		return atLine(n, err)
	}
	return nil
}

// errStop ends a reading because nothing more is wanted.
var errStop = errors.New("stopped")

// reading makes a reader of a function that gives one row after the other.
func reading(read func(f *File, o Options, give func(Row) error) error) func(*File, Options) iter.Seq2[Row, error] {
	return func(f *File, o Options) iter.Seq2[Row, error] {
		return func(yield func(Row, error) bool) {
			err := read(f, o, func(row Row) error {
				if !yield(row, nil) {
					return errStop
				}
				return nil
			})
			if err != nil && !errors.Is(err, errStop) {
				yield(Row{}, err)
			}
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
			if err = w.walk(keys, 0); errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
		}
		if err != nil && !errors.Is(err, errStop) {
			yield(Object{}, unreadable("file.entry", w.number+1, err))
		}
	}
}

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

// nowhere is a path that no JSON has: it is no UTF-8.
var nowhere = []string{"\xff"}

// walk reads the next value, and gives the elements of the array at the path keys below it.
func (w *walker) walk(keys []string, depth int) error {
	if depth > maxDepth {
		return errLong()
	}
	start, err := w.token()
	isArray := start == json.Delim('[')
	if err != nil || !isArray && start != json.Delim('{') {
		return err
	}
	for err == nil && w.json.More() {
		below := nowhere
		if !isArray {
			var key json.Token
			if key, err = w.token(); err == nil && len(keys) > 0 && key == keys[0] {
				below = keys[1:]
			}
		}
		if isArray && len(keys) == 0 {
			err = w.give()
		} else if err == nil {
			err = w.walk(below, depth+1)
		}
	}
	if err == nil {
		_, err = w.token()
	}
	return err
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
	form  string
	seen  map[uint64]struct{} // half of the size that it has with counts
	equal map[uint64]int      // of what was seen more than once, how often before
}

func newKeys(form string) *keys { return &keys{form, map[uint64]struct{}{}, map[uint64]int{}} }

// next is the key of a row that says this: a hash of it, and how many equal rows came before.
func (k *keys) next(content ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(content, "\x00")))
	short := binary.BigEndian.Uint64(sum[:])
	key := k.form + ":" + hex.EncodeToString(sum[:16])
	if _, again := k.seen[short]; again {
		k.equal[short]++
		key += "-" + strconv.Itoa(k.equal[short])
	}
	k.seen[short] = struct{}{}
	return key
}

// clean is a text without control characters and outer blanks.
func clean(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text))
}

// clip is a text of at most so many signs.
func clip(text string, most int) string {
	text = clean(strings.ToValidUTF8(text, ""))
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// number is a whole number; 0 for anything else, and below 0.
func number(text string) int {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		return 0
	}
	return max(n, 0)
}

// placeOf reads a season or an episode; nil where there is no number.
func placeOf(text string) *int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return nil
	}
	return &n
}

// viewed is the viewing of one item.
func viewed(m viewing.Media, at viewing.Instant) viewing.Event {
	return viewing.Event{Kind: viewing.KindViewing, Media: []viewing.Media{m}, WatchedAt: at}
}

// desired is an item for the watchlist.
func desired(m viewing.Media) viewing.Event {
	return viewing.Event{Kind: viewing.KindWatchlist, Media: []viewing.Media{m}}
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
	return c, p.each(func(line Line) error { return c.see(line, columns...) })
}

// dayForm is a date in numbers.
var dayForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\d{1,4})([./-]) ?(\d{1,2})[./-] ?(\d{1,2}|\d{4})(\.?)$`)
})

// see learns from the date of a line which order its file has.
func (c *calendar) see(line Line, columns ...string) error {
	parts := dayForm().FindStringSubmatch(line.Get(columns...))
	if parts != nil && len(parts[1]) <= 2 && parts[2] != "." {
		c.dayTells = c.dayTells || number(parts[1]) > 12
		c.monthTells = c.monthTells || number(parts[3]) > 12
	}
	if c.dayTells && c.monthTells {
		return atLine(line.Number, viewing.Say("file.dates"))
	}
	return nil
}

// The forms of a time without a zone.
var localForms = []string{time.DateTime, "2006-01-02T15:04:05", "2006-01-02 15:04"}

// instant reads a time. A day is noon of it. Ambiguous says that the order of day and month
// is not known.
func (c *calendar) instant(text string) (in viewing.Instant, ambiguous, ok bool) {
	text = strings.TrimSpace(text)
	if len(text) > len(time.DateOnly) {
		if in, err := viewing.ParseInstant(text); err == nil {
			return in, false, true
		}
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
	case c.monthTells || !c.dayTells && c.dayFirst != nil && !*c.dayFirst:
		day, month = month, day
	default:
		ambiguous = !c.dayTells && c.dayFirst == nil
	}
	if len(parts[4]) == 2 && len(parts[1]) < 4 {
		year += 2000
	}
	t := time.Date(year, time.Month(month), day, 12, 0, 0, 0, c.zone)
	if t.Month() != time.Month(month) {
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
