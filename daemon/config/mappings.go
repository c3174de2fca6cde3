package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/filmspool/filmspool/daemon/setting"
	"github.com/filmspool/filmspool/queue/resolve/identity"
)

// Bounds on mappings.toml, and on each range of episodes in it.
const (
	maxMappings = 4 << 20 // bytes
	maxEpisodes = 10_000
	settles     = 2 * time.Second // a file that has changed since may be half saved
)

// Mappings is where a person's mappings are: beside the configuration.
func (p Paths) Mappings() string { return filepath.Join(filepath.Dir(p.File), "mappings.toml") }

// mapping is one of the file. What may not be left out is a pointer.
type mapping struct {
	Source     string `toml:"source"`
	Season     *int   `toml:"season"` // left out where the source counts without seasons
	First      *int   `toml:"first"`
	Last       *int   `toml:"last"`
	TMDB       *int   `toml:"tmdb"`
	TMDBSeason *int   `toml:"tmdb_season"`
	TMDBFirst  *int   `toml:"tmdb_first"`
}

// LoadMappings reads mappings.toml: for series that a source numbers otherwise than
// TMDB. There are none without the file. Every error wraps [ErrInvalid] and names
// the line.
func LoadMappings(file string) (identity.Mappings, error) {
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() { // a pipe would never end
		return nil, &refusal{problem: file + " is no plain file"}
	}
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unread(file, err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxMappings+1))
	if err != nil {
		return nil, unread(file, err)
	}
	if len(text) > maxMappings {
		return nil, &refusal{problem: fmt.Sprintf("%s is larger than %d MB", file, maxMappings>>20)}
	}
	return readMappings(file, text)
}

// readMappings reads the text of the file.
func readMappings(file string, text []byte) (identity.Mappings, error) {
	var given struct {
		Mapping []mapping `toml:"mapping"`
	}
	if err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(&given); err != nil {
		return nil, shown(file, err)
	}
	c := Config{lines: map[string]int{}}
	const of = "mappings.toml: "
	for name, line := range setting.Lines(text) {
		c.lines[of+name] = line
	}
	all := identity.Mappings{}
	var faults []error
	for i, m := range given.Mapping {
		if len(faults) == maxFaults {
			break
		}
		list, err := m.check(fmt.Sprintf(of+"mapping[%d]", i))
		if err != nil {
			faults = append(faults, err)
			continue
		}
		one := identity.Mapping{
			From: identity.Place{List: list, Season: -1, Number: *m.First}, Last: *m.Last,
			To: identity.Place{List: "tmdb:" + strconv.Itoa(*m.TMDB), Season: *m.TMDBSeason, Number: *m.TMDBFirst},
		}
		if m.Season != nil {
			one.From.Season = *m.Season
		}
		all[list] = append(all[list], one)
	}
	if err := c.refusals(faults...); err != nil {
		return nil, err
	}
	return all, nil
}

// check gives the list that a mapping leads from, or what is wrong with it.
func (m mapping) check(setting string) (list string, err error) {
	for _, n := range []struct {
		name  string
		value *int
		least int
	}{{"first", m.First, 1}, {"last", m.Last, 1}, {"tmdb", m.TMDB, 1}, {"tmdb_season", m.TMDBSeason, 0}, {"tmdb_first", m.TMDBFirst, 1}} {
		if n.value == nil {
			return "", fault(setting, "%s is missing; write the number behind %s =", n.name, n.name)
		}
		if *n.value < n.least {
			return "", fault(setting+"."+n.name, "%d is not %d or more", *n.value, n.least)
		}
	}
	if m.Season != nil && *m.Season < 0 {
		return "", fault(setting+".season", "%d is not 0 or more; leave it out where there are no seasons", *m.Season)
	}
	if *m.Last < *m.First || *m.Last-*m.First >= maxEpisodes {
		return "", fault(setting+".last", "%d to %d is not a range of 1 to %d episodes", *m.First, *m.Last, maxEpisodes)
	}
	name, value, _ := strings.Cut(m.Source, ":")
	digits, tt := strings.CutPrefix(value, "tt")
	n, err := strconv.ParseUint(digits, 10, 63)
	switch {
	case name == "title" && identity.TitleList(value) != identity.TitleList(""):
		return identity.TitleList(value), nil
	case (name == "tvdb" || name == "anidb") && !tt && err == nil:
		return name + ":" + strconv.FormatUint(n, 10), nil
	case name == "imdb" && tt && err == nil && len(digits) >= 7:
		return m.Source, nil
	}
	return "", fault(setting+".source", `%q is none of "tvdb:81189", "imdb:tt0903747", "anidb:1" and "title:Breaking Bad"`, m.Source)
}

// MappingsFile is where a person keeps mappings. They are read again when it has changed. A
// file with a fault changes nothing.
type MappingsFile struct {
	Name string

	mu    sync.Mutex
	read  bool
	at    time.Time // when the file was changed; zero when there is none
	size  int64
	good  identity.Mappings
	wrong error // with the file as it is now
}

// Current are the mappings that count, and whether they are others than before.
func (m *MappingsFile) Current() (all identity.Mappings, changed bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var at time.Time
	var size int64
	if info, err := os.Stat(m.Name); err == nil {
		at, size = info.ModTime(), info.Size()
	}
	if m.read && at.Equal(m.at) && size == m.size {
		return m.good, false
	}
	fresh, err := LoadMappings(m.Name)
	saving := time.Since(at)
	if m.wrong = err; m.read && err == nil && saving >= 0 && saving < settles {
		return m.good, false // it is read again
	}
	if m.read, m.at, m.size = true, at, size; err != nil {
		return m.good, false
	}
	changed = len(fresh)+len(m.good) > 0
	m.good = fresh
	return fresh, changed
}

// Wrong says in one line what is wrong with the file; "" when all is well.
func (m *MappingsFile) Wrong() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.wrong == nil {
		return ""
	}
	line, _, _ := strings.Cut(strings.TrimPrefix(m.wrong.Error(), ErrInvalid.Error()+": "), "\n")
	return line
}
