package kodisim

import (
	"database/sql"
	"fmt"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Refreshed is what a refresh finds in the NFO or at the scraper.
type Refreshed struct {
	Claim Claim        // the zero claim: count and last time are lost
	IDs   *viewing.IDs // nil keeps the identifiers
}

// Refresh refreshes a film or an episode: it is removed in one transaction
// and inserted in another, under a new id, with the same file.
func (s *Sim) Refresh(ref Ref, found Refreshed) (Ref, error) {
	finish, err := s.BeginRefresh(ref, found)
	if err != nil {
		return Ref{}, err
	}
	return finish()
}

// BeginRefresh does the first half: the item is gone until finish is called.
func (s *Sim) BeginRefresh(ref Ref, found Refreshed) (finish func() (Ref, error), err error) {
	var kept memory
	err = s.write(func(tx *sql.Tx) (err error) {
		if kept, err = remember(tx, ref); err != nil {
			return err
		}
		return s.forget(tx, ref)
	})
	if err != nil {
		return nil, wrap("refresh "+ref.String(), err)
	}
	return func() (Ref, error) {
		fresh := Ref{Type: ref.Type}
		err := s.write(func(tx *sql.Tx) (err error) {
			fresh.ID, err = kept.restore(tx, ref, found)
			return err
		})
		return fresh, wrap("refresh "+ref.String(), err)
	}, nil
}

// Remove takes a film, an episode or a whole show out of the library. Its
// files keep their rows, with their counts.
func (s *Sim) Remove(ref Ref) error {
	err := s.write(func(tx *sql.Tx) error {
		if ref.Type != viewing.TV {
			return s.forget(tx, ref)
		}
		episodes, err := numbers(tx, `select idEpisode from episode where idShow = ?`, ref.ID)
		if err != nil {
			return err
		}
		for _, id := range episodes {
			if err := s.forget(tx, Ref{viewing.Episode, id}); err != nil {
				return err
			}
		}
		return s.forgetShow(tx, ref)
	})
	return wrap("remove "+ref.String(), err)
}

// links are the tables that tie something to an item by media_id.
func links() []string {
	return []string{
		"actor_link", "director_link", "writer_link", "genre_link", "studio_link", "country_link", "tag_link",
		"rating", "uniqueid",
	}
}

// forget deletes a film or an episode with all that hangs on it: what
// triggers do in Kodi's own files.
func (s *Sim) forget(tx *sql.Tx, ref Ref) error {
	file, err := fileOf(tx, ref)
	if err != nil {
		return err
	}
	if err := invalidate(tx, file, ref.Type == viewing.Episode); err != nil {
		return err
	}
	if s.version >= 131 && ref.Type == viewing.Movie {
		if _, err := tx.Exec(`delete from videoversion where idMedia = ? and media_type = 'movie'`, ref.ID); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(`delete from streamdetails where idFile = ?`, file); err != nil {
		return err
	}
	return unlink(tx, ref)
}

// forgetShow deletes a show, whose episodes are gone already.
func (s *Sim) forgetShow(tx *sql.Tx, ref Ref) error {
	if _, err := lookUp(tx, `select idShow from tvshow where idShow = ?`, ref.ID); err != nil {
		return err
	}
	if err := run(tx, []string{
		`update path set strHash = '' where idPath in (select idPath from tvshowlinkpath where idShow = ?)`,
		`update path set strHash = '' where idPath in
			(select p.idParentPath from path p join tvshowlinkpath using (idPath) where idShow = ?)`,
		`delete from tvshowlinkpath where idShow = ?`,
		`delete from seasons where idShow = ?`,
	}, ref.ID); err != nil {
		return err
	}
	return unlink(tx, ref)
}

// unlink deletes the item's own row and its links.
func unlink(tx *sql.Tx, ref Ref) error {
	k, err := ref.kind()
	if err != nil {
		return err
	}
	if err := dropTags(tx, ref.ID, k.media); err != nil {
		return err
	}
	for _, table := range append(links(), "art") {
		if _, err := tx.Exec(`delete from `+table+` where media_id = ? and media_type = ?`, ref.ID, k.media); err != nil {
			return err
		}
	}
	_, err = tx.Exec(`delete from `+k.table+` where `+k.key+` = ?`, ref.ID)
	return err
}

// dropTags deletes the tags that only this item has.
func dropTags(tx *sql.Tx, id int64, media string) error {
	_, err := tx.Exec(`delete from tag where tag_id in (select tag_id from tag_link where media_id = ?1 and media_type = ?2)
		and tag_id not in (select tag_id from tag_link where media_id <> ?1 or media_type <> ?2)`, id, media)
	return err
}

// invalidate makes the next scan look into the folder again; for episodes
// also into the one above.
func invalidate(tx *sql.Tx, file int64, above bool) error {
	if _, err := tx.Exec(`update path set strHash = '' where idPath = (select idPath from files where idFile = ?)`, file); err != nil {
		return err
	}
	if !above {
		return nil
	}
	_, err := tx.Exec(`update path set strHash = '' where idPath =
		(select p.idParentPath from path p join files f using (idPath) where f.idFile = ?)`, file)
	return err
}

// memory is what a refresh puts back.
type memory struct {
	item, streams, versions, tags rows
	links                         []rows
	file                          int64
}

func remember(tx *sql.Tx, ref Ref) (memory, error) {
	var m memory
	k, err := ref.kind()
	if err != nil {
		return m, err
	}
	if m.file, err = fileOf(tx, ref); err != nil {
		return m, err
	}
	if m.item, err = read(tx, k.table, k.key+` = ?`, ref.ID); err != nil {
		return m, err
	}
	if m.streams, err = read(tx, "streamdetails", `idFile = ?`, m.file); err != nil {
		return m, err
	}
	if exists, err := lookUp(tx, `select count(*) from sqlite_schema where name = 'videoversion'`); err != nil {
		return m, err
	} else if exists > 0 && ref.Type == viewing.Movie {
		if m.versions, err = read(tx, "videoversion", `idMedia = ? and media_type = 'movie'`, ref.ID); err != nil {
			return m, err
		}
	}
	if m.tags, err = read(tx, "tag", `tag_id in (select tag_id from tag_link where media_id = ? and media_type = ?)`, ref.ID, k.media); err != nil {
		return m, err
	}
	for _, table := range links() {
		found, err := read(tx, table, `media_id = ? and media_type = ?`, ref.ID, k.media)
		if err != nil {
			return m, err
		}
		m.links = append(m.links, found)
	}
	return m, nil
}

// restore inserts the item again under a new id, which it returns.
func (m memory) restore(tx *sql.Tx, ref Ref, found Refreshed) (int64, error) {
	k, err := ref.kind()
	if err != nil {
		return 0, err
	}
	id, err := m.item.insert(tx, map[string]any{k.key: nil, k.runtime: "0", k.unique: "-1"})
	if err != nil {
		return 0, err
	}
	if _, err := m.streams.insert(tx, nil); err != nil {
		return 0, err
	}
	if _, err := m.versions.insert(tx, map[string]any{"idMedia": id}); err != nil {
		return 0, err
	}
	if _, err := m.tags.insert(tx, nil); err != nil {
		return 0, err
	}
	for _, l := range m.links {
		if l.table == "uniqueid" {
			continue
		}
		if _, err := l.insert(tx, map[string]any{"media_id": id, "rating_id": nil}); err != nil {
			return 0, err
		}
	}
	plays, last := found.Claim.columns()
	if _, err := tx.Exec(`update files set playCount = ?, lastPlayed = ? where idFile = ?`, plays, last, m.file); err != nil {
		return 0, err
	}
	return id, m.restoreIDs(tx, Ref{ref.Type, id}, found.IDs)
}

// restoreIDs gives the item the identifiers it had, or those found.
func (m memory) restoreIDs(tx *sql.Tx, fresh Ref, found *viewing.IDs) error {
	if found != nil {
		return setIDs(tx, fresh, *found)
	}
	k, err := fresh.kind()
	if err != nil {
		return err
	}
	standard := fmt.Sprint(m.item.value(0, k.unique))
	for _, l := range m.links {
		for i := range l.values {
			if l.table != "uniqueid" {
				break
			}
			one := rows{l.table, l.columns, l.values[i : i+1]}
			row, err := one.insert(tx, map[string]any{"uniqueid_id": nil, "media_id": fresh.ID})
			if err != nil {
				return err
			}
			if fmt.Sprint(l.value(i, "uniqueid_id")) != standard {
				continue
			}
			if _, err := tx.Exec(`update `+k.table+` set `+k.unique+` = ? where `+k.key+` = ?`, fmt.Sprint(row), fresh.ID); err != nil {
				return err
			}
		}
	}
	return nil
}
