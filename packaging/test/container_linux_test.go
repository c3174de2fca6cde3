package test

import (
	"bytes"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/filmspool/filmspool/kodi/kodisim"
	"github.com/filmspool/filmspool/queue/viewing"
)

// settings are an image's own, in the form of the OCI's image specification.
type settings struct {
	Config struct {
		User, WorkingDir     string
		Env, Entrypoint, Cmd []string
		Volumes              map[string]struct{}
		ExposedPorts         map[string]struct{}
	} `json:"config"`
}

// reference is one line of an index or a manifest there.
type reference struct {
	MediaType, Digest string
	Platform          struct{ Architecture string }
}

// TestContainerImage runs what a container image holds as a container engine
// would: in its own root folder, as its own user, with its own variables and
// the state on a volume that outlives a container.
func TestContainerImage(t *testing.T) {
	archive, binary := os.Getenv("FILMSPOOL_IMAGE"), os.Getenv("FILMSPOOL_BINARY")
	if archive == "" || binary == "" || os.Geteuid() != 0 {
		t.Skip("FILMSPOOL_IMAGE or FILMSPOOL_BINARY is not set, or this is not root; see the package comment")
	}
	image := openImage(t, archive)
	tracker := beginTracker(t, binary)
	secure := behindTLS(t, tracker)
	first := image.container(t)
	first.trusts(secure)
	kodi, film := first.library()
	if out := first.run("", "kodi", "libraries", "--json"); !strings.Contains(out, `"/kodi/userdata"`) {
		t.Errorf("libraries: %s", out)
	}
	first.configure("UTC")
	first.start(image.Config.Cmd...)
	first.run(secretKey+"\n", "login", "--key-stdin", "--base-url", secure.URL+"/api/v1")
	first.run("", "add", "movie", "603", "--json")
	tracker.delivered(t, 1)
	if err := kodi.Play(film, time.Now().UTC()); err != nil {
		t.Fatal(err)
	}
	tracker.delivered(t, 2)
	first.settled()
	if out := first.run("", "status", "--json"); !strings.Contains(out, `"state": "ok"`) {
		t.Errorf("status: %s", out)
	}
	if code := first.end(syscall.SIGTERM); code != 0 {
		t.Errorf("asked to end, it ended with %d", code)
	}

	second := image.container(t)
	second.trusts(secure)
	volume := filepath.Join(second.place.Chroot, "state")
	if err := os.Remove(volume); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(first.place.Chroot, "state"), volume); err != nil {
		t.Fatal(err)
	}
	second.start(image.Config.Cmd...)
	if got := second.entries(); !slices.Equal(got, []string{"delivered", "delivered"}) {
		t.Errorf("in another container: %v", got)
	}
	second.run("", "add", "episode", "--show", "1396", "--season", "1", "--episode", "2", "--json")
	tracker.delivered(t, 3)
}

// The program brings the time zones that its root folder lacks.
func TestContainerKnowsTimeZones(t *testing.T) {
	archive := os.Getenv("FILMSPOOL_IMAGE")
	if archive == "" || os.Geteuid() != 0 {
		t.Skip("FILMSPOOL_IMAGE is not set, or this is not root; see the package comment")
	}
	c := openImage(t, archive).container(t)
	c.configure("Europe/Lisbon")
	c.run("", "config", "check")
	c.configure("Europe/Nowhere")
	if _, err := c.try("", "config", "check"); err == nil || !strings.Contains(err.Error(), "Europe/Nowhere") {
		t.Errorf("a zone that is not: %v", err)
	}
}

// image is one for this machine's processor, unpacked.
type image struct {
	settings
	layer string
}

