package library

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Read returns a snapshot of the library. It reads play counts and item ids of all files, and the
// details of the files that pick selects, or of all if pick is nil. One transaction in a file reads
// at most 4,000 rows, or the details of 200 files, so that Kodi can write in between. If the
// library changes repeatedly during the read, the error is [ErrBusy].
//
// The errors are those of this package, or the context's.
func (d Database) Read(ctx context.Context, pick func(File) bool) (snap Snapshot, err error) {
	written := lastChanged(d.Path)
	err = d.withSession(ctx, func(s *session) {
		before := s.checksum()
		snap = Snapshot{Path: s.path, Origin: s.origin, Version: s.version, Written: written, Stamp: before, Files: s.readFiles(pick)}
		if s.checksum() != before { // some storage engines of servers have no transactions
			s.fail(errChanged)
		}
	})
	if err != nil {
		return Snapshot{}, err
	}
	return snap, nil
}

// ReadTagged returns the films, then the series, that have one of these tags, ignoring case: tags
// are case-sensitive in a file but not on a server. The errors are those of [Database.Read];
// if the library has no tag tables, it is [ErrUnsupported].
func (d Database) ReadTagged(ctx context.Context, tags []string) (all []Tagged, err error) {
	err = d.withSession(ctx, func(s *session) {
		s.step(func() { all = s.readTagged(tags) })
	})
	return all, err
}

// Check returns an error if the library cannot be read now.
func (d Database) Check(ctx context.Context) error { return d.withSession(ctx, func(*session) {}) }

// chunkSize is for how many files one step reads the details.
const chunkSize = 200

// readFiles reads all files, and the details of those that pick selects.
func (s *session) readFiles(pick func(File) bool) []File {
	all, items := s.readCounts(s.readFolders()), s.readItems()
	all = slices.DeleteFunc(all, func(f File) bool { return !f.InSource && len(items[f.ID]) == 0 })
	var picked []*File
	for i := range all {
		for _, one := range items[all[i].ID] {
			item := Item{KodiID: one.id, IDRow: max(one.uid, 0), Extra: one.extra, Media: viewing.Media{Type: one.kind}}
			all[i].Items = append(all[i].Items, item)
		}
		if pick == nil || pick(all[i]) {
			picked = append(picked, &all[i])
		}
	}
	for part := range slices.Chunk(picked, chunkSize) {
		s.step(func() { s.fillDetails(part) })
	}
	return all
}

// readCounts reads play count and time of each file. It skips rows without a name, which Kodi
// makes for folders.
func (s *session) readCounts(folders map[int64]folder) (all []File) {
	var id, in, plays int64
	var name, last string
	s.queryPages(&id, []any{&in, &name, &plays, &last}, func() {
		if f := folders[in]; !strings.HasSuffix(name, "/") {
			all = append(all, File{
				ID: id, Path: joinPath(f.path, name), PlayCount: int(max(plays, 0)), LastPlayed: last, Folder: f.source, InSource: f.source != "",
			})
		}
	}, `select idFile, ifnull(idPath, 0), strFilename, ifnull(playCount, 0), ifnull(lastPlayed, '') from files where strFilename <> '' and idFile`)
	return all
}

// joinPath joins folder and name as Kodi does: a name that is a URL (stack://, plugin://, an
// archive) is used alone.
func joinPath(folder, name string) string {
	if strings.Contains(name, "://") {
		return name
	}
	return folder + name
}

// folder is a row of Kodi's table of folders.
type folder struct {
	path   string
	source string // the source of films or series that contains it; "" for none
}

