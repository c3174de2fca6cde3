package service

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// systemctl runs systemd's tools. The zero value speaks to the machine's
// manager.
type systemctl struct {
	user       bool
	runtimeDir string // where the person's manager listens
	root       bool   // root asks
}

// userSystemctl speaks to the manager of whoever runs this program. Shells
// made by su, sudo or cron lack XDG_RUNTIME_DIR, or hold another person's.
func userSystemctl() systemctl {
	dir := os.Getenv("XDG_RUNTIME_DIR")
	if !ownedByUs(dir) {
		dir = filepath.Join("/run/user", strconv.Itoa(os.Getuid()))
	}
	return systemctl{user: true, runtimeDir: dir, root: os.Geteuid() == 0}
}

func ownedByUs(dir string) bool {
	info, err := os.Stat(dir)
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}

// environment makes the tools speak English, and times UTC.
func (c systemctl) environment() []string {
	env := append(os.Environ(), "LC_ALL=C", "TZ=UTC", "SYSTEMD_COLORS=0", "SYSTEMD_PAGER=")
	if c.user {
		env = append(env, "XDG_RUNTIME_DIR="+c.runtimeDir, "DBUS_SESSION_BUS_ADDRESS=unix:path="+c.runtimeDir+"/bus")
	}
	return env
}

func (c systemctl) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = c.environment()
	return cmd
}

func (c systemctl) args(args []string) []string {
	if c.user {
		return append([]string{"--user"}, args...)
	}
	return args
}

// run says one verb. The error holds what systemctl wrote.
func (c systemctl) run(ctx context.Context, args ...string) error {
	_, err := c.output(ctx, args...)
	return err
}

func (c systemctl) output(ctx context.Context, args ...string) (string, error) {
	cmd := c.command(ctx, "systemctl", c.args(args)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", c.explain(args[0], err, strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), nil
}

// explain turns what systemctl wrote into an error with a way out.
func (c systemctl) explain(verb string, err error, wrote string) error {
	if wrote == "" {
		return fmt.Errorf("systemctl %s: %w", verb, err)
	}
	e := &Error{What: fmt.Sprintf("systemctl %s: %s", verb, wrote), Cause: err}
	switch {
	case strings.Contains(wrote, "Failed to connect to"), strings.Contains(wrote, "Host is down"):
		return c.unreachable(err)
	case strings.Contains(wrote, "Access denied"), strings.Contains(wrote, "uthentication"), strings.Contains(wrote, "ermission denied"):
		e.What, _, _ = strings.Cut(e.What, "\n") // then come commands to see why
		e.Advice = Command(true, "service "+verb)
	case strings.Contains(wrote, "is masked"):
		e.Advice = "sudo systemctl unmask " + unitName
		if c.user {
			e.Advice = "systemctl --user unmask " + unitName
		}
	case verb == "start", verb == "restart":
		e.Advice = command(!c.user, "service logs")
	}
	return e
}

// unreachable says why no manager answers, and what would change that.
func (c systemctl) unreachable(err error) error {
	switch {
	case !c.user:
		return &Error{What: "systemd does not answer on this machine", Cause: errors.Join(ErrNoManager, err), Advice: "filmspool run"}
	case c.root:
		return &Error{
			What:   "root has no service manager of its own here: Filmspool is yours, or the whole machine's",
			Cause:  errors.Join(ErrNoManager, err),
			Advice: "filmspool service install, without sudo; or for the whole machine: filmspool --system service install",
		}
	}
	return &Error{
		What:   "no service manager runs for " + userName() + ", who has no session here",
		Cause:  errors.Join(ErrNoManager, err),
		Advice: fmt.Sprintf("sudo loginctl enable-linger %s, and then the same again", userName()),
	}
}

// declareGroup makes the group of the system-wide service. It stays when the
// service goes: files and memberships may refer to it.
func (c systemctl) declareGroup(ctx context.Context, text string) error {
	cmd := c.command(ctx, "systemd-sysusers", "-")
	if _, err := exec.LookPath("systemd-sysusers"); err != nil {
		cmd = c.command(ctx, "groupadd", "--system", "--force", Name)
	}
	cmd.Stdin = strings.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("make group %s: %s: %w", Name, strings.TrimSpace(string(out)), err)
	}
	return nil
}

// linger keeps the person's manager up from boot to shutdown.
func (c systemctl) linger(ctx context.Context) error {
	out, err := c.command(ctx, "loginctl", "enable-linger").CombinedOutput()
	if err != nil {
		return &Error{
			What:   "loginctl enable-linger: " + strings.TrimSpace(string(out)),
			Cause:  err,
			Advice: "sudo loginctl enable-linger " + userName(),
		}
	}
	return nil
}

// journal copies the journal's lines until it ends, or ctx does.
func (c systemctl) journal(ctx context.Context, out io.Writer, args []string) error {
	var stderr bytes.Buffer
	cmd := c.command(ctx, "journalctl", args...)
	cmd.Stdout, cmd.Stderr = out, &stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		return nil
	}
	wrote := strings.TrimSpace(stderr.String())
	hidden := !c.user && strings.Contains(wrote, "not seeing messages from other users")
	if hidden || strings.Contains(wrote, "insufficient permissions") {
		return &Error{
			What: "of the journal you may read only what is yours", Cause: fs.ErrPermission,
			Advice: "sudo journalctl " + strings.Join(c.byRoot(args), " "),
		}
	}
	if err != nil {
		return fmt.Errorf("read journal: %w", errors.Join(err, errors.New(wrote)))
	}
	return nil
}

// byRoot are the arguments with which root sees the same lines: a user unit is
// always that of whoever asks.
func (c systemctl) byRoot(args []string) []string {
	args = slices.Clone(args)
	for i, arg := range args {
		if c.user && strings.HasPrefix(arg, "--user-unit=") {
			args[i] = fmt.Sprintf("_SYSTEMD_USER_UNIT=%s _UID=%d", unitName, os.Getuid())
		}
	}
	return args
}
