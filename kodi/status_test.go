package kodi

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

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
		i := importerOf(t, h.dir, newSink())
		i.o.Watched = tt.watched
		must(t, os.Remove(filepath.Join(h.dir, "profiles.xml")))
		i.pass(t.Context()) // who uses only that profile never changes this library
		if got := i.Status().Unwatched; len(got) != 0 {
			t.Errorf("without profiles: %v", got)
		}
		must(t, os.WriteFile(filepath.Join(h.dir, "profiles.xml"), []byte(text), 0o600))
		if !i.unchanged(t.Context()) {
			t.Error("the library has changed")
		}
		if got := i.Status().Unwatched; !slices.Equal(got, tt.want) {
			t.Errorf("watched %v: %v, want %v", tt.watched, got, tt.want)
		}
	}
}
