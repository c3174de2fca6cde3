package playlist

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/filmspool/filmspool/kodi/plainfile"
)

// Bounds of what is read.
const (
	maxFiles = 1_000   // playlists of a folder
	maxSize  = 1 << 20 // bytes of a playlist
	maxLines = 10_000  // entries of a playlist
)

// Playlist is one file of the folder.
type Playlist struct {
	Name    string   // of the file, without its ending
	File    string   // whole path
	Entries []string // as written, in their order; none of a smart playlist
	Smart   bool     // rules, which are not evaluated
	Problem string   // why it was not read, a clause; "" when it was
}

// Folder is where the playlists of a userdata folder lie.
func Folder(userdata string) string { return filepath.Join(userdata, "playlists", "video") }

// Read reads all playlists of a folder, by name. A folder that is not there
// has none. What cannot be read is told in its Problem; the error is about the
// folder alone.
func Read(folder string) ([]Playlist, error) {
	files, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read playlists: %w", err)
	}
	var all []Playlist
	for _, f := range files {
		ending := filepath.Ext(f.Name())
		p := Playlist{Name: strings.TrimSuffix(f.Name(), ending), File: filepath.Join(folder, f.Name())}
		switch strings.ToLower(ending) {
		case ".m3u", ".m3u8":
			p.read()
		case ".xsp":
			p.Smart = true
		default:
			continue
		}
		if len(all) == maxFiles {
			return all, fmt.Errorf("read playlists: there are more than %d in %s", maxFiles, folder)
		}
		all = append(all, p)
	}
	return all, nil
}

// Stamp changes with the playlists of a folder; "" when it is not there.
func Stamp(folder string) string {
	files, err := os.ReadDir(folder)
	if err != nil {
		return ""
	}
	var b strings.Builder
	for _, f := range files[:min(len(files), maxFiles)] {
		if info, err := f.Info(); err == nil {
			fmt.Fprintf(&b, "%s %d %d\n", f.Name(), info.Size(), info.ModTime().UnixNano())
		}
	}
	return b.String()
}

func (p *Playlist) read() {
	text, err := readFile(p.File)
	if err != nil {
		p.Problem = err.Error()
		return
	}
	var whole bool
	if p.Entries, whole = parse(text); !whole {
		p.Problem = fmt.Sprintf("it has more than %d entries", maxLines)
		p.Entries = nil
	}
}

// readFile reads a small regular file. Its errors do not name it.
func readFile(path string) ([]byte, error) {
	f, err := plainfile.Open(path)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, errors.New("it may not be read by this user")
	case err != nil:
		return nil, errors.New("it is no file that can be read")
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > maxSize {
		return nil, fmt.Errorf("it is larger than %d bytes", maxSize)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil || len(text) > maxSize {
		return nil, errors.New("it could not be read whole")
	}
	return text, nil
}
