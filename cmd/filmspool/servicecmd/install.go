package servicecmd

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/service"
	"github.com/filmspool/filmspool/kodi"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// installation is what "service install" was told.
type installation struct {
	linger bool
	user   string
}

func (p Program) installCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "install", Short: "Have Filmspool start by itself", Args: usage.Exactly(),
		Long: `Installs Filmspool as your own service, which starts when you log in; with --system
as one service for the whole machine, which starts with it. That one runs as a user
of its own or, with --user, as somebody whose Kodi library it is to read. Said again,
it brings an old installation up to date. On Windows --system wants the terminal of an
administrator, and your own service is looked after by a second, small process.`,
		Example: `  filmspool service install && filmspool service start
  sudo filmspool --system service install --user kid`,
	}
	var i installation
	c.Flags().BoolVar(&i.linger, "linger", false, "run from boot to shutdown, not from login to logout (your own service)")
	c.Flags().StringVar(&i.user, "user", "", "run as this `person` (with --system)")
	c.RunE = func(c *cobra.Command, _ []string) error { return p.install(c.Context(), i) }
	return c
}

func (p Program) install(ctx context.Context, i installation) error {
	if i.linger && p.Choice.System {
		return usage.Errorf("--linger is for your own service; a system-wide one runs from boot anyway")
	}
	var person service.Person
	if i.user != "" {
		if !p.Choice.System {
			return &typed.Error{
				Problem: "--user is for the service of the whole machine; your own runs as you",
				Next:    service.Command(true, "service install --user "+i.user),
			}
		}
		var err error
		if person, err = service.FindPerson(ctx, i.user); err != nil {
			return err
		}
	}
	m, err := p.Manager(func(o *service.Options) {
		o.Linger, o.User = i.linger, person.Name
		if person.Name != "" {
			o.Visible = kodi.Folders(person.Home)
		}
	})
	if err != nil {
		return err
	}
	if err := p.atWork("install", func() error { return m.Install(ctx) }); err != nil {
		return err
	}
	if paths, err := config.FindPaths(*p.Choice, p.outside); err == nil {
		_ = os.MkdirAll(filepath.Dir(paths.File), 0o755) // for what is written there later; whoever cannot is told then
	}
	p.sayInstalled(ctx, m, person)
	p.warnOfOthers(ctx, m)
	return nil
}

// sayInstalled says what is so from now on, and what to do next.
func (p Program) sayInstalled(ctx context.Context, m *service.Manager, person service.Person) {
	s, _ := m.Status(ctx) // what it does not know is not said
	switch {
	case person.Name != "":
		p.Stdout.Printf("installed: Filmspool starts with this machine from now on, as %s\n", person.Name)
		p.sayFolders(person)
	case p.Choice.System:
		p.Stdout.Println("installed: Filmspool starts with this machine from now on")
		p.sayAccount()
	case s.UntilLogout:
		p.Stdout.Printf("installed: Filmspool starts by itself from now on, when you log in\n%s\n", untilLogout)
	default:
		p.Stdout.Println("installed: Filmspool starts by itself from now on")
	}
	if s.State == service.Running || s.State == service.Restarting {
		p.Stdout.Println("It runs already; to use what is installed now: " + service.Command(p.Choice.System, "service restart"))
		return
	}
	p.Stdout.Println("To start it now: " + service.Command(p.Choice.System, "service start"))
}

// sayAccount says, on Windows, whom the service runs as: what that may not read
// looks as if it were not there.
func (p Program) sayAccount() {
	if runtime.GOOS != "windows" {
		return
	}
	const account = `NT SERVICE\` + service.Name
	folder := filepath.Join(p.Getenv("APPDATA"), "Kodi", "userdata")
	p.Stdout.Printf("It runs as %s, which reads nobody's files. To have it watch your Kodi library, let it read that:\n\n"+
		"    icacls \"%s\" /grant \"%s:(OI)(CI)RX\"\n\n", account, folder, account)
	if _, paths, err := p.config(); err == nil {
		p.Stdout.Printf("and write into %s:\n\n    [[kodi.libraries]]\n    userdata = '%s'\n\n", paths.File, folder)
	}
}

// sayFolders names the Kodi folders that the service may read, and the lines
// that have it do so.
func (p Program) sayFolders(person service.Person) {
	all := kodi.Folders(person.Home)
	there := slices.DeleteFunc(slices.Clone(all), func(folder string) bool {
		info, err := os.Stat(folder)
		return err != nil || !info.IsDir()
	})
	if len(there) == 0 {
		p.Stdout.Printf("%s has no Kodi folder yet; it may read, once there is one:\n", person.Name)
		for _, folder := range all {
			p.Stdout.Printf("    %s\n", folder)
		}
		return
	}
	c, paths, err := p.config()
	for _, folder := range there {
		p.Stdout.Println("It may read Kodi's folder " + folder)
		watched := func(l config.Library) bool { return l.Userdata == folder }
		if err == nil && slices.ContainsFunc(c.Kodi.Libraries, watched) {
			continue
		}
		p.Stdout.Printf("To have that library watched, write into %s:\n\n    [[kodi.libraries]]\n    userdata = %q\n\n", paths.File, folder)
	}
}

// warnOfOthers tells of another Filmspool that would want the same port.
func (p Program) warnOfOthers(ctx context.Context, m *service.Manager) {
	other, err := service.New(service.Options{System: !p.Choice.System})
	if err == nil {
		s, err := other.Status(ctx)
		if err == nil && s.Installed && (s.Autostart || s.State != service.Stopped) {
			whose := "for the whole machine"
			if p.Choice.System {
				whose = "for yourself"
			}
			p.Stderr.Printf("warning: Filmspool is installed %s too, and only one of them gets the port\n", whose)
			p.Stderr.Hint(service.Command(!p.Choice.System, "service uninstall"))
			return
		}
	}
	if taken := p.portTaken(ctx, m); taken != nil {
		p.Stderr.Printf("warning: it cannot start as things are: %v\n", taken)
		p.Stderr.Hint(hintOf(taken))
	}
}
