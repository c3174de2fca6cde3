// Command filmspool is a film and TV diary: it receives viewings from browsers, Kodi and other
// programs, stores them on disk, and sends each one to a tracking service once. This package
// contains the commands, the exit codes and the output of errors; package daemon does the work.
// Texts are in the language of LC_ALL, LC_MESSAGES or LANG. Exit codes and the fields of --json
// are stable.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	_ "time/tzdata" // Windows, small routers and minimal containers have no time zone database

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/locale"
	"github.com/filmspool/filmspool/daemon/logging"
	"github.com/filmspool/filmspool/queue/replay"
	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/viewing"
)

// version is the release of this program. The linker sets it with -X main.version=.
var version = "0.1.0"

// Exit codes. They are part of the interface.
const (
	exitDone       = 0
	exitFailed     = 1
	exitUsage      = 2
	exitNotRunning = 3
	exitAttention  = 4
	exitTemporary  = 75 // EX_TEMPFAIL of sysexits.h: another start may work
	exitConfig     = 78 // EX_CONFIG of sysexits.h; systemd does not restart on it
)

func main() {
	cobra.EnableCommandSorting = false // help lists commands in the order of root
	(&program{}).main()
}

// main runs the process.
func (p *program) main() {
	// After the first signal the default handling is restored, so a second one kills the process.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() {
		<-ctx.Done()
		stop()
	}()
	// The HTTP client of the standard library logs unexpected data of servers there.
	log.SetOutput(io.Discard)
	language := cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_MESSAGES"), os.Getenv("LANG"))
	p.stdin, p.stdout, p.stderr, p.getenv = os.Stdin, terminal.To(os.Stdout).In(language), terminal.To(os.Stderr).In(language), os.Getenv
	os.Exit(p.run(ctx, os.Args[1:]))
}

// program is one invocation: its streams, its environment and its global flags.
type program struct {
	stdin          io.Reader
	stdout, stderr *terminal.Printer
	getenv         func(string) string

	choice config.Choice
	flags  config.Overrides
	loop   func(*replay.Options) // see [daemon.Options]; tests set it
	args   []string

	progress atomic.Pointer[func()] // prints the progress of a long command; nil prints only that it is running
	given    given
}

// run executes one command line and returns the exit code.
func (p *program) run(ctx context.Context, args []string) int {
	p.args = args
	root := p.root()
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		p.describe(root)
		p.completeValues(root)
	}
	root.SetArgs(args)
	root.SetIn(p.stdin)
	root.SetOut(p.stdout.Text())
	root.SetErr(p.stderr.Text())
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitDone
	}
	p.show(err)
	return code(err)
}

// root builds the tree of commands.
func (p *program) root() *cobra.Command {
	root := &cobra.Command{Use: "filmspool", Args: p.checkArgs, SilenceUsage: true, SilenceErrors: true}
	// Cobra's own version flag needs text/template, which adds 2.7 MB to the program.
	asked := root.Flags().BoolP("version", "v", false, "")
	root.RunE = func(c *cobra.Command, _ []string) error {
		if *asked {
			return p.showVersion(c.Context(), nil)
		}
		return c.Help()
	}
	f := root.PersistentFlags()
	f.StringVar(&p.choice.StateDir, "state-dir", "", "")
	f.StringVar(&p.choice.Config, "config", "", "")
	f.BoolVar(&p.choice.System, "system", false, "")
	f.StringVar(&p.flags.LogLevel, "log-level", "", "")
	p.addCommands(root, p.commands())
	root.AddCommand(p.manualCommands()...)
	root.InitDefaultCompletionCmd()
	root.SetHelpCommand(p.helpCommand())
	root.InitDefaultHelpCmd()
	root.SetHelpFunc(p.showHelp)
	root.SetFlagErrorFunc(p.wrongFlag)
	return root
}

// exitError is an error with its own exit code, and with a hint unless the error has one.
type exitError struct {
	error
	code int
	hint viewing.Message
}

// Unwrap returns the wrapped error.
func (e *exitError) Unwrap() error { return e.error }

// next adds a hint, usually a command.
func (e *exitError) next(hint viewing.Message) *exitError {
	e.hint = hint
	return e
}

// errPrinted ends a command that has already printed what is wrong.
var errPrinted = errors.New("")

// code returns the exit code for an error.
func code(err error) int {
	var exit *exitError
	switch {
	case errors.As(err, &exit):
		return exit.code
	case errors.Is(err, config.ErrInvalid), errors.Is(err, sqlite.ErrNewer):
		return exitConfig
	case errors.Is(err, daemon.ErrUnwritable):
		return exitTemporary
	case errors.Is(err, &control.Fault{Code: control.CodeNotRunning}):
		return exitNotRunning
	default:
		return exitFailed
	}
}

// show prints an error and its hint.
func (p *program) show(err error) {
	if errors.Is(err, errPrinted) {
		return
	}
	mark := ""
	if logging.UsesJournal(p.stderr.Log(), p.getenv) {
		mark = "<3>" // the journal's priority for errors
	}
	p.stderr.Fault(mark, locale.Capital(p.stderr.Speech().Error(err)), p.hint(err))
}

// hint returns the hint of an error for the instance in use, or "".
func (p *program) hint(err error) string {
	var exit *exitError
	var fault *control.Fault
	var refusal *viewing.Refusal
	next := viewing.Message{}
	switch {
	case errors.As(err, &exit) && exit.hint.Code != "":
		next = exit.hint
	case errors.As(err, &fault):
		next = fault.Hint
	case errors.As(err, &refusal):
		next = refusal.Hint
	case errors.Is(err, sqlite.ErrLocked):
		next = viewing.Say("hint.locked")
	}
	return p.addSystemFlag(p.stderr.Speech().Message(next))
}

// addSystemFlag adds --system to the commands in a hint if the machine-wide instance is in use.
// Commands that already select an instance stay unchanged.
func (p *program) addSystemFlag(hint string) string {
	if !p.choice.System || strings.Contains(hint, "--system") || strings.Contains(hint, "filmspool service ") || strings.Contains(hint, "usermod ") {
		return hint
	}
	return strings.ReplaceAll(hint, "filmspool ", "filmspool --system ")
}

// showVersion prints the version of the program, its Go version and its platform.
func (p *program) showVersion(context.Context, []string) error {
	if p.given.json {
		return p.stdout.JSON(map[string]string{"version": version, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH})
	}
	p.stdout.Println(fmt.Sprintf("filmspool %s (%s, %s/%s)", version, runtime.Version(), runtime.GOOS, runtime.GOARCH))
	return nil
}
