package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// release is one release while it is made.
type release struct {
	options
	root  string // the repository
	work  string // for what is not handed out, gone in the end
	when  time.Time
	notes []section
	out   io.Writer
}

// make does everything in order.
func (r *release) make(ctx context.Context) error {
	for _, step := range []struct {
		what string
		do   func(context.Context) error
	}{
		{"begin", r.begin},
		{"read the notes", r.readNotes},
		{"build", r.build},
		{"lay out", r.layOut},
		{"pack archives", r.archives},
		{"make Linux packages", r.linux},
		{"make installers", r.installers},
		{"write texts for package managers", r.texts},
		{"pack the extension", r.extension},
		{"pack the add-on of Kodi", r.kodi},
		{"finish", r.finish},
	} {
		if err := step.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
	}
	return nil
}

// begin finds the repository, the version, the time and the platforms that
// something is made for. The folder has to be empty: what an older run left there
// would be signed along.
func (r *release) begin(ctx context.Context) error {
	mod, err := r.tool(ctx, ".", nil, "go", "env", "GOMOD")
	if err != nil {
		return err
	}
	r.root = filepath.Dir(strings.TrimSpace(mod))
	epoch := os.Getenv("SOURCE_DATE_EPOCH")
	if epoch == "" {
		if epoch, err = r.tool(ctx, r.root, nil, "git", "log", "-1", "--format=%ct"); err != nil {
			return fmt.Errorf("set SOURCE_DATE_EPOCH, or have Git tell the last commit's time: %w", err)
		}
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(epoch), 10, 64)
	if err != nil {
		return fmt.Errorf("read SOURCE_DATE_EPOCH: %w", err)
	}
	r.when = time.Unix(seconds, 0).UTC()
	if r.version == "" {
		if r.version, err = ownVersion(r.root); err != nil {
			return err
		}
	}
	r.platforms = slices.DeleteFunc(r.platforms, func(p platform) bool {
		return !slices.ContainsFunc(r.only, func(kind string) bool { return serves(kind, p) })
	})
	if err := os.MkdirAll(r.into, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(r.into)
	if err == nil && len(entries) > 0 {
		err = fmt.Errorf("%s is not empty", r.into)
	}
	return err
}

// ownVersion is the one that the program's source states.
func ownVersion(root string) (string, error) {
	source, err := os.ReadFile(filepath.Join(root, "cmd/filmspool/main.go"))
	if err != nil {
		return "", err
	}
	found := regexp.MustCompile(`(?m)^var version = "(.+)"$`).FindSubmatch(source)
	if found == nil {
		return "", errors.New("cmd/filmspool/main.go states no version")
	}
	return string(found[1]), nil
}

// wants reports whether a kind is to be made.
func (r *release) wants(kind string) bool { return slices.Contains(r.only, kind) }

// lacks says what is not made for want of tools, and reports whether that is so.
func (r *release) lacks(what string, tools ...string) bool {
	for _, name := range tools {
		if _, err := exec.LookPath(name); err != nil {
			fmt.Fprintf(r.out, "skipped  %s: not installed: %s\n", what, name)
			return true
		}
	}
	return false
}

// fileName is how a file of this release is called.
func (r *release) fileName(p platform, ending string) string {
	return "filmspool-" + r.version + "-" + p.String() + ending
}

// tool runs a program in a folder and returns what it printed. Nothing of the
// caller's language, time zone or settings of Go may show in a release.
func (r *release) tool(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "TZ=UTC",
		"GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0", "GOEXPERIMENT=", "GOFIPS140=off", "GODEBUG=")
	if !r.when.IsZero() {
		cmd.Env = append(cmd.Env, fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.when.Unix()))
	}
	cmd.Env = append(cmd.Env, env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s%s", name, err, stdout.String(), stderr.String())
	}
	return stdout.String(), nil
}
