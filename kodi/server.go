package kodi

import (
	"context"
	"path/filepath"
	"time"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/kodi/snapshot"
	"github.com/filmspool/filmspool/kodi/watch"
)

// A library on a MySQL or MariaDB server sends no events. It is asked for its
// mark now and then, which costs little, and read when the mark has changed,
// and every hour all the same.
const readEvery = time.Hour

// door is the way to the library of one userdata folder.
type door struct {
	userdata string
	login    func(library.Server) (*library.Server, error)
	claim    func(origin string) error
}

// find is the library with what it takes to log in.
func (d door) find() (library.Database, error) {
	db, err := library.Find(d.userdata)
	if err != nil || db.Server == nil || d.login == nil {
		return db, err
	}
	db.Server, err = d.login(*db.Server)
	return db, err
}

func (d door) read(ctx context.Context) (snapshot.Snapshot, error) {
	return d.readPart(ctx, snapshot.Part{})
}

// readPart reads all of a library on a server: there nobody waits for us.
func (d door) readPart(ctx context.Context, part snapshot.Part) (snap snapshot.Snapshot, err error) {
	db, err := d.find()
	switch {
	case err != nil:
		return snap, err
	case db.Server != nil:
		snap, err = db.Server.Read(ctx)
	default:
		written := writtenAt(db.Path)
		snap, err = library.ReadPart(ctx, db.Path, part)
		snap.Written = written
	}
	if err == nil && d.claim != nil {
		err = d.claim(snap.Origin)
	}
	return snap, err
}

func (d door) readWishes(ctx context.Context, want snapshot.Want) (snapshot.Wishes, error) {
	db, err := d.find()
	switch {
	case err != nil:
		return snapshot.Wishes{}, err
	case db.Server != nil:
		return db.Server.ReadWishes(ctx, want)
	default:
		return library.ReadWishes(ctx, db.Path, want)
	}
}

// mark is "" for a library in a file.
func (d door) mark(ctx context.Context) (string, error) {
	db, err := d.find()
	if err != nil || db.Server == nil {
		return "", err
	}
	return db.Server.Mark(ctx)
}

// same asks a server whether the library is as it was at the last reading.
func (i *Importer) same(ctx context.Context) (bool, error) {
	now := time.Now()
	waiting := !i.wake.IsZero() && !now.Before(i.wake)
	if i.mark == "" || i.settings != i.o.stamp() || i.o.Mark == nil || i.known == nil || i.failed > 0 || waiting || now.Sub(i.whole) >= readEvery {
		return false, nil
	}
	mark, err := i.o.Mark(ctx)
	if err != nil || mark != i.mark {
		return false, err
	}
	i.sure(ctx, now)
	return true, nil
}

// asks reports whether a folder that rests says nothing about the library: it
// is on a server, or the settings that tell where it is have changed.
func (i *Importer) asks() bool {
	i.work.Lock()
	defer i.work.Unlock()
	return i.mark != "" || i.settings != i.o.stamp()
}

// stampOf changes with advancedsettings.xml.
func stampOf(userdata string) string {
	return stampOfFile(filepath.Join(userdata, "advancedsettings.xml"))
}

// pause is the time to the next question. It is a little longer than the
// watched folder's poll, which asks too: so there is mostly one wake-up.
func (i *Importer) pause() time.Duration {
	poll := i.o.Poll
	if poll <= 0 {
		poll = watch.DefaultPoll
	}
	return poll + poll/4
}
