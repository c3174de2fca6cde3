package transfer

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/filmspool/filmspool/queue/viewing"
)

// MaxSize bounds a file, and all that an archive unpacks to, in bytes.
const MaxSize = 1 << 30

// The other bounds of a file. What services export stays far below them.
const (
	maxDirectory = 4 << 20 // of an archive's table of contents
	maxMembers   = 5000
	maxRatio     = 250 // by which a member may shrink, if it is larger than smallMember
	smallMember  = 1 << 20
	maxRecord    = 2 << 20 // of one line, or of one object
	maxDepth     = 1000    // of JSON
	headSize     = 4096
)

// File is a file that a person gave, whose form is not known yet.
type File struct{ parts []*Part }

// Part is one text of a file: the file itself, or a member of an archive.
type Part struct {
	// Name is that of an archive's member in lower case, below the folder that all members
	// are in. It is "" for a file that is no archive.
	Name string
	open func() (io.ReadCloser, error)
	head *string
	err  error // of reading the head
}

// Open looks into a file of size bytes. Of an archive it reads the table of contents only.
// Nothing is unpacked to disk.
func Open(r io.ReaderAt, size int64) (*File, error) {
	start := make([]byte, 4)
	n, err := r.ReadAt(start, 0)
	switch {
	case size == 0:
		return nil, viewing.Say("file.empty")
	case n == 0:
		return nil, err
	case size > MaxSize:
		return nil, tooLarge(MaxSize)
	case string(start) == "PK\x03\x04" || string(start) == "PK\x05\x06":
		return openArchive(r, size)
	}
	whole := &Part{open: func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(r, 0, size)), nil }}
	return &File{parts: []*Part{whole}}, nil
}

func tooLarge(limit int) error {
	return viewing.Say("file.large", "mb", strconv.Itoa(limit>>20))
}

// meter bounds what may be read until left is set again.
type meter struct {
	io.ReaderAt
	left int64
}

// ReadAt reads, and fails beyond the bound.
func (m *meter) ReadAt(b []byte, at int64) (int, error) {
	if m.left -= int64(len(b)); m.left < 0 {
		return 0, tooLarge(maxDirectory)
	}
	return m.ReaderAt.ReadAt(b, at)
}

