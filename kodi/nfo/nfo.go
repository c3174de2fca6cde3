// Package nfo reads play counts from NFO files and from the videodb.xml that Kodi exports. Many
// programs and people write such files: an unreadable file is counted and skipped, and the size
// of an element is bounded.
package nfo

import (
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/encoding/charmap"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

// maxElement bounds one film, or one series with its episodes, in bytes.
const maxElement = 16 << 20

// ErrUnread is wrapped by the error for a path that this user cannot read.
var ErrUnread = errors.New("the NFO files cannot be read")

// Result lists the watched files.
type Result struct {
	Files      []library.File // with details, and the time of the last play
	Undated    int            // watched films and episodes without a date, which are skipped
	Unreadable int            // skipped or incomplete files
}

// element is a film, a series or an episode as Kodi writes it.
type element struct {
	Title     string `xml:"title"`
	ShowTitle string `xml:"showtitle"`
	Year      string `xml:"year"`
	Premiered string `xml:"premiered"`
	Season    string `xml:"season"`
	Episode   string `xml:"episode"`
	Plays     string `xml:"playcount"`
	Last      string `xml:"lastplayed"`
	Path      string `xml:"filenameandpath"`
	Runtime   string `xml:"fileinfo>streamdetails>video>durationinseconds"`
	IDs       []struct {
		Type    string `xml:"type,attr"`
		Default string `xml:"default,attr"`
		Value   string `xml:",chardata"`
	} `xml:"uniqueid"`
	Genres   []string  `xml:"genre"`
	Tags     []string  `xml:"tag"`
	Episodes []element `xml:"episodedetails"` // of a series in a videodb.xml
}

// reader collects a result.
type reader struct {
	Result
	index    map[string]int      // index in Files, by path
	shows    map[string]*element // series, by folder
	episodes []showEpisode       // episodes of NFO files, added after all series are read
}

// showEpisode is an episode from an NFO file below the folder of its series.
type showEpisode struct {
	path string
	element
}

// Read reads one file, or all NFO files below a folder without following links. The error wraps
// [ErrUnread] or is the context's.
func Read(ctx context.Context, root string) (Result, error) {
	r := &reader{index: map[string]int{}, shows: map[string]*element{}}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && path == root:
			return fmt.Errorf("%w: %w", ErrUnread, err)
		case err != nil:
			r.Unreadable++
		case d.Type().IsRegular() && filepath.Ext(path) == ".nfo", path == root && !d.IsDir():
			r.file(ctx, path)
		}
		return ctx.Err()
	})
	for _, e := range r.episodes {
		r.add(e.path, &e.element, r.showOf(e))
	}
	return r.Result, err
}

// file reads one file.
func (r *reader) file(ctx context.Context, path string) {
	f, err := os.Open(path)
	if err != nil || !r.parse(ctx, f, strings.TrimSuffix(path, filepath.Ext(path))) {
		r.Unreadable++
	}
	if err == nil {
		_ = f.Close()
	}
}

// showOf returns the series of the nearest parent folder, or one with the title that the episode
// names.
func (r *reader) showOf(e showEpisode) *element {
	for dir := filepath.Dir(e.path); ; dir = filepath.Dir(dir) {
		if show := r.shows[dir]; show != nil {
			return show
		}
		if dir == filepath.Dir(dir) {
			return &element{Title: e.ShowTitle}
		}
	}
}

// decode converts text from encodings such as Windows-1251 or ISO-8859-15 to UTF-8. It takes
// unknown encodings as UTF-8.
func decode(label string, in io.Reader) (io.Reader, error) {
	plain := strings.NewReplacer("-", "", "_", "", " ", "")
	for _, e := range charmap.All {
		if strings.EqualFold(plain.Replace(fmt.Sprint(e)), plain.Replace(label)) {
			return e.NewDecoder().Reader(in), nil
		}
	}
	return in, nil
}

// parse reads the films, series and episodes of one file, and reports whether the file is complete.
// It adds the elements before a syntax error, and ignores text outside of elements, such as the
// URL that some programs append.
func (r *reader) parse(ctx context.Context, from io.Reader, path string) bool {
	bounded := &io.LimitedReader{R: from, N: maxElement}
	d, found := xml.NewDecoder(bounded), false
	d.Strict, d.CharsetReader = false, decode
	for ctx.Err() == nil {
		token, err := d.Token()
		if err != nil {
			return found && errors.Is(err, io.EOF) && bounded.N > 0
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		bounded.N = maxElement
		if name := start.Name.Local; name != "movie" && name != "tvshow" && name != "episodedetails" {
			continue
		}
		var e element
		if d.DecodeElement(&e, &start) != nil {
			return false
		}
		found = true
		switch start.Name.Local {
		case "movie":
			r.add(path, &e, nil)
		case "episodedetails":
			r.episodes = append(r.episodes, showEpisode{path, e})
		case "tvshow":
			for _, one := range e.Episodes {
				r.add(path, &one, &e)
			}
			e.Episodes = nil
			r.shows[filepath.Dir(path)] = &e
		}
	}
	return false
}

// add adds a film, or an episode of a show, if it was watched. Episodes with the same path share
// a file.
func (r *reader) add(path string, e, show *element) {
	plays, _ := strconv.Atoi(strings.TrimSpace(e.Plays))
	if plays < 1 {
		return
	}
	last := strings.TrimSpace(e.Last)
	at, err := time.Parse(time.DateTime, last)
	if err != nil { // from other formats only the day is used
		at, err = time.Parse(time.DateOnly, last[:min(len(last), len(time.DateOnly))])
	}
	if err != nil || at.Year() <= 1970 {
		r.Undated++
		return
	}
	last = at.Format(time.DateTime) // a day is midnight, as in Kodi's library
	path = cmp.Or(strings.TrimSpace(e.Path), path)
	n, known := r.index[path]
	if !known || show == nil {
		if n = len(r.Files); known { // several films of one videodb.xml without paths
			path += "#" + strconv.Itoa(n)
		}
		r.index[path] = n
		r.Files = append(r.Files, library.File{ID: int64(n + 1), Path: path, InSource: true})
	}
	f := &r.Files[n]
	seconds, _ := strconv.Atoi(strings.TrimSpace(e.Runtime))
	f.PlayCount, f.LastPlayed = max(f.PlayCount, plays), max(f.LastPlayed, last)
	f.Duration = max(f.Duration, time.Duration(min(max(seconds, 0), 7*24*3600))*time.Second)
	m, whole := viewing.Media{Type: viewing.Movie, Title: library.ValidText(e.Title, library.MaxTitle), IDs: e.identify()}, e
	if show == nil {
		m.Year = library.ParseYear(e.Premiered, e.Year)
	} else {
		whole = show
		m.Type, m.Season, m.Episode = viewing.Episode, library.ParseNumber(e.Season, 0), library.ParseNumber(e.Episode, 1)
		m.Show = &viewing.Show{Title: library.ValidText(show.Title, library.MaxTitle), Year: library.ParseYear(show.Premiered, show.Year), IDs: show.identify()}
		m.IDs = library.EpisodeIDs(m.IDs, m.Show.IDs)
	}
	f.Items = append(f.Items, library.Item{KodiID: int64(len(f.Items) + 1), Media: m, Genres: slices.Clone(whole.Genres), Tags: whole.Tags})
}

// identify returns the valid identifiers of an element.
func (e *element) identify() viewing.IDs {
	var all []library.Identifier
	for _, id := range e.IDs {
		all = append(all, library.Identifier{Namespace: id.Type, Value: strings.TrimSpace(id.Value), Default: id.Default == "true"})
	}
	return library.Identify(all)
}
