package transfer

import (
	"archive/zip"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"path"
	"strconv"
	"strings"

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
	err  error // that ended the head
}

// Open looks into a file of size bytes. Of an archive it reads the table of contents only.
// Nothing is unpacked to disk.
func Open(r io.ReaderAt, size int64) (*File, error) {
	start := make([]byte, 4)
	_, _ = r.ReadAt(start, 0) // what cannot be read is found out again
	switch {
	case size == 0:
		return nil, viewing.Say("file.empty")
	case size > MaxSize:
		return nil, tooLarge(MaxSize)
	case string(start) == "PK\x03\x04" || string(start) == "PK\x05\x06":
		return openArchive(r, size)
	}
	whole := &Part{open: func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(r, 0, size)), nil }}
	return &File{parts: []*Part{whole}}, nil
}

func tooLarge(limit int) error { return viewing.Say("file.large", "mb", strconv.Itoa(limit>>20)) }

// meter bounds what may be read until left is set again.
type limitedReaderAt struct {
	io.ReaderAt
	left int64
}

// ReadAt reads, and fails beyond the bound.
func (m *limitedReaderAt) ReadAt(b []byte, at int64) (int, error) {
	if m.left -= int64(len(b)); m.left < 0 {
		return 0, tooLarge(maxDirectory)
	}
	return m.ReaderAt.ReadAt(b, at)
}

// openArchive reads the contents of a zip. The package zip ends a member at its declared
// size, so the declared sizes bound what is read.
func openArchive(r io.ReaderAt, size int64) (*File, error) {
	directory := &limitedReaderAt{r, maxDirectory}
	archive, err := zip.NewReader(directory, size)
	switch {
	case directory.left < 0 || err == nil && len(archive.File) > maxMembers:
		return nil, viewing.Say("file.members", "most", strconv.Itoa(maxMembers))
	case err != nil:
		return nil, describeError(err)
	}
	directory.left = math.MaxInt64 // what follows is bounded by the size
	file, total, folder := &File{}, uint64(0), ""
	for _, member := range archive.File {
		name := strings.Trim(strings.ToLower(strings.ReplaceAll(member.Name, `\`, "/")), "/")
		if member.FileInfo().IsDir() || strings.HasPrefix(name, "__macosx/") {
			continue
		}
		declared := member.UncompressedSize64
		if total += declared; declared > MaxSize || total > MaxSize {
			return nil, tooLarge(MaxSize)
		}
		if declared > smallMember && declared/maxRatio > member.CompressedSize64 {
			return nil, viewing.Say("file.bomb", "name", clip(name, 60))
		}
		if member.Flags&1 != 0 {
			return nil, viewing.Say("file.encrypted")
		}
		file.parts = append(file.parts, &Part{Name: name, open: member.Open})
		if folder == "" {
			folder = path.Dir(name)
		}
		for folder != "." && !strings.HasPrefix(name, folder+"/") {
			folder = path.Dir(folder)
		}
	}
	for _, p := range file.parts {
		p.Name = strings.TrimPrefix(p.Name, folder+"/")
	}
	return file, nil
}

// Head is how the text begins; "" if it cannot be read.
func (p *Part) Head() string {
	if p.head == nil {
		var head strings.Builder
		text, err := p.text()
		if err == nil {
			defer text.Close()
			_, err = io.CopyN(&head, text, headSize)
		}
		p.head, p.err = new(head.String()), err
	}
	return *p.head
}

// text opens the part without a byte order mark. One in UTF-16 becomes UTF-8.
func (p *Part) text() (io.ReadCloser, error) {
	raw, err := p.open()
	if err != nil {
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{transform.NewReader(raw, unicode.BOMOverride(transform.Nop)), raw}, nil
}

// bounded fails once a record is longer than allowed, so that one without an end is not read
// into memory. Its reader sets left again after each record.
type recordLimiter struct {
	in   io.Reader
	left int
}

// Read reads, and fails beyond the bound.
func (b *recordLimiter) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong()
	}
	n, err := b.in.Read(p)
	b.left -= n
	return n, err
}

func errTooLong() error { return viewing.Say("file.long", "mb", strconv.Itoa(maxRecord>>20)) }

// unreadable names the line, or the object, at which a file cannot be read.
func unreadable(code string, number int, err error) error {
	return viewing.Say(code, "line", strconv.Itoa(number)).Because(describeError(err))
}

// why is an error in a person's words.
func describeError(err error) viewing.Message {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return viewing.Say("file.cut")
	case errors.Is(err, csv.ErrQuote), errors.Is(err, csv.ErrBareQuote):
		return viewing.Say("file.quotes")
	case errors.Is(err, zip.ErrFormat), errors.Is(err, zip.ErrAlgorithm), errors.Is(err, zip.ErrChecksum):
		return viewing.Say("file.zip").Because(viewing.Verbatim(err.Error()))
	default:
		return viewing.MessagesOf(err)[0]
	}
}
