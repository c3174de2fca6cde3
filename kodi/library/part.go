package library

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"slices"

	"github.com/filmspool/filmspool/kodi/snapshot"
)

// few is how many files are read one by one; of more everything is read.
const few = 500

// fill reads what was picked in full.
func (t *tables) fill(s *snapshot.Snapshot, pick func(snapshot.File) bool, step func(...stepper) error) error {
	var picked []int64
	for _, f := range s.Files {
		if pick(f) {
			picked = append(picked, f.ID)
		}
	}
	if len(picked) == 0 {
		return nil
	}
	if len(picked) <= few {
		if done, err := t.fillFew(s, picked, step); done || err != nil {
			return err
		}
	}
	all := t.further()
	all.folders, all.rows = t.folders, t.rows
	err := step(all.readEpisodes(""), all.readFilms(""), all.readShows(""), all.readIDs(""), all.readRuntimes(""), all.readGenres(""), all.readTags(""))
	s.Files = all.files()
	return err
}

// further are tables for reading in full what an outline has shown.
func (t *tables) further() *tables {
	d := newTables()
	d.layout, d.full, d.slice = t.layout, true, t.slice
	return d
}

// fillFew reads single files, and those with an episode that claims the same
// identifier as one of theirs. It gives up when these are many.
func (t *tables) fillFew(s *snapshot.Snapshot, picked []int64, step func(...stepper) error) (done bool, err error) {
	d := t.further()
	if err := step(d.readSingle(t, picked)); err != nil {
		return false, err
	}
	claimants := map[int64]bool{}
	if values := d.claims(); len(values) > 0 {
		if err := step(readClaimants(values, claimants)); err != nil {
			return false, err
		}
	}
	wanted := make(map[int64]bool, len(picked))
	for _, id := range picked {
		wanted[id] = true
	}
	var others []int64
	for _, r := range t.episodes {
		if claimants[r.id] && !wanted[r.file] {
			wanted[r.file] = true
			others = append(others, r.file)
		}
	}
	if len(others) > few {
		return false, nil
	}
	if len(others) > 0 {
		if err := step(d.readSingle(t, others)); err != nil {
			return false, err
		}
	}
	d.complete(s, wanted)
	return true, nil
}

// complete puts what was read of some files in the place of their outlines.
func (t *tables) complete(s *snapshot.Snapshot, files map[int64]bool) {
	items := make(map[int64]inFile, len(files))
	for _, in := range t.items() {
		items[in.file] = in
	}
	for i := range s.Files {
		f := &s.Files[i]
		if files[f.ID] {
			in := items[f.ID]
			in.file = f.ID // also when there is none
			f.Items, f.Duration, f.Outline = in.list, t.duration(in), false
		}
	}
}

// readSingle reads all about some files of an outline.
func (t *tables) readSingle(outline *tables, files []int64) stepper {
	in := make(map[int64]bool, len(files))
	for _, id := range files {
		in[id] = true
	}
	var films, episodes, shows []int64
	for _, r := range outline.films {
		if in[r.file] {
			films = append(films, r.id)
		}
	}
	for _, r := range outline.episodes {
		if in[r.file] {
			episodes, shows = append(episodes, r.id), append(shows, r.show)
		}
	}
	slices.Sort(shows)
	shows = slices.Compact(shows)
	ofFilms, ofShows := owned("movie", films), owned("tvshow", shows)
	steps := []stepper{
		t.readEpisodes(among("idEpisode", episodes)), t.readFilms(among("idMovie", films)), t.readShows(among("idShow", shows)),
		t.readIDs(ofFilms), t.readIDs(owned("episode", episodes)), t.readIDs(ofShows), t.readRuntimes(among("idFile", files)),
		t.readGenres(ofFilms), t.readGenres(ofShows), t.readTags(ofFilms), t.readTags(ofShows),
	}
	return func(ctx context.Context, q queryer) error { return run(ctx, q, steps) }
}

// owned is a condition: the row belongs to one of these.
func owned(kind string, ids []int64) string {
	return "media_type = '" + kind + "' and " + among("media_id", ids)
}

// claims are the TMDB identifiers of the episodes.
func (t *tables) claims() (values []int64) {
	for _, i := range t.names {
		if n := number(i.value, maxID); n > 0 && i.of.kind == "episode" && i.namespace == "tmdb" {
			values = append(values, n)
		}
	}
	return values
}

// readClaimants finds the episodes that claim one of these.
func readClaimants(values []int64, found map[int64]bool) stepper {
	return func(ctx context.Context, q queryer) error {
		query := `select ifnull(media_id, 0) from uniqueid where media_type = 'episode' and type = 'tmdb' and ` + among(q.whole("value"), values)
		return each(ctx, q, query, func(scan scanner) error {
			var id int64
			err := scan(&id)
			found[id] = true
			return err
		})
	}
}

// readNames makes the mark of all identifiers and places. Kodi changes the
// text of an identifier in its row when a remote gives it another one; all
// else makes new rows.
func (t *tables) readNames(mark *string) []stepper {
	const part = 20000 // rows that are read in one transaction
	sum, after := fnv.New64a(), int64(0)
	numbers := func(all ...int64) {
		var room [8]byte
		for _, n := range all {
			_, _ = sum.Write(binary.LittleEndian.AppendUint64(room[:0], uint64(n)))
		}
	}
	own := func(ctx context.Context, q queryer) error {
		for _, r := range t.films {
			numbers(r.id, r.file, r.uid)
		}
		for _, r := range t.episodes {
			numbers(r.id, r.file, r.show, int64(r.season), int64(r.number), r.uid)
		}
		return each(ctx, q, `select idShow, ifnull(c12, '') from tvshow order by 1`, func(scan scanner) error {
			var id int64
			var uid string
			err := scan(&id, &uid)
			numbers(id, rowOf(uid))
			return err
		})
	}
	texts := func(ctx context.Context, q queryer) error {
		query := fmt.Sprintf(`select count(*), ifnull(max(uniqueid_id), 0), ifnull(group_concat(uniqueid_id || '=' || value, ' '), '')
			from (select uniqueid_id, ifnull(value, '') as value from uniqueid where uniqueid_id > %d order by 1 limit %d)`, after, part)
		var rows int
		var values string
		err := each(ctx, q, query, func(scan scanner) error { return scan(&rows, &after, &values) })
		if _, _ = io.WriteString(sum, values); err == nil && rows == part {
			return errMore
		}
		*mark = fmt.Sprintf("%x", sum.Sum64())
		return err
	}
	return []stepper{own, texts}
}
