package watch

import (
	"context"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// grove is a RunTree with a caller who looks at once.
type grove struct {
	root      string
	looks     chan string // what each look saw: the files' names and contents
	unchanged chan struct{}
	log       *safeBuffer
}

// grow runs a tree until the test ends; change may set its parts.
func grow(t *testing.T, root string, change func(*tree)) *grove {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("trees are only listened to on Linux")
	}
	g := &grove{root: root, looks: make(chan string, 10_000), unchanged: make(chan struct{}, 1000), log: &safeBuffer{}}
	seen := make(chan Seen, 1)
	last := ""
	loop := newTree(TreeOptions{
		Root: root, Quiet: 20 * time.Millisecond, Ceiling: 200 * time.Millisecond, Seen: seen,
		Match:     func(name string) bool { return strings.HasSuffix(name, ".nfo") },
		Unchanged: func() { g.unchanged <- struct{}{} },
		Logger:    slog.New(slog.NewTextHandler(g.log, nil)),
	}, func(ctx context.Context) {
		folders, saw := g.look()
		select {
		case seen <- Seen{Folders: folders, Changed: saw != last}:
		case <-ctx.Done():
		}
		last = saw
		g.looks <- saw
	})
	loop.deaf = func(string) string { return "" }
	if change != nil {
		change(loop)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		defer loop.close()
		loop.settle(ctx)
		done <- loop.run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("RunTree ended with %v, want nil", err)
		}
	})
	return g
}

func (g *grove) look() (folders []string, saw string) {
	_ = filepath.WalkDir(g.root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
		case d.IsDir():
			folders = append(folders, path)
		default:
			text, _ := os.ReadFile(path)
			saw += d.Name() + "=" + string(text) + " "
		}
		return nil
	})
	return folders, saw
}

// wait waits for a look that saw this.
func (g *grove) wait(t *testing.T, want string) {
	t.Helper()
	timeout := time.After(patience)
	for {
		select {
		case got := <-g.looks:
			if got == want {
				return
			}
		case <-timeout:
			t.Fatalf("no look saw %q; log:\n%s", want, g.log)
		}
	}
}

func (g *grove) put(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join(g.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestTreeIsFollowed(t *testing.T) {
	g := grow(t, t.TempDir(), nil)
	g.wait(t, "")
	g.put(t, "a/b/c/one.nfo", "1")
	g.wait(t, "one.nfo=1 ")
	g.put(t, "a/b/c/one.nfo", "2")
	g.wait(t, "one.nfo=2 ")
	if err := os.Rename(filepath.Join(g.root, "a", "b"), filepath.Join(g.root, "d")); err != nil {
		t.Fatal(err)
	}
	g.put(t, "d/c/two.nfo", "3")
	g.wait(t, "one.nfo=2 two.nfo=3 ")
	if err := os.RemoveAll(filepath.Join(g.root, "d")); err != nil {
		t.Fatal(err)
	}
	g.wait(t, "")
	g.put(t, "d/c/one.nfo", "4")
	g.wait(t, "one.nfo=4 ")
	if len(g.unchanged) == 0 {
		t.Error("it was never said that nothing had changed before")
	}
	if g.log.String() != "" {
		t.Errorf("log:\n%s", g.log)
	}
}

// Where events do not come, a poll finds changes, and says so once.
func TestTreeDeaf(t *testing.T) {
	g := grow(t, t.TempDir(), func(l *tree) {
		l.deaf = func(string) string { return "the folder lies far away" }
		l.o.Poll = 5 * time.Millisecond
	})
	g.wait(t, "")
	g.put(t, "a/one.nfo", "1")
	g.wait(t, "one.nfo=1 ")
	if n := strings.Count(g.log.String(), "far away"); n != 1 {
		t.Errorf("said %d times:\n%s", n, g.log)
	}
}

// A watcher that hears nothing though the poll finds changes is not relied on.
func TestTreeFindsOutThatItIsDeaf(t *testing.T) {
	seen := make(chan Seen, 1)
	l := newTree(TreeOptions{Root: t.TempDir(), Seen: seen}, func(context.Context) {})
	l.deaf = func(string) string { return "" }
	defer l.close()
	look := func(changed, polled bool) {
		l.polled = polled
		l.adopt(Seen{Folders: []string{l.o.Root}, Changed: changed})
		l.pace.reset()
	}
	look(true, false)
	if l.eyes == nil {
		t.Fatal("the first look opened no watcher")
	}
	look(false, true)
	if l.eyes == nil {
		t.Error("a poll that found nothing closed the watcher")
	}
	l.heard = true
	look(true, true)
	if l.eyes == nil {
		t.Error("a change that was heard of closed the watcher")
	}
	l.heard = false
	look(true, true)
	if l.eyes != nil || l.blind == "" {
		t.Error("a change that no event told of left the watcher open")
	}
	look(false, true)
	if l.eyes != nil {
		t.Error("the watcher was opened again at once")
	}
	l.since = time.Now().Add(-l.o.Rest)
	look(false, true)
	if l.eyes == nil {
		t.Error("the watcher was never opened again")
	}
}

func TestTreeAtTheLimit(t *testing.T) {
	g := grow(t, t.TempDir(), func(l *tree) {
		l.open = func() (*fsnotify.Watcher, error) { return nil, syscall.EMFILE }
		l.o.Poll = 5 * time.Millisecond
	})
	g.wait(t, "")
	g.put(t, "one.nfo", "1")
	g.wait(t, "one.nfo=1 ")
	if !strings.Contains(g.log.String(), "max_user_instances") {
		t.Errorf("no advice:\n%s", g.log)
	}
}

func TestTreeLostEventsAreAChange(t *testing.T) {
	l := newTree(TreeOptions{Root: t.TempDir(), Seen: make(chan Seen)}, func(context.Context) {})
	l.fault(fsnotify.ErrEventOverflow, true)
	if !l.pace.armed() {
		t.Error("an overflow armed no timer")
	}
}

func TestRunTreeRefusesAndStops(t *testing.T) {
	if err := RunTree(t.Context(), TreeOptions{Root: "x"}, func(context.Context) {}); err == nil {
		t.Error("RunTree without Seen succeeded")
	}
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	err := RunTree(ctx, TreeOptions{Root: t.TempDir(), Seen: make(chan Seen)}, func(context.Context) { n++; cancel() })
	if err != nil || n != 1 {
		t.Errorf("RunTree = %v after %d calls, want nil after 1", err, n)
	}
}

// A folder that goes between a look and the watch has sent no event that
// concerns us: there is another look, and one alone.
func TestFolderGoneBeforeItIsListenedTo(t *testing.T) {
	root := t.TempDir()
	for dir, again := range map[string]bool{filepath.Join(root, "gone"): true, root: false} {
		tree := newTree(TreeOptions{Root: root}, func(context.Context) {})
		if err := os.MkdirAll(root, 0o755); err != nil {
			t.Fatal(err)
		}
		if tree.adopt(Seen{Folders: []string{root}}); dir == root {
			tree.forget(root)
			if err := os.Remove(root); err != nil {
				t.Fatal(err)
			}
		}
		tree.pace.reset()
		tree.adopt(Seen{Folders: []string{dir}})
		if tree.pace.armed() != again {
			t.Errorf("%s is gone: another look is due: %v, want %v", dir, !again, again)
		}
		tree.close()
	}
}
