package library_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/kodi/library"
)

func settings(inner string) string {
	return `<advancedsettings version="1.0"><videodatabase>` + inner + `</videodatabase></advancedsettings>`
}

const fullServer = `<type>mysql</type><host>10.0.0.2</host><user>kodi</user><pass> a&amp;b </pass>`

// TestFindServer reads advancedsettings.xml next to a stale library file.
func TestFindServer(t *testing.T) {
	for name, test := range map[string]struct {
		text, server, user string
	}{
		"as the wiki has it": {settings(fullServer), "mysql://10.0.0.2:3306/MyVideos", "kodi"},
		"all of it":          {settings(fullServer + `<port>3307</port><name>Films</name>`), "mysql://10.0.0.2:3307/Films", "kodi"},
		"in capitals":        {settings(strings.Replace(fullServer, "mysql", " MySQL\n", 1)), "mysql://10.0.0.2:3306/MyVideos", "kodi"},
		"with a mark":        {"\xef\xbb\xbf" + settings(fullServer), "mysql://10.0.0.2:3306/MyVideos", "kodi"},
		"an IPv6 address":    {settings(strings.Replace(fullServer, "10.0.0.2", "fd00::2", 1)), "mysql://[fd00::2]:3306/MyVideos", "kodi"},
		"without password":   {settings(`<type>mysql</type><host>nas</host><user>kodi</user>`), "mysql://nas:3306/MyVideos", "kodi"},
		"without user":       {settings(`<type>mysql</type><host>nas</host>`), "mysql://nas:3306/MyVideos", ""},
		"without host":       {settings(`<type>mysql</type>`), "mysql://:3306/MyVideos", ""},
		"for music alone":    {`<advancedsettings><musicdatabase><type>mysql</type></musicdatabase></advancedsettings>`, "", ""},
		"half written":       {"<advancedsettings><videodatabase><type>mysql", "", ""},
		"SQLite by name":     {settings(`<type>sqlite3</type><host>nas</host>`), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			make121(t, dir)
			write(t, dir, "advancedsettings.xml", test.text)
			got, err := library.Find(dir)
			ok(t, err)
			if test.server == "" {
				if got.Server != nil || got.Version != 121 {
					t.Errorf("got %+v", got)
				}
				return
			}
			if s := got.Server; s == nil || s.String() != test.server || s.User != test.user {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestFindWithTooLargeSettings(t *testing.T) {
	dir := t.TempDir()
	make121(t, dir)
	write(t, dir, "advancedsettings.xml", "<!--"+strings.Repeat("x", 1<<20)+"-->"+settings(fullServer))
	if _, err := library.Find(dir); !errors.Is(err, library.ErrUnsupported) {
		t.Errorf("too large: got %v, want ErrUnsupported", err)
	}
}

const profiles = `<profiles><lastloaded>0</lastloaded>
<profile><id>0</id><name>Master user</name><directory pathversion="1">special://masterprofile/</directory><hasdatabases>true</hasdatabases></profile>
<profile><id>1</id><name>Ann</name><directory pathversion="1">profiles/Ann/</directory><hasdatabases>true</hasdatabases></profile>
<profile><id>2</id><name>Kids</name><directory pathversion="1">special://masterprofile/profiles/Kids/</directory><hasdatabases>false</hasdatabases></profile>
<profile><id>3</id><name>Bad</name><directory pathversion="1">../../elsewhere/</directory><hasdatabases>true</hasdatabases></profile>
<profile><id>4</id><name>Win</name><directory pathversion="1">profiles\Win\</directory><hasdatabases>true</hasdatabases></profile>
</profiles>`

func TestProfiles(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		more []library.Profile // with folders relative to the main one
	}{
		"none":   {"", nil},
		"broken": {"<profiles><profile>", nil},
		"several": {profiles, []library.Profile{
			{Name: "Ann", Userdata: "profiles/Ann", Own: true}, {Name: "Kids", Userdata: "profiles/Kids"}, {Name: "Win", Userdata: "profiles/Win", Own: true},
		}},
	} {
		dir := t.TempDir()
		if test.text != "" {
			write(t, dir, "profiles.xml", test.text)
		}
		want := []library.Profile{{Name: "Master user", Userdata: dir, Own: true}}
		for _, p := range test.more {
			p.Userdata = filepath.Join(dir, filepath.FromSlash(p.Userdata))
			want = append(want, p)
		}
		got, err := library.Profiles(dir)
		ok(t, err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestFindUsesMainProfileSettings: a profile without advancedsettings.xml uses that of the main profile.
func TestFindUsesMainProfileSettings(t *testing.T) {
	dir := t.TempDir()
	ann := filepath.Join(dir, "profiles", "Ann")
	make121(t, ann)
	write(t, dir, "advancedsettings.xml", settings(fullServer))
	if got, err := library.Find(ann); err != nil || got.Server == nil {
		t.Errorf("got %+v, %v, want the server of the main profile", got, err)
	}
	write(t, ann, "advancedsettings.xml", `<advancedsettings/>`)
	if got, err := library.Find(ann); err != nil || got.Version != 121 {
		t.Errorf("got %+v, %v, want the file of the profile", got, err)
	}
}
