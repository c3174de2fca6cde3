// Package nfo reads what NFO files, or the videodb.xml that Kodi exports, say was
// watched. They are written by many programs and by hand: a file that cannot be
// read is counted and left out, and the size of a film in it is bounded.
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

// ErrUnread is wrapped where this user cannot read the path.
var ErrUnread = errors.New("the NFO files cannot be read")

// Result is what was watched.
type Result struct {
	Files      []library.File // in full; the last play of each
	Undated    int            // films and episodes left out: no day of a play is known
	Unreadable int            // files left out
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

// reading collects a result.
type reading struct {
	Result
	at    map[string]int      // place of a file, by its path
	shows map[string]*element // by their folders
	later []episode           // of NFO files, until all series are known
}

// episode is one that lies below the folder of its series.
type episode struct {
	path string
	element
}

// Read reads a file, or all NFO files below a folder. Links are not followed. The
// error wraps [ErrUnread], or is the context's.
func Read(ctx context.Context, root string) (Result, error) {
	r := &reading{at: map[string]int{}, shows: map[string]*element{}}
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
	for _, e := range r.later {
		r.add(e.path, &e.element, r.showOf(e))
	}
	return r.Result, err
}

// file reads one file.
func (r *reading) file(ctx context.Context, path string) {
	f, err := os.Open(path)
	if err != nil || !r.parse(ctx, f, strings.TrimSuffix(path, filepath.Ext(path))) {
		r.Unreadable++
	}
	if err == nil {
		_ = f.Close()
	}
}

// showOf is the series whose folder holds an episode; without one it has the title
// that the episode names.
func (r *reading) showOf(e episode) *element {
	for dir := filepath.Dir(e.path); ; dir = filepath.Dir(dir) {
		if show := r.shows[dir]; show != nil {
			return show
		}
		if dir == filepath.Dir(dir) {
			return &element{Title: e.ShowTitle}
		}
	}
}

// decode reads text of another encoding than UTF-8, such as Windows-1251 or ISO-8859-15.
// One that is not known is read as UTF-8.
func decode(label string, in io.Reader) (io.Reader, error) {
	plain := strings.NewReplacer("-", "", "_", "", " ", "")
	for _, e := range charmap.All {
		if strings.EqualFold(plain.Replace(fmt.Sprint(e)), plain.Replace(label)) {
			return e.NewDecoder().Reader(in), nil
		}
	}
	return in, nil
}

// parse reads the films, series and episodes of one file, and reports whether it
// is whole. What stands before a fault is taken in; text beside the elements, such
// as the address that some programs write there, is none.
func (r *reading) parse(ctx context.Context, from io.Reader, path string) bool {
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
			r.later = append(r.later, episode{path, e})
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

// add takes in a film, or an episode of a show, that was watched. Several
// episodes of one path share a file.
func (r *reading) add(path string, e, show *element) {
	plays, _ := strconv.Atoi(strings.TrimSpace(e.Plays))
	if plays < 1 {
		return
	}
	last := strings.TrimSpace(e.Last)
	at, err := time.Parse(time.DateTime, last)
	if err != nil { // any other form is one day at most
		at, err = time.Parse(time.DateOnly, last[:min(len(last), len(time.DateOnly))])
	}
	if err != nil || at.Year() <= 1970 {
		r.Undated++
		return
	}
	last = at.Format(time.DateTime) // a day is midnight, as in Kodi's library
	path = cmp.Or(strings.TrimSpace(e.Path), path)
	n, known := r.at[path]
	if !known || show == nil {
		if n = len(r.Files); known { // films of a file that names none of theirs
			path += "#" + strconv.Itoa(n)
		}
		r.at[path] = n
		r.Files = append(r.Files, library.File{ID: int64(n + 1), Path: path, InSource: true})
	}
	f := &r.Files[n]
	seconds, _ := strconv.Atoi(strings.TrimSpace(e.Runtime))
	f.PlayCount, f.LastPlayed = max(f.PlayCount, plays), max(f.LastPlayed, last)
	f.Duration = max(f.Duration, time.Duration(min(max(seconds, 0), 7*24*3600))*time.Second)
	m, whole := viewing.Media{Type: viewing.Movie, Title: library.Text(e.Title, library.MaxTitle), IDs: e.identify()}, e
	if show == nil {
		m.Year = library.Year(e.Premiered, e.Year)
	} else {
		whole = show
		m.Type, m.Season, m.Episode = viewing.Episode, library.Place(e.Season, 0), library.Place(e.Episode, 1)
		m.Show = &viewing.Show{Title: library.Text(show.Title, library.MaxTitle), Year: library.Year(show.Premiered, show.Year), IDs: show.identify()}
		m.IDs = library.EpisodeIDs(m.IDs, m.Show.IDs)
	}
	f.Items = append(f.Items, library.Item{KodiID: int64(len(f.Items) + 1), Media: m, Genres: slices.Clone(whole.Genres), Tags: whole.Tags})
}

// identify is what the identifiers of an element can be trusted with.
func (e *element) identify() viewing.IDs {
	var all []library.Identifier
	for _, id := range e.IDs {
		all = append(all, library.Identifier{Namespace: id.Type, Value: strings.TrimSpace(id.Value), Default: id.Default == "true"})
	}
	return library.Identify(all)
}
