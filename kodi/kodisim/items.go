package kodisim

import (
	"database/sql"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Ref is one item of a library: a film (viewing.Movie), an episode
// (viewing.Episode) or a show (viewing.TV), by Kodi's own id, which a refresh
// changes.
type Ref struct {
	Type viewing.MediaType
	ID   int64
}

// String is such as "movie 3".
func (r Ref) String() string { return fmt.Sprintf("%s %d", r.Type, r.ID) }

// kind is where a type of item is kept.
type kind struct {
	table, key, media string // table, its key, and its name in uniqueid and the like
	runtime, unique   string // columns of running time and default identifier
}

func (r Ref) kind() (kind, error) {
	switch r.Type {
	case viewing.Movie:
		return kind{"movie", "idMovie", "movie", "c11", "c09"}, nil
	case viewing.Episode:
		return kind{"episode", "idEpisode", "episode", "c09", "c20"}, nil
	case viewing.TV:
		return kind{"tvshow", "idShow", "tvshow", "duration", "c12"}, nil
	default:
		return kind{}, fmt.Errorf("%w: type %q", ErrNoItem, r.Type)
	}
}

// Claim is what an NFO beside a file says of its past. Kodi believes it at
// every scan and refresh; without one it forgets what it knew.
type Claim struct {
	PlayCount  int
	LastPlayed string    // "2006-01-02"; Kodi reads the date alone
	ReadAt     time.Time // when Kodi reads it: a count without a date gets this time
}

// columns are what Kodi writes for the claim.
func (c Claim) columns() (plays, last any) {
	if c.PlayCount > 0 {
		plays, last = c.PlayCount, clock(c.ReadAt)
	}
	if len(c.LastPlayed) >= len("2006-01-02") {
		last = c.LastPlayed[:10] + " 00:00:00"
	}
	return plays, last
}

// Film is a film to add.
type Film struct {
	Title    string
	Year     int
	IDs      viewing.IDs
	Path     string        // of the file; "" makes one from the title, under the first source of films
	Duration time.Duration // 0 leaves it unknown
	Claim    Claim
}

// Show is a show to add.
type Show struct {
	Title string
	Year  int
	IDs   viewing.IDs
	Path  string // of the folder, ending in a slash; "" makes one from the title
}

// Episode is one episode of a file.
type Episode struct {
	Season, Number int // from 0 and 1
	Title          string
	IDs            viewing.IDs
}

// EpisodeFile is a file to add, with the one or several episodes it holds.
type EpisodeFile struct {
	Path     string        // "" makes one from show, season and numbers
	Duration time.Duration // of the whole file; 0 leaves it unknown
	Episodes []Episode
	Claim    Claim
}

// ids lists identifiers in the order in which Kodi writes them.
func listIDs(ids viewing.IDs) [][2]string {
	var all [][2]string
	if ids.IMDB != "" {
		all = append(all, [2]string{"imdb", ids.IMDB})
	}
	if ids.TMDB > 0 {
		all = append(all, [2]string{"tmdb", fmt.Sprint(ids.TMDB)})
	}
	if ids.TVDB > 0 {
		all = append(all, [2]string{"tvdb", fmt.Sprint(ids.TVDB)})
	}
	return all
}

// writeIDs adds identifiers and returns the row of the default one: tmdb's,
// else the last; -1 when there is none.
func writeIDs(tx *sql.Tx, media string, id int64, ids viewing.IDs) (int64, error) {
	standard := int64(-1)
	for _, pair := range listIDs(ids) {
		row, err := insert(tx, `insert into uniqueid (media_id, media_type, value, type) values (?, ?, ?, ?)`,
			id, media, pair[1], pair[0])
		if err != nil {
			return 0, err
		}
		if standard < 0 || pair[0] == "tmdb" || ids.TMDB == 0 {
			standard = row
		}
	}
	return standard, nil
}

// insert runs an insert and returns the new row's id.
func insert(tx *sql.Tx, query string, args ...any) (int64, error) {
	result, err := tx.Exec(query, args...)
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

// run runs statements one after the other, each with the same arguments.
func run(tx *sql.Tx, statements []string, args ...any) error {
	for _, statement := range statements {
		if _, err := tx.Exec(statement, args...); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// lookUp reads one number; ErrNoItem when there is no row.
func lookUp(tx *sql.Tx, query string, args ...any) (int64, error) {
	var n int64
	err := tx.QueryRow(query, args...).Scan(&n)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, ErrNoItem
	}
	return n, err
}

// folderID finds the row of a folder, or makes one as a scan does.
func folderID(tx *sql.Tx, folder string) (int64, error) {
	id, err := lookUp(tx, `select idPath from path where strPath = ?`, folder)
	if !errors.Is(err, ErrNoItem) {
		return id, err
	}
	return insert(tx, `insert into path (strPath, idParentPath) values (?, (select idPath from path where strPath = ?))`,
		folder, parent(folder))
}

// parent is the folder that holds an address, with its slash; "" above the root.
func parent(address string) string {
	trimmed := strings.TrimSuffix(address, "/")
	return trimmed[:strings.LastIndex(trimmed, "/")+1]
}

// fileID finds the row of a file, or makes one; its folder must have one.
func fileID(tx *sql.Tx, folder int64, name string, at time.Time) (int64, error) {
	id, err := lookUp(tx, `select idFile from files where idPath = ? and strFilename = ?`, folder, name)
	if !errors.Is(err, ErrNoItem) {
		return id, err
	}
	return insert(tx, `insert into files (idPath, strFilename, dateAdded) values (?, ?, ?)`, folder, name, clock(at))
}

// fileOf is the file of a film or an episode.
func fileOf(tx *sql.Tx, r Ref) (int64, error) {
	k, err := r.kind()
	if err != nil {
		return 0, err
	}
	if r.Type == viewing.TV {
		return 0, fmt.Errorf("%w: a show has no file of its own", ErrNoItem)
	}
	return lookUp(tx, `select idFile from `+k.table+` where `+k.key+` = ?`, r.ID)
}

// source is the folder that Kodi scans for a kind of content.
func source(tx *sql.Tx, content string) (string, error) {
	var folder string
	err := tx.QueryRow(`select strPath from path where strContent = ? order by idPath`, content).Scan(&folder)
	if errors.Is(err, sql.ErrNoRows) {
		return "", fmt.Errorf("%w: no source of %s", ErrNoItem, content)
	}
	return folder, err
}

// split parts an address into folder, with its slash, and name.
func split(address string) (folder, name string) { return path.Split(address) }