// readFolders reads Kodi's folders by id, with the source that contains each of them.
func (s *session) readFolders() map[int64]folder {
	all, scanned := map[int64]folder{}, map[string]bool{}
	var id int64
	var path, content, excluded string
	s.queryPages(&id, []any{&path, &content, &excluded}, func() {
		all[id] = folder{path: path}
		if excluded != "" && excluded != "0" {
			scanned[path] = false
		} else if content != "" {
			scanned[path] = content == "movies" || content == "tvshows"
		}
	}, `select idPath, ifnull(strPath, ''), `+s.optional("path", "strContent")+`, `+s.optional("path", "exclude")+` from path where idPath`)
	for id, f := range all {
		f.source = sourceOf(scanned, f.path)
		all[id] = f
	}
	return all
}

// sourceOf walks up from path to the first folder with a scan setting, and returns it if Kodi
// scans it, else "".
func sourceOf(scanned map[string]bool, path string) string {
	for path != "" {
		if scans, known := scanned[path]; scans {
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
	kind           viewing.MediaType
	id, uid, order int64 // order sorts the episodes of a file
	extra          bool
}

// readItems reads the ids of all films and episodes by file, sorted by season and episode. From
// schema 123 on a film may have several files with a play count each.
func (s *session) readItems() map[int64][]itemRow {
	all := map[int64][]itemRow{}
	var file int64
	i := itemRow{kind: viewing.Episode}
	take := func() { all[file] = append(all[file], i) }
	s.queryPages(&i.id, []any{&file, &i.uid, &i.order}, take, `select idEpisode, ifnull(idFile, 0), `+s.integer("c20")+`,
		`+s.integer("c12")+` * 100000 + `+s.integer("c13")+` from episode where idEpisode`)
	for _, episodes := range all {
		slices.SortStableFunc(episodes, func(a, b itemRow) int { return cmp.Compare(a.order, b.order) })
	}
	i = itemRow{kind: viewing.Movie}
	if len(s.columns["videoversion"]) == 0 {
		s.queryPages(&i.id, []any{&file, &i.uid}, take, `select idMovie, ifnull(idFile, 0), `+s.integer("c09")+` from movie where idMovie`)
		return all
	}
	media, extra := "media_type", 1
	if s.hasColumns("videoversion", "mediaType") { // schemas 123 to 127
		media = "mediaType"
	}
	if s.version >= 134 {
		extra = 2
	}
	if !s.hasColumns("videoversion", "idFile", "idMedia", "itemType", media) {
		s.fail(fmt.Errorf("%w: table videoversion lacks a column", ErrUnsupported))
	}
	s.queryPages(&file, []any{&i.id, &i.uid, &i.extra}, take, fmt.Sprintf(`select v.idFile, m.idMovie, %s, ifnull(v.itemType, 0) = %d
		from videoversion v join movie m on m.idMovie = v.idMedia where v.%s = 'movie' and v.idFile`, s.integer("m.c09"), extra, media))
	return all
}

// fillDetails reads the details of files. The running time is that of the streams, else the
// longest one of the items.
func (s *session) fillDetails(files []*File) {
	var ids []int64
	items := map[string][]int64{}
	for _, f := range files {
		ids = append(ids, f.ID)
		f.Items = slices.Clone(f.Items)
		for _, i := range f.Items {
			kind := string(i.Media.Type) // Kodi uses the same names
			items[kind] = append(items[kind], i.KodiID)
		}
	}
	d := s.readDetails(items)
	var id, seconds int64
	runtimes := map[int64]int64{}
	if s.hasColumns("streamdetails", "idFile", "iStreamType", "iVideoDuration") { // else only the scraper's running time is used
		s.queryRows([]any{&id, &seconds}, func() { runtimes[id] = max(runtimes[id], seconds) },
			`select idFile, `+s.integer("iVideoDuration")+` from streamdetails where iStreamType = 0 and `+inCondition("idFile", ids))
	}
	for _, f := range files {
		claimed := int64(0)
		for n := range f.Items {
			i := &f.Items[n]
			self := owner{string(i.Media.Type), i.KodiID}
			if d.fillItem(i, self); !i.Extra { // an extra has the running time of its film
				claimed = max(claimed, parseID(d.rows[self].runtime, maxSeconds))
			}
		}
		seconds := cmp.Or(runtimes[f.ID], claimed)
		f.Duration = time.Duration(min(max(seconds, 0), maxSeconds)) * time.Second
	}
}

// maxSeconds bounds a running time to a week.
const maxSeconds = 7 * 24 * 3600

// owner is the film, episode or series that an identifier, a genre or a tag belongs to.
type owner struct {
	kind string // movie, episode or tvshow
	id   int64
}

// details holds titles, identifiers, genres and tags.
type details struct {
	rows   map[owner]itemText
	ids    map[owner][]Identifier
	labels map[string]map[owner][]string // by "genre" and "tag"
	shared map[string]bool               // TMDB ids that several episodes have
}

// itemText is the row of a film, an episode or a series.
type itemText struct {
	title, premiered, year, runtime, season, number string
	uid, show                                       int64
}

// readDetails reads the details of items, and of the series of the episodes among them.
func (s *session) readDetails(items map[string][]int64) *details {
	labels := map[string]map[owner][]string{"genre": {}, "tag": {}}
	d := &details{rows: map[owner]itemText{}, ids: map[owner][]Identifier{}, labels: labels, shared: map[string]bool{}}
	for _, q := range []struct{ kind, query string }{
		{"movie", `select idMovie, ifnull(c00, ''), ifnull(premiered, ''), ` + s.optional("movie", "c07") + `, ` + s.optional("movie", "c11") + `,
			'', '', ` + s.integer("c09") + `, 0 from movie where `},
		{"episode", `select idEpisode, ifnull(c00, ''), '', '', ` + s.optional("episode", "c09") + `,
			ifnull(c12, ''), ifnull(c13, ''), ` + s.integer("c20") + `, ifnull(idShow, 0) from episode where `},
		{"tvshow", `select idShow, ifnull(c00, ''), ` + s.optional("tvshow", "c05") + `, '', '', '', '', ` + s.integer("c12") + `, 0 from tvshow where `},
	} {
		var id int64
		var row itemText
		columns := []any{&id, &row.title, &row.premiered, &row.year, &row.runtime, &row.season, &row.number, &row.uid, &row.show}
		s.queryRows(columns, func() {
			d.rows[owner{q.kind, id}] = row
			if q.kind == "episode" {
				items["tvshow"] = append(items["tvshow"], row.show)
			}
		}, q.query+inCondition(idColumns[q.kind], items[q.kind]))
		s.readIDs(d, q.kind, items[q.kind])
		for label := range d.labels {
			s.readLabels(d, label, q.kind, items[q.kind])
		}
	}
	s.findShared(d, items["episode"])
	return d
}

// idColumns maps each kind of item to its id column.
var idColumns = map[string]string{"movie": "idMovie", "episode": "idEpisode", "tvshow": "idShow"}

// inCondition returns an SQL condition: the column has one of the ids.
func inCondition(column string, ids []int64) string {
	texts := make([]string, len(ids)+1)
	texts[0] = "null" // MySQL rejects an empty list
	for i, id := range ids {
		texts[i+1] = strconv.FormatInt(id, 10)
	}
	return column + " in (" + strings.Join(texts, ",") + ")"
}

// readIDs reads the identifiers of items of one kind.
func (s *session) readIDs(d *details, kind string, owners []int64) {
	var i Identifier
	var id, row int64
	s.queryRows([]any{&id, &row, &i.Namespace, &i.Value}, func() {
		o := owner{kind, id}
		i.Default = row == d.rows[o].uid
		d.ids[o] = append(d.ids[o], i)
	}, `select ifnull(media_id, 0), uniqueid_id, type, ifnull(value, '') from uniqueid
		where type in ('tmdb', 'imdb', 'tvdb') and media_type = ? and `+inCondition("media_id", owners)+` order by uniqueid_id`, kind)
}

// readLabels reads the genres or the tags of items, sorted by name. It reads none if the schema
// lacks their tables.
func (s *session) readLabels(d *details, label, kind string, owners []int64) {
	id, link := label+"_id", label+"_link"
	if len(owners) == 0 || !s.hasColumns(label, id, "name") || !s.hasColumns(link, id, "media_id", "media_type") {
		return
	}
	var of int64
	var name string
	s.queryRows([]any{&of, &name}, func() {
		o := owner{kind, of}
		if name = ValidText(name, MaxTitle); !slices.Contains(d.labels[label][o], name) {
			d.labels[label][o] = append(d.labels[label][o], name)
		}
	}, fmt.Sprintf(`select media_id, n.name from %s l join %s n on n.%s = l.%[3]s where n.name <> '' and media_type = ? and %s
		order by media_id, n.name, n.%[3]s`, link, label, id, inCondition("media_id", owners)), kind)
}

// findShared finds TMDB ids that several episodes have: some scrapers give every episode the id
// of its series.
func (s *session) findShared(d *details, episodes []int64) {
	first := map[string]string{}
	var value, title, season, number string
	s.queryRows([]any{&value, &title, &season, &number}, func() {
		place := title + "\x00" + season + "\x00" + number
		if known, ok := first[value]; ok && known != place {
			d.shared[value] = true
		}
		first[value] = place
	}, `select ifnull(u.value, ''), ifnull(w.c00, ''), ifnull(e.c12, ''), ifnull(e.c13, '') from uniqueid u
		join episode e on e.idEpisode = u.media_id left join tvshow w on w.idShow = e.idShow
		where u.media_type = 'episode' and u.type = 'tmdb' and u.value in
			(select value from uniqueid where media_type = 'episode' and type = 'tmdb' and `+inCondition("media_id", episodes)+`)`)
}

// readTagged reads the items that have one of the tags.
func (s *session) readTagged(tags []string) (all []Tagged) {
	if !s.hasColumns("tag", "tag_id", "name") || !s.hasColumns("tag_link", "tag_id", "media_id", "media_type") || !s.hasColumns("tvshowlinkpath", "idShow", "idPath") {
		s.fail(fmt.Errorf("%w: it has no tables of tags", ErrUnsupported))
	}
	tagged, items := map[owner][]string{}, map[string][]int64{}
	var name, folder, file string
	var o owner
	s.queryRows([]any{&name, &o.kind, &o.id}, func() {
		for _, tag := range tags {
			if strings.EqualFold(strings.TrimSpace(name), tag) {
				tagged[o], items[o.kind] = append(tagged[o], tag), append(items[o.kind], o.id)
			}
		}
	}, `select ifnull(t.name, ''), l.media_type, l.media_id from tag_link l join tag t on t.tag_id = l.tag_id where l.media_type in ('movie', 'tvshow')`)
	d := s.readDetails(items)
	take := func(kind string, as viewing.MediaType, query string) {
		s.queryRows([]any{&o.id, &folder, &file}, func() {
			o.kind = kind
			i := d.titleAndIDs(o)
			for _, tag := range tagged[o] {
				all = append(all, Tagged{Tag: tag, Media: viewing.Media{Type: as, Title: i.Title, Year: i.Year, IDs: i.IDs}, Path: joinPath(folder, file)})
			}
		}, query)
	}
	take("movie", viewing.Movie, `select m.idMovie, ifnull(p.strPath, ''), ifnull(f.strFilename, '') from movie m left join files f on f.idFile = m.idFile
		left join path p on p.idPath = f.idPath where `+inCondition("m.idMovie", items["movie"])+` order by m.idMovie`)
	take("tvshow", viewing.TV, `select s.idShow, ifnull(min(p.strPath), ''), '' from tvshow s left join tvshowlinkpath l on l.idShow = s.idShow
		left join path p on p.idPath = l.idPath where `+inCondition("s.idShow", items["tvshow"])+` group by s.idShow order by s.idShow`)
	return all
}
