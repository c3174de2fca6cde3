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

// MaxSize bounds the size of a file, and the unpacked size of an archive, in bytes.
const MaxSize = 1 << 30

// More bounds. Real exports stay far below them.
const (
	maxDirectory = 4 << 20 // size of an archive's directory
	maxMembers   = 5000
	maxRatio     = 250 // compression ratio of a member larger than smallMember
	smallMember  = 1 << 20
	maxRecord    = 2 << 20 // size of one line or JSON object
	maxDepth     = 1000    // nesting of JSON
	headSize     = 4096
)

// File is an open file whose format is not known yet.
type File struct{ parts []*Part }

// Part is one text of a file: the file itself, or a member of an archive.
type Part struct {
	// Name is the lower-case path of an archive's member, without the folder that contains
	// all members. It is "" if the file is not an archive.
	Name string
	open func() (io.ReadCloser, error)
	head *string
	err  error // the error at the end of head
}

// Open opens a file of size bytes. It reads only the directory of an archive, and unpacks
// nothing to disk.
func Open(r io.ReaderAt, size int64) (*File, error) {
	start := make([]byte, 4)
	_, _ = r.ReadAt(start, 0) // a read error is returned by later reads
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

// tooLarge returns the error for a file larger than limit bytes.
func tooLarge(limit int) error { return viewing.Say("file.large", "mb", strconv.Itoa(limit>>20)) }

// limitedReaderAt fails after left bytes.
type limitedReaderAt struct {
	io.ReaderAt
	left int64
}

// ReadAt implements [io.ReaderAt].
func (m *limitedReaderAt) ReadAt(b []byte, at int64) (int, error) {
	if m.left -= int64(len(b)); m.left < 0 {
		return 0, tooLarge(maxDirectory)
	}
	return m.ReaderAt.ReadAt(b, at)
}

// openArchive opens a zip file. Package zip stops a member at its declared size, so checking
// the declared sizes bounds what is read.
func openArchive(r io.ReaderAt, size int64) (*File, error) {
	directory := &limitedReaderAt{r, maxDirectory}
	archive, err := zip.NewReader(directory, size)
	switch {
	case directory.left < 0 || err == nil && len(archive.File) > maxMembers:
		return nil, viewing.Say("file.members", "most", strconv.Itoa(maxMembers))
	case err != nil:
		return nil, describeError(err)
	}
	directory.left = math.MaxInt64 // the members are bounded by their declared size
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

// Head returns the first bytes of the text, or "" if it cannot be read.
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

// text opens the part without a byte order mark, and converts UTF-16 to UTF-8.
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

// recordLimiter fails if a record is longer than left bytes, so that an endless record is not read
// into memory. Its user resets left after each record.
type recordLimiter struct {
	in   io.Reader
	left int
}

// Read implements [io.Reader].
func (b *recordLimiter) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong()
	}
	n, err := b.in.Read(p)
	b.left -= n
	return n, err
}

// errTooLong returns the error for a record larger than maxRecord.
func errTooLong() error { return viewing.Say("file.long", "mb", strconv.Itoa(maxRecord>>20)) }

// unreadable wraps an error with the number of the line or object.
func unreadable(code string, number int, err error) error {
	return viewing.Say(code, "line", strconv.Itoa(number)).Because(describeError(err))
}

// describeError returns the message for an error.
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
