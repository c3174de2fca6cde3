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
		i.pass(t.Context())
		if got := i.Status().Unwatched; !slices.Equal(got, tt.want) {
			t.Errorf("watched %v: %v, want %v", tt.watched, got, tt.want)
		}
	}
}
