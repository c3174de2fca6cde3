package library_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/filmspool/filmspool/kodi/library"
)

func TestZone(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"Kodi 18 and later": {`<?xml version="1.0" encoding="UTF-8" standalone="yes" ?>
			<settings version="2"><setting id="a.b">Europe/Rome</setting><setting id="locale.timezone"> America/New_York </setting></settings>`, "America/New_York"},
		"Kodi 17":        {`<settings><locale><timezone>Europe/Lisbon</timezone></locale></settings>`, "Europe/Lisbon"},
		"this machine's": {`<settings version="2"><setting id="locale.timezone">Local</setting></settings>`, ""},
		"no zone":        {`<settings version="2"><setting id="locale.timezone">../../etc/passwd</setting></settings>`, ""},
		"half written":   {`<settings version="2"><setting id="locale.timezone">Asia/Kol`, ""},
	} {
		userdata := t.TempDir()
		if err := os.WriteFile(filepath.Join(userdata, "guisettings.xml"), []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		got := ""
		if zone := library.Zone(userdata); zone != nil {
			got = zone.String()
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	if zone := library.Zone(t.TempDir()); zone != nil {
		t.Errorf("without the file: %v", zone)
	}
}