func openImage(t *testing.T, archive string) *image {
	t.Helper()
	dir := t.TempDir()
	must(t, exec.CommandContext(t.Context(), "tar", "-C", dir, "-xf", archive))
	read := func(name string, into any) {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil {
			err = json.Unmarshal(text, into)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	blob := func(r reference) string { return filepath.Join("blobs", strings.ReplaceAll(r.Digest, ":", "/")) }
	// An index may hold one more, with an image for each processor.
	found := reference{Digest: ""}
	for name := "index.json"; !strings.Contains(found.MediaType, "manifest"); name = blob(found) {
		var index struct{ Manifests []reference }
		read(name, &index)
		i := slices.IndexFunc(index.Manifests, func(r reference) bool {
			return len(index.Manifests) == 1 || r.Platform.Architecture == runtime.GOARCH
		})
		if i < 0 {
			t.Fatalf("no image for %s: %+v", runtime.GOARCH, index)
		}
		found = index.Manifests[i]
	}
	var manifest struct {
		Config reference
		Layers []reference
	}
	read(blob(found), &manifest)
	if len(manifest.Layers) != 1 {
		t.Fatalf("layers: %+v", manifest.Layers)
	}
	i := &image{layer: filepath.Join(dir, blob(manifest.Layers[0]))}
	read(blob(manifest.Config), &i.settings)
	return i
}

// container is a fresh root folder, and what runs in it.
func (i *image) container(t *testing.T) *local {
	t.Helper()
	root := t.TempDir()
	must(t, exec.CommandContext(t.Context(), "tar", "-C", root, "--numeric-owner", "-xpzf", i.layer))
	user, group, _ := strings.Cut(i.Config.User, ":")
	uid, err := strconv.ParseUint(user, 10, 32)
	if err != nil || uid == 0 {
		t.Fatalf("it runs as %q", i.Config.User)
	}
	gid, err := strconv.ParseUint(group, 10, 32)
	if err != nil || gid == 0 {
		t.Fatalf("it runs as %q", i.Config.User)
	}
	if _, ok := i.Config.Volumes["/state"]; !ok || len(i.Config.ExposedPorts) != 0 {
		t.Fatalf("volumes and ports: %+v", i.Config)
	}
	return &local{
		t: t, words: i.Config.Entrypoint, env: append(slices.Clone(i.Config.Env), "FILMSPOOL_LISTEN=127.0.0.1:0"), dir: i.Config.WorkingDir,
		place: &syscall.SysProcAttr{
			Chroot: root, Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)},
		},
	}
}

// library is a Kodi library where the image looks for one, with a film.
func (l *local) library() (*kodisim.Sim, kodisim.Ref) {
	l.t.Helper()
	dir := filepath.Join(l.place.Chroot, "kodi", "userdata")
	sim, err := kodisim.Create(dir, 131)
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { _ = sim.Close() })
	film, err := sim.AddFilm(kodisim.Film{Title: "Beta", Year: 2010, IDs: viewing.IDs{TMDB: 27205}, Duration: 2 * time.Hour}, time.Now().UTC())
	if err != nil {
		l.t.Fatal(err)
	}
	must(l.t, exec.CommandContext(l.t.Context(), "chmod", "-R", "a+rX", filepath.Dir(dir)))
	return sim, film
}

// configure writes what a person puts at /config.
func (l *local) configure(zone string) {
	l.t.Helper()
	text := "[[kodi.libraries]]\nuserdata = \"/kodi/userdata\"\ntime_zone = \"" + zone + "\"\n"
	if err := os.WriteFile(filepath.Join(l.place.Chroot, "config", "config.toml"), []byte(text), 0o644); err != nil {
		l.t.Fatal(err)
	}
}

// behindTLS puts an address with a certificate before the tracking service.
func behindTLS(t *testing.T, tracker *localTracker) *httptest.Server {
	t.Helper()
	target, err := url.Parse(tracker.origin)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewTLSServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }})
	t.Cleanup(s.Close)
	return s
}

// trusts looks at the authorities that the image brings, and adds the test's
// own where they are: a program that looked elsewhere would not find it.
func (l *local) trusts(s *httptest.Server) {
	l.t.Helper()
	path := filepath.Join(l.place.Chroot, "etc", "ssl", "certs", "ca-certificates.crt")
	text, err := os.ReadFile(path)
	if err != nil {
		l.t.Fatal(err)
	}
	if n := bytes.Count(text, []byte("BEGIN CERTIFICATE")); n < 100 || !x509.NewCertPool().AppendCertsFromPEM(text) {
		l.t.Errorf("the image brings %d authorities", n)
	}
	text = append(text, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})...)
	if err := os.WriteFile(path, text, 0o644); err != nil {
		l.t.Fatal(err)
	}
}
