package transfer

import "io"

// File is a file that a person gave, whose form is not known yet.
type File struct {
	r    io.ReaderAt
	size int64
}

// Open looks into a file of size bytes.
func Open(r io.ReaderAt, size int64) (*File, error) { return &File{r, size}, nil }