// openArchive reads the contents of a zip. The package zip ends a member at its declared
// size, so the declared sizes bound what is read.
func openArchive(r io.ReaderAt, size int64) (*File, error) {
	directory := &meter{r, maxDirectory}
	archive, err := zip.NewReader(directory, size)
	switch {
	case directory.left < 0 || err == nil && len(archive.File) > maxMembers:
		return nil, viewing.Say("file.members", "most", strconv.Itoa(maxMembers))
	case err != nil:
		return nil, viewing.Say("file.zip").Because(viewing.Said(err.Error()))
	}
	directory.left = math.MaxInt64 // what follows is bounded by the size
	file, total := &File{}, uint64(0)
	for _, member := range archive.File {
		name := strings.ToLower(strings.ReplaceAll(member.Name, `\`, "/"))
		if strings.HasSuffix(name, "/") || strings.HasPrefix(name, "__macosx/") {
			continue
		}
		declared := member.UncompressedSize64
		if total += declared; declared > MaxSize || total > MaxSize {
			return nil, tooLarge(MaxSize)
		}
		if declared > smallMember && declared/maxRatio > member.CompressedSize64 {
			return nil, viewing.Say("file.bomb", "name", clip(name, 60))
		}
		open := func() (io.ReadCloser, error) {
			if member.Flags&1 != 0 {
				return nil, viewing.Say("file.encrypted")
			}
			unpacked, err := member.Open()
			if err != nil {
				err = viewing.Say("file.zip").Because(viewing.Said(err.Error()))
			}
			return unpacked, err
		}
		file.parts = append(file.parts, &Part{Name: name, open: open})
	}
	for file.inOneFolder() {
		for _, p := range file.parts {
			_, p.Name, _ = strings.Cut(p.Name, "/")
		}
	}
	return file, nil
}

func (f *File) inOneFolder() bool {
	if len(f.parts) == 0 {
		return false
	}
	first, _, found := strings.Cut(f.parts[0].Name, "/")
	outside := func(p *Part) bool { return !strings.HasPrefix(p.Name, first+"/") }
	return found && !slices.ContainsFunc(f.parts, outside)
}

// Named are the members whose name matches one of patterns of [path.Match], in lower case, in
// the order of the archive. A file that is no archive matches every pattern.
func (f *File) Named(patterns ...string) (named []*Part) {
	for _, p := range f.parts {
		matches := func(pattern string) bool { ok, _ := path.Match(pattern, p.Name); return ok }
		if p.Name == "" || slices.ContainsFunc(patterns, matches) {
			named = append(named, p)
		}
	}
	return named
}

// Only is the text of a file that has one alone. It is empty for an archive of several.
func (f *File) Only() *Part {
	if len(f.parts) == 1 {
		return f.parts[0]
	}
	return &Part{head: new(string)}
}

// Detect finds the form of a file by its content.
func Detect(f *File) (Format, error) {
	var names []string
	for _, format := range Formats() {
		if format.Is == nil {
			continue
		}
		if format.Is(f) {
			return format, nil
		}
		names = append(names, format.Name)
	}
	for _, p := range f.parts {
		if p.err != nil {
			return Format{}, viewing.MessagesOf(p.err)[0]
		}
	}
	return Format{}, viewing.Say("file.unknown", "forms", strings.Join(names, ", "))
}

// Head is how the text begins, in UTF-8; "" if it cannot be read.
func (p *Part) Head() string {
	if p.head == nil {
		start := make([]byte, headSize)
		text, err := p.text()
		if err == nil {
			defer text.Close()
			var n int
			n, err = io.ReadFull(text, start)
			start = bytes.ToValidUTF8(start[:n], nil) // the last sign may be cut
		}
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			start, p.err = nil, err
		}
		head := string(start)
		p.head = &head
	}
	return *p.head
}

// text opens the part as UTF-8, without a byte order mark.
func (p *Part) text() (io.ReadCloser, error) {
	raw, err := p.open()
	if err != nil {
		return nil, err
	}
	in := bufio.NewReader(raw)
	mark, _ := in.Peek(3)
	decoded := struct {
		io.Reader
		io.Closer
	}{&decoder{ascii: in}, raw}
	switch {
	case bytes.HasPrefix(mark, []byte("\xef\xbb\xbf")):
		_, err = in.Discard(3)
	case bytes.HasPrefix(mark, []byte("\xff\xfe")), bytes.HasPrefix(mark, []byte("\xfe\xff")):
		decoded.Reader = unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Reader(in)
	}
	return decoded, err
}

// decoder gives a text as UTF-8. The first sign beyond ASCII tells its encoding: UTF-8, or
// Windows-1252 where that sign is no UTF-8.
type decoder struct {
	ascii *bufio.Reader
	rest  io.Reader // from that sign on
}

// Read reads UTF-8.
func (d *decoder) Read(b []byte) (int, error) {
	if d.rest == nil {
		if _, err := d.ascii.Peek(1); err != nil {
			return 0, err
		}
		chunk, _ := d.ascii.Peek(min(len(b), d.ascii.Buffered()))
		n := slices.IndexFunc(chunk, func(c byte) bool { return c >= utf8.RuneSelf || c == 0 })
		switch {
		case n < 0:
			n = len(chunk)
		case chunk[n] == 0:
			return 0, viewing.Say("file.binary")
		}
		if n > 0 {
			copy(b, chunk[:n])
			return d.ascii.Discard(n)
		}
		sign, _ := d.ascii.Peek(utf8.UTFMax)
		if r, _ := utf8.DecodeRune(sign); r == utf8.RuneError {
			d.rest = charmap.Windows1252.NewDecoder().Reader(d.ascii)
		} else {
			d.rest = transform.NewReader(d.ascii, encoding.UTF8Validator)
		}
	}
	n, err := d.rest.Read(b)
	if errors.Is(err, encoding.ErrInvalidUTF8) {
		err = viewing.Say("file.encoding")
	}
	return n, err
}
