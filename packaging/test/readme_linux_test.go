package test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/filmspool/filmspool/kodi/kodisim"
	"github.com/filmspool/filmspool/packaging/readme"
)

// The README says these; on the machine stands what is said beside them.
func substitutions(deb, archive string) *strings.Replacer {
	folder := strings.TrimSuffix(archive, ".tar.gz")
	return strings.NewReplacer(
		"https://tracker.example/api/v1", "http://127.0.0.1:8105/api/v1",
		"filmspool_0.1.0-1_amd64.deb", deb,
		"filmspool-0.1.0-darwin-arm64.tar.gz", archive,
		"filmspool-0.1.0-darwin-arm64/", folder+"/",
		"NAME", "me",
	)
}

// attempt is how one command of the README is tried, if it is more than typing
// it and wanting exit 0.
type attempt struct {
	before func(*reader) // makes what the command is about
	typed  func(*reader, string) (string, error)
	says   string // part of its output
	after  func(*reader)
}

// noFilms is a number below those of the films that are added.
const noFilms = 1000

// reader is somebody who types what the README says, from its top to its end.
type reader struct {
	*instance
	page  string            // the front page
	words map[string]string // what stands for ID and FILE
	films int               // how many were added

	removals int // of their own service
}

// TestReadmeOnSystemd types every command of all pages into a new machine, in
// their order, as somebody would who has a service, a Kodi library and sudo.
func TestReadmeOnSystemd(t *testing.T) {
	deb := os.Getenv("FILMSPOOL_DEB")
	if deb == "" {
		t.Skip("FILMSPOOL_DEB is not set; see the package comment")
	}
	folder := filepath.Dir(deb)
	archives, _ := filepath.Glob(filepath.Join(folder, "filmspool-*-linux-"+strings.TrimSuffix(deb[strings.LastIndex(deb, "_")+1:], ".deb")+".tar.gz"))
	if len(archives) != 1 {
		t.Fatalf("one archive of this processor has to lie beside the package: %q", archives)
	}
	files := map[string]string{}
	for _, file := range []string{deb, archives[0], filepath.Join(folder, "SHA256SUMS")} {
		files["/root/"+filepath.Base(file)] = file
	}
	library := t.TempDir()
	sim, err := kodisim.Sample(library)
	if err != nil {
		t.Fatal(err)
	}
	files["/root/MyVideos121.db"] = sim.Path()
	if err := sim.Close(); err != nil {
		t.Fatal(err)
	}
	r := newReader(t, boot(t, files))
	words := substitutions(filepath.Base(deb), filepath.Base(archives[0]))
	for _, page := range pages(t) {
		for _, c := range readme.Commands(page.Text) {
			if _, elsewhere := covered()[c.Text]; !elsewhere {
				r.try1(page.Name, c, words)
			}
		}
	}
}

// newReader prepares the machine: a person who is logged in, their downloads,
// their Kodi, and a tracking service.
func newReader(t *testing.T, m *machine) *reader {
	t.Helper()
	r := &reader{
		instance: &instance{machine: m, as: []string{"env"}, port: 8105, program: packaged},
		page:     pages(t)[0].Text, words: map[string]string{}, films: noFilms,
	}
	m.run("", "useradd", "--create-home", "me")
	m.run("", "loginctl", "enable-linger", "me")
	m.run("", "sh", "-c", "mv "+program+" /usr/local/lib/tracker && install -d -o me -g me /home/me/.kodi/userdata/Database && "+
		"install -o me -g me -m 644 /root/MyVideos121.db /home/me/.kodi/userdata/Database && "+
		"install -o me -g me -m 644 /root/*.deb /root/*.tar.gz /root/SHA256SUMS /home/me")
	m.run("", "systemd-run", "--unit=tracker", "-p", "DynamicUser=yes", "-p", "StateDirectory=tracker", "--",
		"/usr/local/lib/tracker", "sandbox", "--listen", "127.0.0.1:8105", "--state-dir", "/var/lib/tracker",
		"--secret-key", secretKey, "--public-key", publicKey)
	eventually(t, "tracking service", 30*time.Second, func() bool {
		_, err := r.history()
		return err == nil
	})
	eventually(t, "user manager", 30*time.Second, func() bool {
		_, err := r.shell("me", "systemctl --user is-system-running | grep -E 'running|degraded'")
		return err == nil
	})
	return r
}

// try1 types one command, and looks at what comes of it.
func (r *reader) try1(page string, c readme.Command, words *strings.Replacer) {
	r.t.Helper()
	a := attempts()[c.Text]
	if a.before != nil {
		a.before(r)
	}
	line := words.Replace(c.Text)
	for word, meant := range r.words {
		line = regexp.MustCompile(`\b`+word+`\b`).ReplaceAllLiteralString(line, meant)
	}
	if a.typed == nil {
		a.typed = (*reader).type1
	}
	said, err := a.typed(r, line)
	if err != nil || !strings.Contains(said, a.says) {
		log, _ := r.machine.try("", "journalctl", "--no-pager", "--lines=40")
		r.t.Fatalf("%s:%d: %s\n%v\nwant %q in:\n%s\nThe journal:\n%s", page, c.Line, c.Text, err, a.says, said, log)
	}
	if a.after != nil {
		a.after(r)
	}
	first, _, _ := strings.Cut(said, "\n")
	r.t.Logf("%s:%d: %s: %s", page, c.Line, line, first)
}

