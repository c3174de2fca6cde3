package library

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Read takes one snapshot of the library file at path, whose name must be
// MyVideosNNN.db. Of all files it reads what Kodi counts, and the numbers of the
// items; what pick picks of them is read in full, everything when it is nil.
// Kodi waits for 100 ms at most while a library of 35,000 files is read.
//
// The errors are those of this package, or the context's.
func Read(ctx context.Context, path string, pick func(File) bool) (Snapshot, error) {
	version, ok := versionOf(filepath.Base(path))
	if !ok {
		return Snapshot{}, fmt.Errorf("read library %s: %w: its name is not MyVideosNNN.db", path, ErrUnsupported)
	}
	snap := Snapshot{Path: path, Origin: path, Version: version}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		snap.Origin = real
	}
	err := openFile(ctx, path, func(ctx context.Context, s *session) error {
		return s.together(ctx, func() (err error) {
			snap.Files, err = s.readFiles(ctx, version, pick)
			return err
		})
	})
	if err != nil {
		return Snapshot{}, fmt.Errorf("read library %s: %w", path, err)
	}
	return snap, nil
}

// chunk is how many files are read in full at once.
const chunk = 500

// readFiles reads all files, and those that were picked in full.
func (s *session) readFiles(ctx context.Context, version int, pick func(File) bool) (all []File, err error) {
	var folders map[int64]folder
	err = s.step(ctx, func() error {
		if err := s.check(ctx, version); err != nil {
			return err
		}
		folders, err = s.readFolders(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	if all, err = s.readCounts(ctx, folders); err != nil {
		return nil, err
	}
	rows, err := s.readItems(ctx, version)
	if err != nil {
		return nil, err
	}
	all, byFile := withItems(all, rows)
	var picked []*File
	for i := range all {
		if pick == nil || pick(all[i]) {
			picked = append(picked, &all[i])
		}
	}
	for part := range slices.Chunk(picked, chunk) {
		d := newDetails()
		if err := s.step(ctx, func() error { return d.read(ctx, s, part, byFile) }); err != nil {
			return nil, err
		}
		for _, f := range part {
			d.complete(f, byFile[f.ID])
		}
	}
	return all, nil
}

// readCounts reads what Kodi counts of each file. It leaves out rows without a
// name, which Kodi makes for folders.
func (s *session) readCounts(ctx context.Context, folders map[int64]folder) (all []File, err error) {
	var id, in, plays int64
	var name, last string
	err = s.paged(ctx, `select idFile, ifnull(idPath, 0), strFilename, `+s.integer("playCount")+`, ifnull(lastPlayed, '')
		from files where strFilename <> '' and idFile`, &id, func() {
		if strings.HasSuffix(name, "/") {
			return
		}
		f := folders[in]
		all = append(all, File{
			ID: id, Path: join(f.path, name), PlayCount: int(max(plays, 0)), LastPlayed: last, Folder: f.source, InSource: f.source != "",
		})
	}, &in, &name, &plays, &last)
	return all, err
}

// join is Kodi's way from folder and name to an address: a name that is a
// whole address of its own (stack://, plugin://, an archive) stands alone.
func join(folder, name string) string {
	if strings.Contains(name, "://") {
		return name
	}
	return folder + name
}

// folder is one that Kodi knows.
type folder struct {
	path   string
	source string // the source of films or series it lies under, as Kodi writes it; "" for none
}

func (s *session) readFolders(ctx context.Context) (map[int64]folder, error) {
	all, scanned := map[int64]folder{}, map[string]bool{}
	var id int64
	var path, content, excluded string
	r := s.query(ctx, `select idPath, ifnull(strPath, ''), `+s.optional("path", "strContent")+`, `+s.optional("path", "exclude")+` from path`)
	for r.read(&id, &path, &content, &excluded) {
		all[id] = folder{path: path}
		if excluded != "" && excluded != "0" {
			scanned[path] = false
		} else if content != "" {
			scanned[path] = content == "movies" || content == "tvshows"
		}
	}
	for id, f := range all {
		f.source = source(scanned, f.path)
		all[id] = f
	}
	return all, r.end()
}

// source walks up from path to the first folder of which is known whether Kodi
// scans it; it is "" when that one is not scanned.
func source(scanned map[string]bool, path string) string {
	for path != "" {
		if yes, known := scanned[path]; yes {
			return path
		} else if known {
			return ""
		}
		path = path[:strings.LastIndexAny(path[:len(path)-1], `/\`)+1]
	}
	return ""
}

// itemRow is a film or an episode in one of its files.
type itemRow struct {
	file, id, show, uid int64
	season, number      int32 // last for none
	film, extra         bool
}

// readItems reads the numbers of all films and episodes, in the order of their
// files, and within a file in their own. From schema 123 on a film has several
// files, and only the one that was played counts it.
func (s *session) readItems(ctx context.Context, version int) (all []itemRow, err error) {
	var i itemRow
	var uid, season, number string
	err = s.paged(ctx, `select idEpisode, ifnull(idFile, 0), ifnull(idShow, 0), ifnull(c12, ''), ifnull(c13, ''), ifnull(c20, '')
		from episode where idEpisode`, &i.id, func() {
		i.season, i.number, i.uid = place(season, 0), place(number, 1), rowOf(uid)
		all = append(all, i)
	}, &i.file, &i.show, &season, &number, &uid)
	if err != nil {
		return nil, err
	}
	versions := map[[2]int64]bool{} // film and file → it is an extra
	if len(s.columns["videoversion"]) > 0 {
		if err := s.step(ctx, func() error { versions, err = s.readVersions(ctx, version); return err }); err != nil {
			return nil, err
		}
	}
	uids := map[int64]int64{}
	i = itemRow{season: last, number: last, film: true}
	err = s.paged(ctx, `select idMovie, ifnull(idFile, 0), ifnull(c09, '') from movie where idMovie`, &i.id, func() {
		i.uid = rowOf(uid)
		uids[i.id] = i.uid
		if _, known := versions[[2]int64{i.id, i.file}]; !known {
			all = append(all, i)
		}
	}, &i.file, &uid)
	for of, extra := range versions {
		if uid, ok := uids[of[0]]; ok {
			all = append(all, itemRow{id: of[0], file: of[1], uid: uid, season: last, number: last, film: true, extra: extra})
		}
	}
	slices.SortFunc(all, func(a, b itemRow) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.season, b.season), cmp.Compare(a.number, b.number), cmp.Compare(a.id, b.id))
	})
	return all, err
}

func (s *session) readVersions(ctx context.Context, version int) (map[[2]int64]bool, error) {
	media, extra := "media_type", int64(1)
	if s.has("videoversion", "mediaType") { // schemas 123 to 127
		media = "mediaType"
	}
	if version >= 134 {
		extra = 2
	}
	if !s.has("videoversion", "idFile", "idMedia", "itemType", media) {
		return nil, fmt.Errorf("%w: table videoversion lacks a column", ErrUnsupported)
	}
	all := map[[2]int64]bool{}
	var film, file, kind int64
	r := s.query(ctx, `select ifnull(idMedia, 0), ifnull(idFile, 0), ifnull(itemType, -1) from videoversion where `+media+` = 'movie'`)
	for r.read(&film, &file, &kind) {
		all[[2]int64{film, file}] = kind == extra
	}
	return all, r.end()
}

// withItems gives the files their items, and leaves out those without one that lie
// under no source.
func withItems(files []File, rows []itemRow) ([]File, map[int64][]itemRow) {
	items, byFile, kept := make([]Item, len(rows)), make(map[int64][]itemRow), files[:0]
	at := 0
	for _, f := range files { // both in the order of the files
		for at < len(rows) && rows[at].file < f.ID {
			at++
		}
		from := at
		for ; at < len(rows) && rows[at].file == f.ID; at++ {
			r := rows[at]
			items[at] = Item{KodiID: r.id, IDRow: r.uid, Extra: r.extra, Media: viewing.Media{Type: viewing.Episode}}
			if r.film {
				items[at].Media.Type = viewing.Movie
			}
		}
		if from < at {
			f.Items, byFile[f.ID] = items[from:at:at], rows[from:at]
		}
		if f.InSource || from < at {
			kept = append(kept, f)
		}
	}
	return kept, byFile
}

// details are what the items of some files are.
type details struct {
	films    map[int64]filmRow
	episodes map[int64]episodeRow
	shows    map[int64]showRow
	runtimes map[int64]int64 // seconds, by file
	ids      map[owner][]identifier
	labels   map[string]map[owner][]string // by "genre" and "tag"
	shared   map[string]bool               // TMDB numbers that several episodes claim
}

type (
	filmRow    struct{ title, premiered, year, runtime string }
	episodeRow struct{ title, runtime string }
	showRow    struct {
		title, premiered string
		uid              int64
	}
)

// owner is what an identifier or a label belongs to.
type owner struct {
	kind string // movie, episode or tvshow
	id   int64
}

func newDetails() *details {
	return &details{
		films: map[int64]filmRow{}, episodes: map[int64]episodeRow{}, shows: map[int64]showRow{}, runtimes: map[int64]int64{},
		ids: map[owner][]identifier{}, labels: map[string]map[owner][]string{"genre": {}, "tag": {}}, shared: map[string]bool{},
	}
}

// read reads the details of some files.
func (d *details) read(ctx context.Context, s *session, files []*File, byFile map[int64][]itemRow) error {
	var ids, films, episodes, shows []int64
	for _, f := range files {
		ids = append(ids, f.ID)
		for _, i := range byFile[f.ID] {
			if i.film {
				films = append(films, i.id)
			} else {
				episodes, shows = append(episodes, i.id), append(shows, i.show)
			}
		}
	}
	var id, seconds int64
	var film filmRow
	r := s.query(ctx, `select idMovie, ifnull(c00, ''), ifnull(premiered, ''), `+s.optional("movie", "c07")+`, `+s.optional("movie", "c11")+`
		from movie where `+among("idMovie", films))
	for r.read(&id, &film.title, &film.premiered, &film.year, &film.runtime) {
		d.films[id] = film
	}
	if err := r.end(); err != nil {
		return err
	}
	var episode episodeRow
	r = s.query(ctx, `select idEpisode, ifnull(c00, ''), `+s.optional("episode", "c09")+` from episode where `+among("idEpisode", episodes))
	for r.read(&id, &episode.title, &episode.runtime) {
		d.episodes[id] = episode
	}
	if err := r.end(); err != nil {
		return err
	}
	var show showRow
	var uid string
	r = s.query(ctx, `select idShow, ifnull(c00, ''), `+s.optional("tvshow", "c05")+`, ifnull(c12, '') from tvshow where `+among("idShow", shows))
	for r.read(&id, &show.title, &show.premiered, &uid) {
		show.uid = rowOf(uid)
		d.shows[id] = show
	}
	if err := r.end(); err != nil {
		return err
	}
	if s.has("streamdetails", "idFile", "iStreamType", "iVideoDuration") { // else the scraper's running time has to do
		r = s.query(ctx, `select idFile, `+s.integer("iVideoDuration")+` from streamdetails where iStreamType = 0 and `+among("idFile", ids))
		for r.read(&id, &seconds) {
			d.runtimes[id] = max(d.runtimes[id], seconds)
		}
		if err := r.end(); err != nil {
			return err
		}
	}
	for kind, owners := range map[string][]int64{"movie": films, "episode": episodes, "tvshow": shows} {
		if err := d.readIDs(ctx, s, kind, owners); err != nil {
			return err
		}
		for label := range d.labels {
			if err := d.readLabels(ctx, s, label, kind, owners); err != nil {
				return err
			}
		}
	}
	return d.findShared(ctx, s, episodes)
}

// among is a condition: the column is one of some numbers.
func among(column string, ids []int64) string {
	texts := make([]string, len(ids)+1)
	texts[0] = "null" // an empty list is no SQL of MySQL's
	for i, id := range ids {
		texts[i+1] = strconv.FormatInt(id, 10)
	}
	return column + " in (" + strings.Join(texts, ",") + ")"
}

func (d *details) readIDs(ctx context.Context, s *session, kind string, owners []int64) error {
	var i identifier
	var id int64
	r := s.query(ctx, `select ifnull(media_id, 0), uniqueid_id, type, ifnull(value, '') from uniqueid
		where type in ('tmdb', 'imdb', 'tvdb') and media_type = ? and `+among("media_id", owners)+` order by uniqueid_id`, kind)
	for r.read(&id, &i.row, &i.namespace, &i.value) {
		d.ids[owner{kind, id}] = append(d.ids[owner{kind, id}], i)
	}
	return r.end()
}

// readLabels reads the genres or the tags of films and series, in their order;
// none when the schema keeps them in another way.
func (d *details) readLabels(ctx context.Context, s *session, label, kind string, owners []int64) error {
	id, link := label+"_id", label+"_link"
	if len(owners) == 0 || !s.has(label, id, "name") || !s.has(link, id, "media_id", "media_type") {
		return nil
	}
	var of int64
	var name string
	r := s.query(ctx, fmt.Sprintf(`select media_id, n.name from %s l join %s n on n.%s = l.%[3]s where n.name <> '' and media_type = ? and %s
		order by media_id, n.name, n.%[3]s`, link, label, id, among("media_id", owners)), kind)
	for r.read(&of, &name) {
		o := owner{kind, of}
		if name = text(name); !slices.Contains(d.labels[label][o], name) {
			d.labels[label][o] = append(d.labels[label][o], name)
		}
	}
	return r.end()
}

// findShared finds the TMDB numbers of episodes that others claim as well: some
// scrapers give every episode the number of its series.
func (d *details) findShared(ctx context.Context, s *session, episodes []int64) error {
	first, place := map[string]string{}, ""
	var value, title, season, number string
	r := s.query(ctx, `select ifnull(u.value, ''), ifnull(w.c00, ''), ifnull(e.c12, ''), ifnull(e.c13, '') from uniqueid u
		join episode e on e.idEpisode = u.media_id left join tvshow w on w.idShow = e.idShow
		where u.media_type = 'episode' and u.type = 'tmdb' and u.value in
			(select value from uniqueid where media_type = 'episode' and type = 'tmdb' and `+among("media_id", episodes)+`)`)
	for r.read(&value, &title, &season, &number) {
		place = title + "\x00" + season + "\x00" + number
		if known, ok := first[value]; ok && known != place {
			d.shared[value] = true
		}
		first[value] = place
	}
	return r.end()
}

// complete gives a file what its items are, and its running time: what its streams
// say, else the longest that an item claims.
func (d *details) complete(f *File, rows []itemRow) {
	f.Items = slices.Clone(f.Items)
	claimed := int64(0)
	for n, i := range rows {
		runtime := d.episodes[i.id].runtime
		if i.film {
			d.film(&f.Items[n], i)
			runtime = d.films[i.id].runtime
		} else {
			d.episode(&f.Items[n], i)
		}
		if !i.extra { // its running time is the film's
			claimed = max(claimed, number(runtime, maxSeconds))
		}
	}
	seconds := cmp.Or(d.runtimes[f.ID], claimed)
	f.Duration = time.Duration(min(max(seconds, 0), maxSeconds)) * time.Second
}

// maxSeconds bounds a running time: a week.
const maxSeconds = 7 * 24 * 3600

// ReadTagged reads the films, then the series, that have a tag in the library
// file at path. Letter case does not matter: a file tells tags apart by case, a
// server does not. The errors are those of [Read]; a library that has no such
// tables is [ErrUnsupported].
func ReadTagged(ctx context.Context, path, tag string) (all []Tagged, err error) {
	version, ok := versionOf(filepath.Base(path))
	if !ok {
		return nil, fmt.Errorf("read tags of %s: %w: its name is not MyVideosNNN.db", path, ErrUnsupported)
	}
	err = openFile(ctx, path, func(ctx context.Context, s *session) error {
		return s.transact(ctx, func() error {
			all, err = s.readTagged(ctx, version, tag)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("read tags of %s: %w", path, err)
	}
	return all, nil
}

func (s *session) readTagged(ctx context.Context, version int, tag string) (all []Tagged, err error) {
	if err := s.check(ctx, version); err != nil {
		return nil, err
	}
	if !s.has("tag", "tag_id", "name") || !s.has("tag_link", "tag_id", "media_id", "media_type") || !s.has("tvshowlinkpath", "idShow", "idPath") {
		return nil, fmt.Errorf("%w: it has no tables of tags", ErrUnsupported)
	}
	tagged := map[string][]int64{}
	var name, kind string
	var id int64
	r := s.query(ctx, `select ifnull(t.name, ''), l.media_type, l.media_id from tag_link l join tag t on t.tag_id = l.tag_id
		where l.media_type in ('movie', 'tvshow')`)
	for r.read(&name, &kind, &id) {
		if strings.EqualFold(strings.TrimSpace(name), tag) {
			tagged[kind] = append(tagged[kind], id)
		}
	}
	if err := r.end(); err != nil {
		return nil, err
	}
	films := `select m.idMovie, ifnull(m.c00, ''), ifnull(m.premiered, ''), ` + s.optional("movie", "c07") + `, ifnull(m.c09, ''),
		ifnull(p.strPath, ''), ifnull(f.strFilename, '') from movie m left join files f on f.idFile = m.idFile
		left join path p on p.idPath = f.idPath where ` + among("m.idMovie", tagged["movie"]) + ` order by m.idMovie`
	shows := `select s.idShow, ifnull(s.c00, ''), ` + s.optional("tvshow", "c05") + `, '', ifnull(s.c12, ''),
		ifnull((select min(p.strPath) from tvshowlinkpath l join path p on p.idPath = l.idPath where l.idShow = s.idShow), ''), ''
		from tvshow s where ` + among("s.idShow", tagged["tvshow"]) + ` order by s.idShow`
	d := newDetails()
	for _, q := range []struct {
		kind, query string
		as          viewing.MediaType
	}{{"movie", films, viewing.Movie}, {"tvshow", shows, viewing.TV}} {
		if err := d.readIDs(ctx, s, q.kind, tagged[q.kind]); err != nil {
			return nil, err
		}
		var title, premiered, released, uid, folder, file string
		r := s.query(ctx, q.query)
		for r.read(&id, &title, &premiered, &released, &uid, &folder, &file) {
			m := viewing.Media{Type: q.as, Title: text(title), Year: year(premiered, released), IDs: d.idsOf(owner{q.kind, id}, rowOf(uid))}
			all = append(all, Tagged{Media: m, Path: join(folder, file)})
		}
		if err := r.end(); err != nil {
			return nil, err
		}
	}
	return all, nil
}
