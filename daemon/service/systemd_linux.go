package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/filmspool/filmspool/packaging"
	"github.com/filmspool/filmspool/queue/viewing"
)

const unitName = Name + ".service"

// systemd controls a unit of the system manager or of the user's manager.
type systemd struct {
	o            Options
	unitFile     string // the unit file that install writes
	template     string // its text as in our packages
	lingerFolder string // the folder with a file for each lingering user
}

// newBackend checks whether systemd runs, not whether it is installed: systemctl exists on many
// machines, especially containers, where systemd is not process 1.
func newBackend(o Options) (backend, error) {
	running := exists("/run/systemd/system")
	config, err := os.UserConfigDir()
	switch {
	case !running && inContainer():
		return nil, noManager("service.container")
	case !running:
		return nil, noManager("service.noSystemd")
	case o.System:
		return &systemd{o: o, unitFile: "/etc/systemd/system/" + unitName, template: packaging.SystemUnit}, nil
	case err != nil:
		return nil, fmt.Errorf("find the folder for user units: %w", err)
	default:
		return &systemd{o: o, unitFile: filepath.Join(config, "systemd/user", unitName), template: packaging.UserUnit, lingerFolder: "/var/lib/systemd/linger"}, nil
	}
}

// install writes the unit, unless a package installed the same one: a copy would hide later
// versions of the package.
func (s *systemd) install(ctx context.Context) error {
	for _, hidden := range []string{"/home/", "/root/", "/run/user/", "/tmp/", "/var/tmp/"} { // by the system unit's sandbox
		if s.o.System && strings.HasPrefix(s.o.Executable, hidden) {
			return refuse(errors.ErrUnsupported, viewing.Say("service.hidden", "path", hidden),
				"sudo install -m 755 '"+s.o.Executable+"' /usr/local/bin/filmspool && sudo /usr/local/bin/filmspool --system service install")
		}
	}
	text, err := s.unit()
	if err != nil {
		return err
	}
	if s.o.System {
		if _, err := s.run(ctx, packaging.Sysusers, "systemd-sysusers", "-"); err != nil {
			return err
		}
	}
	u, err := s.show(ctx)
	if err != nil {
		return err
	}
	own := exists(s.unitFile)
	packaged, _ := os.ReadFile(u["FragmentPath"]) // an unreadable file counts as different
	if own || string(packaged) != text {
		err = s.writeUnit(ctx, text)
	}
	if err == nil {
		err = s.systemctl(ctx, "enable", unitName)
	}
	if err != nil {
		if !own {
			_ = os.Remove(s.unitFile)
		}
		return err
	}
	if s.o.Linger {
		if _, err := s.run(ctx, "", "loginctl", "enable-linger"); err != nil {
			return refuse(err, viewing.Say("service.noLinger"), "sudo loginctl enable-linger "+userName())
		}
	}
	return nil
}

// writeUnit writes the unit file and makes systemd read it.
func (s *systemd) writeUnit(ctx context.Context, text string) error {
	err := os.MkdirAll(filepath.Dir(s.unitFile), 0o755)
	if err == nil {
		err = os.WriteFile(s.unitFile, []byte(text), 0o644)
	}
	if err != nil {
		return fmt.Errorf("write unit: %w", err)
	}
	return s.systemctl(ctx, "daemon-reload")
}

// unit returns the text of the unit. If the program is a symbolic link, both paths may be
// executed.
func (s *systemd) unit() (string, error) {
	executable := unitWord(s.o.Executable, false)
	command, paths := executable, executable
	for _, arg := range s.o.Args {
		command += " " + unitWord(arg, true)
	}
	if real, err := filepath.EvalSymlinks(s.o.Executable); err == nil && real != s.o.Executable {
		paths += " " + unitWord(real, false)
	}
	if strings.ContainsFunc(command, unicode.IsControl) { // a line break would begin a new directive
		return "", fmt.Errorf("%q cannot stand in a unit", command)
	}
	return strings.NewReplacer(
		"ExecStart=/usr/bin/filmspool run --system", "ExecStart="+command, "ExecStart=/usr/bin/filmspool run", "ExecStart="+command,
		"ExecPaths=/usr/bin/filmspool", "ExecPaths="+paths,
	).Replace(s.template), nil
}

