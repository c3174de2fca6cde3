package kodi

import (
	"testing"

	"github.com/filmspool/filmspool/kodi/watch"
)

// The status of a library in a file says when it is not listened to.
func TestStatusSaysWhenDeaf(t *testing.T) {
	i, err := New(Options{Userdata: t.TempDir(), Sink: newSink()})
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
