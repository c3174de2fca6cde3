package kodisim

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// SetPlayCount is JSON-RPC's SetMovieDetails or SetEpisodeDetails with a play
// count and no time. Two transactions. The last time stays as it is; only a
// file that never had one gets at. 0 makes the count NULL.
func (s *Sim) SetPlayCount(ref Ref, n int, at time.Time) error {
	return s.setDetails(ref, func(tx *sql.Tx, file int64) error {
		_, err := tx.Exec(`update files set playCount = nullif(?1, 0), lastPlayed = iif(?1 > 0, ifnull(lastPlayed, ?2), lastPlayed)
			where idFile = ?3 and ifnull(playCount, 0) <> ?1`, n, clock(at), file)
		return err
	})
}

// SetPlayCountAndTime is the same with a time of the caller's,
// "2006-01-02 15:04:05": what add-ons do that bring viewings from elsewhere.
func (s *Sim) SetPlayCountAndTime(ref Ref, n int, lastPlayed string) error {
	return s.setDetails(ref, func(tx *sql.Tx, file int64) error {
		_, err := tx.Exec(`update files set playCount = nullif(?, 0), lastPlayed = ? where idFile = ?`, n, lastPlayed, file)
		return err
	})
}

// setDetails first writes the item anew, as Kodi does: now that its streams
// are known, it has a running time.
func (s *Sim) setDetails(ref Ref, change func(tx *sql.Tx, file int64) error) error {
	var file int64
	err := s.write(func(tx *sql.Tx) (err error) {
		if file, err = fileOf(tx, ref); err != nil {
			return err
		}
		k, err := ref.kind()
		if err != nil {
			return err
		}
		if _, err := tx.Exec(`update `+k.table+` set `+k.runtime+` = ifnull((select cast(iVideoDuration as text) from streamdetails
			where idFile = ?1 and iStreamType = 0), '0') where `+k.key+` = ?2 and `+k.runtime+` in ('', '0')`, file, ref.ID); err != nil {
			return err
		}
		return rewrite(tx, k, ref.ID)
	})
	if err == nil {
		err = s.write(func(tx *sql.Tx) error { return change(tx, file) })
	}
	return wrap("set details of "+ref.String(), err)
}

// rewrite writes an item as it is. SQLite would leave out a transaction that
// changes no byte; Kodi's changes some and changes them back.
func rewrite(tx *sql.Tx, k kind, id int64) error {
	var title sql.NullString
	if err := tx.QueryRow(`select c00 from `+k.table+` where `+k.key+` = ?`, id).Scan(&title); err != nil {
		return err
	}
	for _, value := range []any{title.String + " ", title} {
		if _, err := tx.Exec(`update `+k.table+` set c00 = ? where `+k.key+` = ?`, value, id); err != nil {
			return err
		}
	}
	return nil
}

// Mark is "mark as watched" in Kodi's window: a film, an episode, or a show
// with all its episodes in one transaction and one second. What is watched
// already stays untouched. A file of a show counts once for each episode that
// it holds, and the show gets a row of files of its own, with no name, for its
// folder, which counts too.
func (s *Sim) Mark(ref Ref, at time.Time) error {
	err := s.write(func(tx *sql.Tx) error {
		files, err := filesOf(tx, ref)
		if err != nil {
			return err
		}
		unwatched, err := numbers(tx, `select f.idFile from json_each(?) j join files f on f.idFile = j.value
			where ifnull(f.playCount, 0) = 0 or f.strFilename = '' order by j.key`, list(files))
		if err != nil {
			return err
		}
		for _, file := range unwatched {
			if _, err := tx.Exec(`update files set playCount = ifnull(playCount, 0) + 1, lastPlayed = ? where idFile = ?`, clock(at), file); err != nil {
				return err
			}
			if err := forgetResume(tx, file); err != nil {
				return err
			}
		}
		return nil
	})
	return wrap("mark "+ref.String(), err)
}

// Unmark is "mark as unwatched" in Kodi's window; for a show, all of it in one
// transaction. Count, last time and resume point are lost.
func (s *Sim) Unmark(ref Ref) error {
	err := s.write(func(tx *sql.Tx) error {
		files, err := filesOf(tx, ref)
		if err != nil {
			return err
		}
		return run(tx, []string{
			`delete from bookmark where type = 1 and idFile in (select f.idFile from json_each(?1) j join files f on f.idFile = j.value where f.playCount > 0)`,
			`update files set playCount = null, lastPlayed = null where playCount > 0 and idFile in (select value from json_each(?1))`,
		}, list(files))
	})
	return wrap("unmark "+ref.String(), err)
}

// filesOf is the one file of a film or an episode; of a show the file of each
// episode, and the nameless one of its folder, which is made when missing.
func filesOf(tx *sql.Tx, ref Ref) ([]int64, error) {
	if ref.Type != viewing.TV {
		file, err := fileOf(tx, ref)
		return []int64{file}, err
	}
	folder, err := lookUp(tx, `select idPath from tvshowlinkpath where idShow = ? order by idPath`, ref.ID)
	if err != nil {
		return nil, fmt.Errorf("its folder: %w", err)
	}
	if _, err := tx.Exec(`insert into files (idPath, strFilename, dateAdded) select ?1, '',
		(select max(f.dateAdded) from files f join episode using (idFile) where idShow = ?2)
		where not exists (select 1 from files where idPath = ?1 and strFilename = '')`, folder, ref.ID); err != nil {
		return nil, err
	}
	return numbers(tx, `select idFile from episode where idShow = ?1
		union all select idFile from files where idPath = ?2 and strFilename = ''`, ref.ID, folder)
}

// list is numbers as an SQL function takes them.
func list(all []int64) string {
	text, err := json.Marshal(all)
	if err != nil { // a slice of numbers has no such error
		return "[]"
	}
	return string(text)
}

// numbers reads one column of numbers.
func numbers(tx *sql.Tx, query string, args ...any) ([]int64, error) {
	rows, err := tx.Query(query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []int64
	for rows.Next() {
		var n int64
		if err := rows.Scan(&n); err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, rows.Err()
}
