package playlist

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"of Kodi":               {"#EXTM3U\n#EXTINF:0,Beta\n/f/Beta (2010).mkv\n#EXTINF:0,Gamma\n/f/Gamma.mkv\n", []string{"/f/Beta (2010).mkv", "/f/Gamma.mkv"}},
		"BOM, CRLF, no end":     {"\xef\xbb\xbf#EXTM3U\r\n\r\n  a.mkv \r\nb.mkv", []string{"a.mkv", "b.mkv"}},
		"line ends of old Macs": {"a.mkv\rb.mkv\r", []string{"a.mkv", "b.mkv"}},
		"Latin-1":               {"Am\xe9lie.mkv\n", []string{"Amélie.mkv"}},
		"UTF-8":                 {"Amélie.mkv\n", []string{"Amélie.mkv"}},
		"nothing":               {"", nil},
		"comments alone":        {"#EXTM3U\n#\n", nil},
	} {
		got, whole := parse([]byte(c.text))
		if diff := cmp.Diff(c.want, got); diff != "" || !whole {
			t.Errorf("%s: whole %v\n%s", name, whole, diff)
		}
	}
	if got, whole := parse([]byte(strings.Repeat("x\n", 20_000))); whole || len(got) != 10_000 {
		t.Errorf("of 20,000 entries %d are read, whole %v", len(got), whole)
	}
}

func TestFind(t *testing.T) {
	paths := []string{
		"/media/films/Beta (2010)/Beta (2010).mkv",
		"smb://nas/Films/Gamma.mkv",
		`D:\Films\Delta.mkv`,
		"/media/films/case.mkv", "/media/films/Case.mkv",
		"/home/me/.kodi/userdata/playlists/video/near.mkv",
		"stack://smb://nas/a.avi , smb://nas/b.avi",
		"nfs://10.0.0.2/srv/Zeta.mkv",
	}
	shelf := NewShelf(paths)
	file := "/home/me/.kodi/userdata/playlists/video/mine.m3u"
	for entry, want := range map[string]int{
		paths[0]: 0,
		"/MEDIA/films/beta (2010)/BETA (2010).mkv":                  0,
		"/media/films/../films//Beta (2010)/Beta (2010).mkv":        0,
		"file:///media/films/Beta%20(2010)/Beta%20(2010).mkv":       0,
		"../../../../../../media/films/Beta (2010)/Beta (2010).mkv": 0,
		"smb://me:secret@NAS/Films/Gamma.mkv":                       1,
		`\\nas\films\gamma.mkv`:                                     1,
		"d:/films/delta.mkv":                                        2,
		"/media/films/Case.mkv":                                     4,
		"near.mkv":                                                  5,
		`.\near.mkv`:                                                5,
		paths[6]:                                                    6,
		"NFS://10.0.0.2/srv/Zeta.mkv":                               7,
		"/media/films/CASE.mkv":                                     -1, // it may mean either
		"/media/films/none.mkv":                                     -1,
		"videodb://movies/titles/3":                                 -1,
		"plugin://plugin.video.x/?play=3":                           -1,
		"special://home/near.mkv":                                   -1,
		"smb://other/Films/Gamma.mkv":                               -1,
		"..":                                                        -1,
	} {
		got, ok := shelf.Find(file, entry)
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%q is file %d, want %d", entry, got, want)
		}
	}
}

func TestShownHidesSecrets(t *testing.T) {
	for entry, want := range map[string]string{
		"smb://me:secret@nas/a.mkv":          "smb://nas/a.mkv",
		"https://host/a?token=secret":        "https://host/a",
		"http://host/a|Authorization=secret": "http://host/a",
		"smb://me:sec@ret@nas":               "smb://nas",
		"/a/b@c.mkv":                         "/a/b@c.mkv",
		"a\x1b[31mb":                         "a [31mb",
	} {
		if got := Shown(entry); got != want {
			t.Errorf("%q is shown as %q, want %q", entry, got, want)
		}
	}
	if long := Shown(strings.Repeat("x", 5000)); len(long) > 400 {
		t.Errorf("%d bytes are shown", len(long))
	}
}

func write(t *testing.T, folder, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestReadFolder(t *testing.T) {
	userdata := t.TempDir()
	folder := Folder(userdata)
	if all, err := Read(folder); err != nil || len(all) != 0 || Stamp(folder) != "" {
		t.Errorf("a folder that is not there: %v, %v", all, err)
	}
	if err := os.MkdirAll(filepath.Join(folder, "folder.m3u"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, folder, "Noir.M3U", "/f/a.mkv\n")
	write(t, folder, "Watch.me.m3u8", "/f/b.mkv\n")
	write(t, folder, "smart.xsp", "<smartplaylist type=\"movies\"/>")
	write(t, folder, "large.m3u", strings.Repeat("x", 1<<20+1))
	write(t, folder, "notes.txt", "nothing")
	all, err := Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range all {
		got = append(got, fmt.Sprint(p.Name, " ", p.Smart, " ", p.Entries, " ", p.Problem))
	}
	slices.Sort(got)
	want := []string{
		"Noir false [/f/a.mkv] ", "Watch.me false [/f/b.mkv] ", "folder false [] it is no file that can be read",
		"large false [] it is larger than 1048576 bytes", "smart true [] ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	before := Stamp(folder)
	write(t, folder, "Noir.M3U", "/f/a.mkv\n/f/c.mkv\n")
	if Stamp(folder) == before {
		t.Error("the stamp does not change with a playlist")
	}
}

func TestUnreadablePlaylist(t *testing.T) {
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("this user may read everything")
	}
	folder := t.TempDir()
	write(t, folder, "mine.m3u", "/f/a.mkv\n")
	if err := os.Chmod(filepath.Join(folder, "mine.m3u"), 0); err != nil {
		t.Fatal(err)
	}
	all, err := Read(folder)
	if err != nil || len(all) != 1 || all[0].Problem == "" {
		t.Errorf("%v, %v", all, err)
	}
}

// Playlists in the form that Kodi 20.1 writes.
func TestPlaylistsOfKodi(t *testing.T) {
	all, err := Read("testdata")
	if err != nil || len(all) != 3 {
		t.Fatalf("%d playlists, %v", len(all), err)
	}
	smart := 0
	for _, p := range all {
		if p.Smart {
			smart++
		} else if len(p.Entries) != 2 || !strings.HasSuffix(p.Entries[1], "/Gamma (2014).mkv") {
			t.Errorf("%+v", p)
		}
	}
	if smart != 2 {
		t.Errorf("%d smart playlists", smart)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"#EXTM3U\n#EXTINF:0,Beta\n/f/Beta.mkv\n", "\xef\xbb\xbfa\r\nb", "smb://me:x@nas/a|b", `\\nas\x`, "C:", "file://%zz", "..\\..\\..", "\xff\n", "://", "a://@"} {
		f.Add([]byte(seed))
	}
	shelf := NewShelf([]string{"/f/Beta.mkv", "smb://nas/a", "", "://", "/"})
	f.Fuzz(func(t *testing.T, text []byte) {
		entries, _ := parse(text)
		for _, e := range entries {
			if e == "" || !utf8.ValidString(e) || strings.ContainsAny(e, "\r\n") {
				t.Errorf("entry %q", e)
			}
			if i, ok := shelf.Find("/p/mine.m3u", e); ok && (i < 0 || i > 4) {
				t.Errorf("%q is file %d", e, i)
			}
			if shown := Shown(e); !utf8.ValidString(shown) || strings.ContainsAny(shown, "\x1b\n") {
				t.Errorf("%q is shown as %q", e, shown)
			}
		}
	})
}
