package kodi

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/kodi/watch"
)

// The status of a library in a file says when it is not listened to.
func TestStatusSaysWhenDeaf(t *testing.T) {
	i, err := New(Options{Library: at(t.TempDir()), Sink: newSink(), Account: account{}})
	must(t, err)
	i.status.State = StateOK
	i.hear(watch.Ears{Deaf: "a limit", Hint: "raise it"})
	if s := i.Status(); s.Deaf != "a limit" || s.Hint != "raise it" {
		t.Errorf("got %+v", s)
	}
	i.status.Hint = "something that matters more"
	if s := i.Status(); s.Hint != "something that matters more" {
		t.Errorf("got %+v", s)
	}
	i.status.Database = "mysql://127.0.0.1:3306/MyVideos121"
	if s := i.Status(); s.Deaf != "" {
		t.Errorf("a server is never listened to, got %+v", s)
	}
	i.status.Database = ""
	i.hear(watch.Ears{})
	if s := i.Status(); s.Deaf != "" {
		t.Errorf("got %+v", s)
	}
}

// The status tells since when it is as it is, through all attempts.
func TestStatusTellsSinceWhen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &shelfReader{err: library.ErrNotFound}
		i := newImporter(t, newSink(), r)
		began := time.Now()
		for range 10 {
			time.Sleep(i.pass(t.Context()))
		}
		if s := i.Status(); s.State != StateWaiting || !s.Since.Equal(began) {
			t.Errorf("missing: %+v, want it since %v", s, began)
		}
		r.err = nil
		i.pass(t.Context())
		there := time.Now()
		time.Sleep(time.Hour)
		i.pass(t.Context())
		if s := i.Status(); s.State != StateOK || !s.Since.Equal(there) {
			t.Errorf("there: %+v, want it since %v", s, there)
		}
	})
}

// A profile with a library of its own that is not watched is named.
func TestUnwatchedProfileIsNamed(t *testing.T) {
	h := newHome(t, t.TempDir())
	text := `<profiles><profile><name>Ann</name><directory>special://masterprofile/</directory></profile>
		<profile><name>Kids</name><directory>profiles/kids</directory><hasdatabases>true</hasdatabases></profile>
		<profile><name>Guest</name><directory>profiles/guest</directory><hasdatabases>false</hasdatabases></profile></profiles>`
	must(t, os.WriteFile(filepath.Join(h.dir, "profiles.xml"), []byte(text), 0o600))
	kids := filepath.Join(h.dir, "profiles", "kids")
	for _, tt := range []struct{ watched, want []string }{
		{[]string{h.dir}, []string{"Kids (" + kids + ")"}},
		{[]string{h.dir, kids}, nil},
		{nil, nil},
	} {
		i, err := New(Options{Library: at(h.dir), Sink: newSink(), Account: account{}, Watched: tt.watched})
		must(t, err)
		i.pass(t.Context())
		if got := i.Status().Unwatched; !slices.Equal(got, tt.want) {
			t.Errorf("watched %v: %v, want %v", tt.watched, got, tt.want)
		}
	}
}
