package kodisim

import (
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// Kodi's own defaults of what a sitting was.
const (
	countsFrom   = 0.90 // of the running time: counts as a viewing
	finishedFrom = 0.92 // there is nothing left to resume
	resumesFrom  = 180 * time.Second
)

// Play plays a film or the file of an episode to its end, which comes at at.
// One transaction: play count + 1, last played, no resume point.
func (s *Sim) Play(ref Ref, at time.Time) error {
	err := s.write(func(tx *sql.Tx) error {
		file, err := fileOf(tx, ref)
		if err != nil {
			return err
		}
		return played(tx, file, at)
	})
	return wrap("play "+ref.String(), err)
}

// PlayFile plays the file at an address to its end: one version of a film, or
// a file that no scan has seen, for which Kodi makes a row without an item.
func (s *Sim) PlayFile(address string, at time.Time) error {
	err := s.write(func(tx *sql.Tx) error {
		dir, name := split(address)
		folder, err := lookUp(tx, `select idPath from path where strPath = ?`, dir)
		if errors.Is(err, ErrNoItem) {
			if folder, err = folderID(tx, dir); err == nil {
				_, err = tx.Exec(`update path set dateAdded = ? where idPath = ?`, clock(at), folder)
			}
		}
		if err != nil {
			return err
		}
		file, err := fileID(tx, folder, name, at)
		if err != nil {
			return err
		}
		return played(tx, file, at)
	})
	return wrap("play "+address, err)
}

func played(tx *sql.Tx, file int64, at time.Time) error {
	if _, err := tx.Exec(`update files set playCount = ifnull(playCount, 0) + 1, lastPlayed = ? where idFile = ?`, clock(at), file); err != nil {
		return err
	}
	return forgetResume(tx, file)
}

func forgetResume(tx *sql.Tx, file int64) error {
	_, err := tx.Exec(`delete from bookmark where idFile = ? and type = 1`, file)
	return err
}

// PartialPlay plays a film or an episode and stops at position, at at. Kodi's
// defaults hold: from 90 % on it counts, up to 92 % there is a resume point,
// and none in the first three minutes. The last time changes in any case.
func (s *Sim) PartialPlay(ref Ref, at time.Time, position time.Duration) error {
	err := s.write(func(tx *sql.Tx) error {
		file, err := fileOf(tx, ref)
		if err != nil {
			return err
		}
		total, err := lookUp(tx, `select iVideoDuration from streamdetails where idFile = ? and iStreamType = 0`, file)
		if err != nil {
			return fmt.Errorf("its running time: %w", err)
		}
		return stopped(tx, file, at, position, time.Duration(total)*time.Second)
	})
	return wrap("play part of "+ref.String(), err)
}

func stopped(tx *sql.Tx, file int64, at time.Time, position, total time.Duration) error {
	watched := position.Seconds() / total.Seconds()
	growth := 0
	if watched >= countsFrom {
		growth = 1
	}
	if _, err := tx.Exec(`update files set playCount = nullif(ifnull(playCount, 0) + ?, 0), lastPlayed = ? where idFile = ?`,
		growth, clock(at), file); err != nil {
		return err
	}
	if err := forgetResume(tx, file); err != nil {
		return err
	}
	if position < resumesFrom || watched > finishedFrom {
		return nil
	}
	seconds, err := strconv.ParseFloat(fmt.Sprintf("%.6f", position.Seconds()), 64) // Kodi writes six places
	if err != nil {
		return err
	}
	_, err = tx.Exec(`insert into bookmark (idFile, timeInSeconds, totalTimeInSeconds, thumbNailImage, player, playerState, type)
		values (?, ?, ?, '', 'VideoPlayer', '', 1)`, file, seconds, total.Seconds())
	return err
}
