package kodisim

import (
	"database/sql"
	"errors"
	"fmt"
)

// Tag gives a film or a show a tag, as the info dialogue does.
func (s *Sim) Tag(r Ref, name string) error {
	err := s.write(func(tx *sql.Tx) error {
		k, err := r.kind()
		if err != nil {
			return err
		}
		tag, err := named(tx, "tag", "tag_id", "name", name)
		if err != nil {
			return err
		}
		_, err = tx.Exec(`insert into tag_link (tag_id, media_id, media_type) select ?1, ?2, ?3
			where not exists (select 1 from tag_link where tag_id = ?1 and media_id = ?2 and media_type = ?3)`, tag, r.ID, k.media)
		return err
	})
	return wrap(fmt.Sprintf("tag %s", r), err)
}

// Untag takes a tag away. A tag that nothing has any more goes with it: a
// trigger of Kodi's does that, which libraries of ours lack.
func (s *Sim) Untag(r Ref, name string) error {
	err := s.write(func(tx *sql.Tx) error {
		k, err := r.kind()
		if err != nil {
			return err
		}
		if _, err := tx.Exec(`delete from tag_link where media_id = ? and media_type = ?
			and tag_id in (select tag_id from tag where name = ?)`, r.ID, k.media, name); err != nil {
			return err
		}
		_, err = tx.Exec(`delete from tag where tag_id not in (select tag_id from tag_link)`)
		return err
	})
	return wrap(fmt.Sprintf("untag %s", r), err)
}

// named finds the row of a name, or makes one.
func named(tx *sql.Tx, table, key, column, name string) (int64, error) {
	id, err := lookUp(tx, `select `+key+` from `+table+` where `+column+` = ?`, name)
	if !errors.Is(err, ErrNoItem) {
		return id, err
	}
	return insert(tx, `insert into `+table+` (`+column+`) values (?)`, name)
}
