package service

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"

	kardianos "github.com/kardianos/service"

	"github.com/filmspool/filmspool/packaging"
)

const initScriptFile = "/etc/init.d/" + Name

// newInitd is an init that reads scripts, with packaging's script instead of
// kardianos', which would run the program as root without the folders it needs.
func newInitd(o Options, platform string) (backend, error) {
	f := &filed{file: initScriptFile, mode: 0o755, log: "/var/log/" + Name + ".log", all: true, prepare: makeAccount}
	option, text, d := "SysvScript", "", driver(f)
	switch platform {
	case "linux-openrc":
		option, text = "OpenRCScript", packaging.OpenRC
		o.Args = withHost(o.Args, HostInit)
		f.enable, f.disable = []string{"rc-update", "add", Name, "default"}, []string{"rc-update", "delete", Name, "default"}
		f.enabled = anyFile("/etc/runlevels/default/" + Name)
	case "unix-systemv":
		// kardianos makes links alone. Those start nothing at boot on a Debian,
		// and stay when the service goes.
		text = packaging.SysV
		o.Args = withHost(o.Args, HostInit)
		f.enable, f.disable = []string{"update-rc.d", Name, "defaults"}, []string{"update-rc.d", "-f", Name, "remove"}
		f.enabled = anyFile("/etc/rc[2-5].d/S??" + Name)
	case "linux-procd":
		text = packaging.Procd
		f.prepare = nil
		f.enable, f.disable = []string{initScriptFile, "enable"}, []string{initScriptFile, "disable"}
		f.enabled = anyFile("/etc/rc.d/S??" + Name)
		if !slices.Contains(o.Args, "--state-dir") {
			o.Args = append(slices.Clip(o.Args), "--state-dir", "/etc/filmspool/state") // /var is lost at each boot
		}
		d = &procd{f}
	case "linux-upstart": // here and below with kardianos' own script, as root
		f.file, f.prepare = "/etc/init/"+Name+".conf", nil
	default:
		f.prepare = nil
	}
	if text != "" {
		var err error
		if f.text, err = initScript(text, o.Executable, o.Args); err != nil {
			return nil, err
		}
	}
	var err error
	f.Service, err = newKardianos(o, "", kardianos.KeyValue{option: f.text})
	return newManaged(o, d, true), err
}

func anyFile(pattern string) func() bool {
	return func() bool {
		found, _ := filepath.Glob(pattern) // the pattern is well formed
		return len(found) > 0
	}
}

// procd keeps the log itself.
type procd struct{ *filed }

func (*procd) logs(ctx context.Context, out io.Writer, follow bool) error {
	args := []string{"-e", Name}
	if follow {
		args = append(args, "-f")
	}
	cmd := exec.CommandContext(ctx, "logread", args...)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Run(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("read the log: %w", err)
	}
	return nil
}

// makeAccount makes the user and the group of the service, with the tools of
// most systems or those of Alpine's. They stay when the service goes, since
// its files are theirs.
func makeAccount() error {
	if _, err := user.Lookup(Name); err == nil {
		return nil
	}
	lines := [][]string{
		{"addgroup", "-S", Name},
		{"adduser", "-S", "-D", "-H", "-h", "/var/lib/filmspool", "-s", "/sbin/nologin", "-G", Name, "-g", Name, Name},
	}
	if _, err := exec.LookPath("useradd"); err == nil {
		lines = [][]string{
			{"groupadd", "--system", "--force", Name},
			{"useradd", "--system", "--gid", Name, "--no-create-home", "--home-dir", "/var/lib/filmspool", "--shell", "/usr/sbin/nologin", Name},
		}
	}
	for _, line := range lines {
		if err := tool(line...); err != nil && line[0] != "addgroup" { // which fails where the group is there
			return fmt.Errorf("make the service's user: %w", err)
		}
	}
	return nil
}

// initScript puts a program and its arguments into one of packaging's scripts
// for init, which name those of a package. The shell reads both lines twice.
func initScript(text, executable string, args []string) (string, error) {
	for _, word := range append([]string{executable}, args...) {
		if err := checkWord(word); err != nil {
			return "", err
		}
	}
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = shellWord(arg)
	}
	for name, value := range map[string]string{
		"\ncommand=": shellWord(executable), "\ncommand_args=": strings.Join(words, " "),
	} {
		before, rest, _ := strings.Cut(text, name)
		_, after, _ := strings.Cut(rest, "\n")
		value = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(value)
		text = before + name + `"` + value + "\"\n" + after
	}
	return text, nil
}

// shellWord quotes one word for a shell.
func shellWord(word string) string {
	if word == "" || strings.ContainsAny(word, " '\"\\$`&;()<>|*?[]#~!{}") {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}