// type1 runs a command as somebody in their home who answers yes. What begins
// with sudo runs as root, with what sudo tells of who asked.
func (r *reader) type1(line string) (string, error) {
	var all strings.Builder
	for part := range strings.SplitSeq(line, "; ") {
		who := "me"
		if rest, ok := strings.CutPrefix(part, "sudo "); ok {
			who, part = "root", "SUDO_USER=me SUDO_UID=$(id -u me) SUDO_GID=$(id -g me) "+rest
		}
		said, err := r.shell(who, part)
		all.WriteString(said)
		if err != nil {
			return all.String(), err
		}
	}
	return all.String(), nil
}

// hands puts a line of shell into somebody's hands, in the person's home.
func hands(who, line string) []string {
	if who == "root" {
		return []string{"env", "DEBIAN_FRONTEND=noninteractive", "bash", "-c", "cd /home/me && " + line}
	}
	return []string{
		"runuser", "-u", who, "--", "env", "HOME=/home/" + who, "bash", "-c",
		"cd; export XDG_RUNTIME_DIR=/run/user/$(id -u); " + line,
	}
}

func (r *reader) shell(who, line string) (string, error) {
	return r.machine.try("y\n", hands(who, line)...)
}

// login types the key where it is asked for: at a terminal that does not show
// it.
func (r *reader) login(line string) (string, error) {
	ours, theirs, err := terminal()
	if err != nil {
		return "", err
	}
	defer ours.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := r.command(ctx, hands("me", line)...)
	var out, asked bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, &out, theirs
	err = cmd.Start()
	_ = theirs.Close()
	if err != nil {
		return "", err
	}
	answered := false
	piece := make([]byte, 256)
	for {
		n, err := ours.Read(piece)
		asked.Write(piece[:n])
		if !answered && strings.Contains(asked.String(), "not shown: ") {
			answered = true
			eventually(r.t, "hidden input", time.Minute, func() bool {
				mode, err := unix.IoctlGetTermios(int(ours.Fd()), unix.TCGETS)
				return err == nil && mode.Lflag&unix.ECHO == 0
			})
			if _, err := io.WriteString(ours, secretKey+"\n"); err != nil {
				return "", err
			}
		}
		if err != nil { // EIO: the other end is closed
			break
		}
	}
	err = cmd.Wait()
	if strings.Contains(asked.String(), secretKey) {
		return "", fmt.Errorf("the key was shown: %s", asked.String())
	}
	return out.String() + asked.String(), err
}

// terminal makes a terminal: our end and the program's.
func terminal() (ours, theirs *os.File, err error) {
	ours, err = os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	fd := int(ours.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return nil, nil, err
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		return nil, nil, err
	}
	theirs, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	return ours, theirs, err
}

// serve runs what only ends when it is told to.
func serve(r *reader, line string) (string, error) {
	return r.shell("me", "rm -f served; "+line+" >served & it=$!; until grep -qs http served; do sleep .1; kill -0 $it || exit 1; done; kill $it; wait $it && cat served")
}

// mine is a filmspool command beside those of the README, which has to
// succeed.
func (r *reader) mine(line string) string {
	r.t.Helper()
	said, err := r.shell("me", line)
	if err != nil {
		r.t.Fatal(err)
	}
	return strings.TrimSpace(said)
}

// add makes an entry of a film of its own, and wants it in a state.
func (r *reader) add(state string) {
	r.t.Helper()
	r.films++
	var entry struct{ ID int64 }
	// More films that end in one minute would be a wave.
	said := r.mine(fmt.Sprintf("filmspool add movie %d --watched-at 'yesterday 20:%02d' --json", r.films, (r.films-noFilms)%60))
	if err := json.Unmarshal([]byte(said), &entry); err != nil || entry.ID == 0 {
		r.t.Fatalf("add: %v: %s", err, said)
	}
	r.words["ID"] = fmt.Sprint(entry.ID)
	r.becomes(state)
}

// becomes waits until the entry is in a state.
func (r *reader) becomes(state string) {
	r.t.Helper()
	eventually(r.t, "entry "+r.words["ID"]+" as "+state, 30*time.Second, func() bool {
		var entry struct{ State string }
		said, _ := r.shell("me", "filmspool queue show --json "+r.words["ID"])
		return json.Unmarshal([]byte(said), &entry) == nil && entry.State == state
	})
}

// waiting makes an entry that stays, since nothing is sent meanwhile.
func (r *reader) waiting() {
	r.t.Helper()
	r.mine("filmspool pause")
	r.add("pending")
}

// arm has the tracking service fail once.
func (r *reader) arm(fault string) {
	r.t.Helper()
	request, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, "http://127.0.0.1:8105/_sandbox/faults",
		strings.NewReader(`{"match":"POST /history","fault":"`+fault+`","times":1}`))
	if err != nil {
		r.t.Fatal(err)
	}
	response, err := r.client().Do(request)
	if err != nil {
		r.t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		r.t.Fatalf("arm: %s", response.Status)
	}
}
