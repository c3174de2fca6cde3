package transfer

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// open opens a file with this content.
func open(t testing.TB, content string) *File {
	t.Helper()
	f, err := Open(strings.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// zipped returns an archive of alternating names and contents.
func zipped(t testing.TB, members ...string) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i := 0; i < len(members); i += 2 {
		m, err := w.Create(members[i])
		if err == nil {
			_, err = io.WriteString(m, members[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// code returns the code of the innermost message of an error.
func code(err error) string {
	var m viewing.Message
	if !errors.As(err, &m) {
		return ""
	}
	for m.Cause != nil && m.Cause.Code != "said" {
		m = *m.Cause
	}
	return m.Code
}

func TestTextEncodings(t *testing.T) {
	utf16 := func(text string, big bool) string {
		var out []byte
		for _, r := range "\ufeff" + text {
			if big {
				out = append(out, byte(r>>8), byte(r))
			} else {
				out = append(out, byte(r), byte(r>>8))
			}
		}
		return string(out)
	}
	for name, content := range map[string]string{
		"UTF-8":        "Titel,Datum\nGrüße,\"1\n2\"\n",
		"mark":         "\ufeffTitel,Datum\r\nGrüße,\"1\n2\"\r\n",
		"UTF-16":       utf16("Titel\tDatum\r\nGrüße\t\"1\n2\"\r\n", false),
		"big endian":   utf16("Titel;Datum\nGrüße;\"1\n2\"", true),
		"Windows-1252": "Titel;Datum\r\nGr\xfc\xdfe;\"1\n2\"\r\n",
		"mixed":        "Titel;Datum\nGr\xfc\xdfe;\"1\n2\"\nGrüße;\"1\n2\"\n",
		"archive":      zipped(t, "A/", "", "A/B/x.CSV", "Titel,Datum\nGrüße,\"1\n2\"\n", "A/y.txt", "", "__MACOSX/A/._y.txt", ""),
	} {
		parts := shape{members: "b/x.csv", columns: "datum,titel"}.partsOf(open(t, content))
		if len(parts) != 1 || parts[0].hasColumns("title") {
			t.Fatalf("%s: %d parts", name, len(parts))
		}
		for line, err := range parts[0].lines("", false) {
			if err != nil || line.Get("titel") != "Grüße" || line.Fields[1] != "1\n2" || line.Number%2 != 0 {
				t.Errorf("%s: %q, line %d, %v", name, line.Fields, line.Number, err)
			}
		}
	}
}

func TestDecodeObjects(t *testing.T) {
	for _, c := range []struct{ content, want, code string }{
		{`[{"a":1},{"a":2}]`, `:{"a":1} :{"a":2}`, ""},
		{`{"x":[{"c":[1]}],"y":"b","a":{"c":2,"b":[1,{"d":[]}]},"b":[3]}`, `x:{"c":[1]} b:1 b:{"d":[]} b:3`, ""},
		{`{"a":{"b":1}}`, "", ""},
		{`{"a":[1,`, "a:1", "file.cut"},
		{`{"a":[1]`, "a:1", "file.cut"},
		{`[1,2`, ":1 :2", "file.cut"},
		{strings.Repeat(`{"z":`, 2000), "", "file.long"},
	} {
		var got []string
		r := &reader{}
		decodeObjects(r, open(t, c.content).parts[0], func(key string, o json.RawMessage) { got = append(got, key+":"+string(o)) })
		if strings.Join(got, " ") != c.want || code(r.err) != c.code {
			t.Errorf("%s: %s, %v", c.content, got, r.err)
		}
	}
}

// endlessReader is a file that repeats one byte after its beginning.
type endlessReader struct {
	begin string
	fill  byte
}

func (e endlessReader) ReadAt(b []byte, at int64) (int, error) {
	for i := range b {
		b[i] = e.fill
	}
	if at < int64(len(e.begin)) {
		copy(b, e.begin[at:])
	}
	return len(b), nil
}

// countingReader counts the bytes read from a file.
type countingReader struct {
	io.ReaderAt
	read int
}

func (c *countingReader) ReadAt(b []byte, at int64) (int, error) {
	c.read += len(b)
	return c.ReaderAt.ReadAt(b, at)
}

func TestHostileFilesAreRefused(t *testing.T) {
	many := make([]string, 0, 2*maxMembers+2)
	for range maxMembers + 1 {
		many = append(many, "a", "")
	}
	locked := []byte(zipped(t, "a.csv", "x,y\n"))
	locked[6] |= 1 // of the local header, and of the table
	locked[bytes.Index(locked, []byte("PK\x01\x02"))+8] |= 1
	whole := zipped(t, "a.csv", "x,y\n1,2\n")
	large := []byte(zipped(t, "a", "", "b", "", "c", ""))
	for at := 0; bytes.Contains(large[at:], []byte("PK\x01\x02")); at += 4 {
		at += bytes.Index(large[at:], []byte("PK\x01\x02"))
		binary.LittleEndian.PutUint32(large[at+20:], 4<<20) // packed
		binary.LittleEndian.PutUint32(large[at+24:], 400<<20)
	}
	for name, c := range map[string]struct{ content, code string }{
		"empty":          {"", "file.empty"},
		"cut archive":    {whole[:len(whole)-30], "file.zip"},
		"bomb":           {zipped(t, "a.csv", strings.Repeat("a", 4<<20)), "file.bomb"},
		"large together": {string(large), "file.large"},
		"many members":   {zipped(t, many...), "file.members"},
		"password":       {string(locked), "file.encrypted"},
		"program":        {"\x7fELF\x00\x00", "file.binary"},
		"unknown":        {"a,b\n1,2\n", "file.unknown"},
		"times":          {"2024-01-05 20:15:30\tx\n", "file.unknown"},
		"quote":          {"a,b\n1,2\n\"1,2\n", "file.quotes"},
		"control":        {"a,b\n1,\x002\n", "file.binary"},
	} {
		f, err := Open(strings.NewReader(c.content), int64(len(c.content)))
		if err == nil {
			_, err = Detect(f)
		}
		if code(err) == "file.unknown" && c.code != "file.unknown" {
			for _, failed := range f.parts[0].lines("", false) {
				err = failed
			}
		}
		if code(err) != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	start, end := strings.Index(whole, "PK\x01\x02"), strings.Index(whole, "PK\x05\x06")
	table := strings.Repeat(whole[start:end], 200_000)
	summary := binary.LittleEndian.AppendUint32([]byte(whole[end:end+12]), uint32(len(table)))
	summary = append(summary, whole[end+16:]...)
	crowded := &countingReader{ReaderAt: strings.NewReader(whole[:start] + table + string(summary))}
	size := int64(start + len(table) + len(summary))
	if _, err := Open(crowded, size); code(err) != "file.members" || crowded.read > 2*maxDirectory {
		t.Errorf("a table of %d bytes: %v after %d", len(table), err, crowded.read)
	}
	if _, err := Open(endlessReader{begin: "PK\x03\x04"}, MaxSize+1); code(err) != "file.large" {
		t.Error(err)
	}
}

func TestEndlessRecordIsRefused(t *testing.T) {
	read := func(p *Part, kind string) (err error) {
		if kind == "objects" {
			r := &reader{}
			decodeObjects(r, p, func(string, any) {})
			return r.err
		}
		for _, err = range p.lines("", kind == "bare") {
		}
		return err
	}
	for _, c := range []struct{ begin, kind string }{
		{"a,b\n1,", "lines"},
		{"a,b\n1,\"", "lines"},
		{"", "lines"},
		{"a\tb\n", "bare"},
		{`[{"a":"`, "objects"},
		{`{"a":"`, "objects"},
	} {
		file := &countingReader{ReaderAt: endlessReader{c.begin, 'x'}}
		f, err := Open(file, MaxSize)
		if err != nil {
			t.Fatal(err)
		}
		if err := read(f.parts[0], c.kind); code(err) != "file.long" || file.read > 3*maxRecord {
			t.Errorf("%q as %s: %v after %d bytes", c.begin, c.kind, err, file.read)
		}
	}
}

// TestLargeFilesAreRead: the size of a record is bounded, the number of records is not.
func TestLargeFilesAreRead(t *testing.T) {
	row, n := strings.Repeat("x", 1000), 3*maxRecord/1000
	for _, err := range open(t, "a,b\n"+strings.Repeat(row+",1\n", n)).parts[0].lines("", false) {
		if n--; err != nil {
			t.Fatal(err)
		}
	}
	if n != 0 {
		t.Errorf("%d lines are missing", n)
	}
	n = 3 * maxRecord / 1000
	r := &reader{}
	decodeObjects(r, open(t, `{"a":[`+strings.Repeat(`"`+row+`",`, n-1)+`1]}`).parts[0], func(string, any) { n-- })
	if n != 0 || r.err != nil {
		t.Errorf("%d objects are missing", n)
	}
}

func TestDateOrder(t *testing.T) {
	setBerlinZone(t)
	yes, no := true, false
	for _, c := range []struct {
		dates string
		first *bool
		want  string // of the first date
	}{
		{"3/4/26 13/4/26", nil, "2026-04-03T12:00:00+02:00 day"},
		{"3/4/26 4/13/26", nil, "2026-03-04T12:00:00+01:00 day"},
		{"3/4/26 4/13/26", &yes, "2026-03-04T12:00:00+01:00 day"},
		{"3/4/26 4/5/26", nil, "ambiguous"},
		{"3/4/26", &yes, "2026-04-03T12:00:00+02:00 day"},
		{"03-04-2026", &no, "2026-03-04T12:00:00+01:00 day"},
		{"3/3/26 4/5/26", nil, "2026-03-03T12:00:00+01:00 day"},
		{"03.04.26", nil, "2026-04-03T12:00:00+02:00 day"},
		{"3/4/26 13/4/26 4/13/26", nil, "file.dates"},
		{"2026-03-04", nil, "2026-03-04T12:00:00+01:00 day"},
		{"2026/3/4", nil, "2026-03-04T12:00:00+01:00 day"},
		{"23-03-04", nil, "unreadable"},
		{"30/2/2026", nil, "unreadable"},
		{"13.13.2026", nil, "unreadable"},
		{"tomorrow", nil, "unreadable"},
		{"2026-03-04T20:15:00Z", nil, "2026-03-04T20:15:00Z second"},
		{"2026-03-04_20:15:00", nil, "2026-03-04T20:15:00+01:00 second"},
		{"2026-03-04_20:15:00.1234567", nil, "2026-03-04T20:15:00+01:00 second"},
	} {
		dates := strings.Fields(c.dates)
		for i := range dates {
			dates[i] = strings.ReplaceAll(dates[i], "_", " ")
		}
		r := &reader{dates: calendar{dayFirst: c.first}}
		r.readPart(shape{row: csvRow}, open(t, "a,watched_at\n,"+strings.Join(dates, "\n,")+"\n").parts[0], true)
		got := code(r.err)
		if r.err == nil {
			in, ambiguous, ok := r.dates.instant(dates[0])
			at := time.UnixMilli(in.Millis)
			if in.Offset != nil {
				at = at.In(time.FixedZone("", *in.Offset))
			}
			if got = at.Format(time.RFC3339) + " " + string(in.Precision); !ok {
				got = "unreadable"
			} else if ambiguous {
				got = "ambiguous"
			}
			if ok && in.Text != dates[0] {
				t.Errorf("%q", in.Text)
			}
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.dates, got, c.want)
		}
	}
}