// unitWord quotes a word of a systemd command line (systemd.service(5), "Command lines"): "%" is
// special everywhere, "$" in arguments only.
func unitWord(word string, argument bool) string {
	pairs := []string{`\`, `\\`, `"`, `\"`, `%`, `%%`}
	if argument {
		pairs = append(pairs, `$`, `$$`)
	}
	escaped := strings.NewReplacer(pairs...).Replace(word)
	if word == "" || strings.ContainsAny(word, " \"'\\;#") {
		return `"` + escaped + `"`
	}
	return escaped
}

// uninstall removes our unit file but keeps one that belongs to a package.
func (s *systemd) uninstall(ctx context.Context) error {
	if err := s.systemctl(ctx, "disable", unitName); err != nil && exists(s.unitFile) {
		return err
	}
	if err := os.Remove(s.unitFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove unit: %w", err)
	}
	_ = s.systemctl(ctx, "reset-failed", unitName) // fails if exists is nothing to reset
	return s.systemctl(ctx, "daemon-reload")
}

// start resets a crash loop first, because its start limit would refuse the start. If the program
// fails, it returns nil: the status explains the failure better than systemctl.
func (s *systemd) start(ctx context.Context) error {
	_ = s.systemctl(ctx, "reset-failed", unitName) // fails if exists is nothing to reset
	err := s.systemctl(ctx, "start", unitName)
	if after, statusErr := s.status(ctx); statusErr == nil && (after.State == Failed || after.State == Restarting) {
		return nil
	}
	return err
}

func (s *systemd) stop(ctx context.Context) error { return s.systemctl(ctx, "stop", unitName) }

// show returns properties of the unit, also if it does not exist.
func (s *systemd) show(ctx context.Context) (map[string]string, error) {
	out, err := s.run(ctx, "", "systemctl", "show", unitName, "--property=LoadState,ActiveState,SubState,FragmentPath,"+
		"UnitFileState,Result,StatusText,MainPID,NRestarts,ExecMainStatus,StateChangeTimestamp")
	value := map[string]string{}
	for line := range strings.Lines(out) {
		key, v, _ := strings.Cut(strings.TrimSpace(line), "=")
		value[key] = v
	}
	return value, err
}

func (s *systemd) status(ctx context.Context) (Status, error) {
	u, err := s.show(ctx)
	if err != nil {
		return Status{}, err
	}
	out := statusOf(u)
	out.UntilLogout = out.Installed && !s.o.System && !exists(filepath.Join(s.lingerFolder, userName()))
	return out, nil
}

// statusOf converts the properties of a unit. An unreadable number or time is left zero; it is
// only shown.
func statusOf(u map[string]string) Status {
	if u["LoadState"] == "not-found" && u["ActiveState"] != "active" {
		return Status{State: NotInstalled}
	}
	s := Status{Installed: true, Autostart: strings.HasPrefix(u["UnitFileState"], "enabled"), Unit: u["FragmentPath"]}
	s.PID, _ = strconv.Atoi(u["MainPID"])
	s.Restarts, _ = strconv.Atoi(u["NRestarts"])
	s.Since, _ = time.Parse("Mon 2006-01-02 15:04:05 MST", u["StateChangeTimestamp"])
	states := map[string]State{"active": Running, "reloading": Running, "activating": Starting, "deactivating": Stopping, "failed": Failed}
	if s.State = cmp.Or(states[u["ActiveState"]], Stopped); strings.HasPrefix(u["SubState"], "auto-restart") {
		s.State = Restarting
	}
	switch ended := s.State == Failed || s.State == Restarting; {
	case ended && u["StatusText"] != "": // the program's own explanation
		s.Detail = viewing.Say("service.ended", "detail", u["StatusText"])
	case ended:
		s.Detail = failure(u["Result"], u["ExecMainStatus"])
	case u["StatusText"] != "":
		s.Detail = viewing.Say("said", "detail", u["StatusText"])
	}
	return s
}

// failure returns why the program ended (systemd.exec(5), "Process exit codes").
func failure(result, status string) viewing.Message {
	codes := map[string]string{"exit-code": "service.exit", "signal": "service.signal", "core-dump": "service.signal"}
	if code := codes[result]; code != "" {
		return viewing.Say(code, "status", status)
	}
	return viewing.Say("service.result", "result", result) // "protocol", "watchdog", "timeout", "start-limit-hit"
}

func (s *systemd) logs(ctx context.Context, out io.Writer, follow bool) error {
	args := []string{"--no-pager", fmt.Sprint("--lines=", logLines), "--unit=" + unitName}
	if !s.o.System {
		args[2] = "--user-unit=" + unitName
	}
	if follow {
		args = append(args, "--follow")
	}
	complaint, err := s.runTo(ctx, out, "", "journalctl", args...)
	switch {
	case ctx.Err() != nil:
		return nil
	case s.o.System && os.Geteuid() != 0 && complaint != "": // without root it shows only the user's own messages
		return refuse(fs.ErrPermission, viewing.Say("service.journal"), Command(true, "service logs"))
	}
	return err
}

// environment returns the environment of the tools: English output, times in UTC, and the runtime
// folder of the user, which shells of su, sudo or cron lack or have from another user.
func (s *systemd) environment() []string {
	env := append(os.Environ(), "LC_ALL=C", "TZ=UTC", "SYSTEMD_COLORS=0", "SYSTEMD_PAGER=")
	if !s.o.System {
		dir := fmt.Sprint("/run/user/", os.Getuid())
		env = append(env, "XDG_RUNTIME_DIR="+dir, "DBUS_SESSION_BUS_ADDRESS=unix:path="+dir+"/bus")
	}
	return env
}

func (s *systemd) systemctl(ctx context.Context, args ...string) error {
	_, err := s.run(ctx, "", "systemctl", args...)
	return err
}

// run runs one of systemd's tools and returns its output.
func (s *systemd) run(ctx context.Context, input, tool string, args ...string) (string, error) {
	var out strings.Builder
	_, err := s.runTo(ctx, &out, input, tool, args...)
	return out.String(), err
}

// runTo runs one of systemd's tools and returns its error output, which the error contains, too.
func (s *systemd) runTo(ctx context.Context, out io.Writer, input, tool string, args ...string) (complaint string, err error) {
	if tool == "systemctl" && !s.o.System {
		args = append([]string{"--user"}, args...)
	}
	var stderr strings.Builder
	cmd := exec.CommandContext(ctx, tool, args...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = s.environment(), strings.NewReader(input), out, &stderr
	err = cmd.Run()
	complaint = strings.TrimSpace(stderr.String())
	away := !s.o.System && strings.Contains(complaint, "Failed to connect")
	switch {
	case err == nil:
	case away && os.Getuid() == 0:
		err = refuse(ErrNoManager, viewing.Say("service.rootOwn"), "filmspool --system service install")
	case away:
		err = refuse(ErrNoManager, viewing.Say("service.noSession", "name", userName()), "sudo loginctl enable-linger "+userName())
	default:
		what := tool + " " + strings.Join(args, " ")
		err = refuse(err, viewing.Say("service.tool", "command", what, "detail", complaint), "")
	}
	return complaint, err
}

// userName returns the name of the current user.
func userName() string {
	u, err := user.Current()
	if err != nil {
		return fmt.Sprint(os.Getuid())
	}
	return u.Username
}
