package kodisim

import (
	"database/sql"
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
		_, err = tx.Exec(`update `+k.table+` set `+k.runtime+` = ifnull((select cast(iVideoDuration as text) from streamdetails
			where idFile = ?1 and iStreamType = 0), '0') where `+k.key+` = ?2 and `+k.runtime+` in ('', '0')`, file, ref.ID)
		return err
	})
	if err == nil {
		err = s.write(func(tx *sql.Tx) error { return change(tx, file) })
	}
	return wrap("set details of "+ref.String(), err)
}

// Mark is "mark as watched" in Kodi's window: a film, an episode, or a show
// with all its episodes in one transaction and one second. What is watched
// already stays untouched. A show also gets a row of files of its own, with no
// name, for its folder.
func (s *Sim) Mark(ref Ref, at time.Time) error {
	err := s.write(func(tx *sql.Tx) error {
		files, err := filesOf(tx, ref)
		if err != nil {
			return err
		}
		for _, file := range files {
			if err := mark(tx, file, at); err != nil {
				return err
			}
		}
		return nil
	})
	return wrap("mark "+ref.String(), err)
}

func mark(tx *sql.Tx, file int64, at time.Time) error {
	result, err := tx.Exec(`update files set playCount = 1, lastPlayed = ? where idFile = ? and ifnull(playCount, 0) = 0`, clock(at), file)
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return err
	}
	return forgetResume(tx, file)
}

// Unmark is "mark as unwatched" in Kodi's window; for a show, all of it in one
// transaction. Both count and last time are lost.
func (s *Sim) Unmark(ref Ref) error {
	err := s.write(func(tx *sql.Tx) error {
		files, err := filesOf(tx, ref)
		if err != nil {
			return err
		}
		for _, file := range files {
			if _, err := tx.Exec(`update files set playCount = null, lastPlayed = null where idFile = ? and playCount > 0`, file); err != nil {
				return err
			}
		}
		return nil
	})
	return wrap("unmark "+ref.String(), err)
}

// filesOf is the one file of a film or an episode, or all of a show with the
// nameless one of its folder, which is made when it is missing.
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
	return numbers(tx, `select distinct idFile from episode where idShow = ?1
		union select idFile from files where idPath = ?2 and strFilename = '' order by 1`, ref.ID, folder)
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
