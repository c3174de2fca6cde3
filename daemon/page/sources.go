package page

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/filmspool/filmspool/connector/hook"
	"github.com/filmspool/filmspool/connector/pairing"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/kodi"
	"github.com/filmspool/filmspool/queue/viewing"
)

// sourceActs are what a person can do about sources, on the page Sources and in setup.
var sourceActs = map[string]act{
	"pair": pairBrowser, "forget": forgetClient, "rename": renameSource, "untitled": takeUntitled, "program": addProgram, "watch": watchKodi, "unwatch": unwatchKodi,
	"preview": previewImport, "import": importKodi, "stop": stopImport,
}

// sourcesData is the data of the page Sources.
type sourcesData struct {
	Code      *pairing.Code        // a new one; nil for none
	Added     *control.AddedClient // a new program; nil for none
	Browsers  []control.ClientInfo
	Programs  []control.ClientInfo
	Libraries []library
	Job       job
	Failed    *fault // the error of the job
	Progress  []control.KodiProgress
}

// library is a Kodi library.
type library struct {
	kodi.Library
	Source *control.Source // its status; nil if it is not watched
}

// Unwatched returns the libraries that were found and are not watched.
func (d *sourcesData) Unwatched() []library {
	return slices.DeleteFunc(slices.Clone(d.Libraries), func(l library) bool { return l.Source != nil || l.Configured })
}

// Watched reports whether any library is watched.
func (d *sourcesData) Watched() bool {
	return slices.ContainsFunc(d.Libraries, func(l library) bool { return l.Source != nil })
}

func showSources(v *view) (any, error) { return v.sources() }

func (v *view) sources() (*sourcesData, error) {
	d := &sourcesData{Job: v.site.lastJob()}
	d.Code, _ = v.Result.(*pairing.Code)
	d.Added, _ = v.Result.(*control.AddedClient)
	clients, err1 := v.api().Clients(v.ctx())
	found, err2 := v.api().FindKodi(v.ctx())
	imports, err3 := v.api().KodiProgress(v.ctx())
	for _, c := range clients {
		if c.Kind == viewing.SourceProgram {
			d.Programs = append(d.Programs, c)
		} else {
			d.Browsers = append(d.Browsers, c)
		}
	}
	for _, l := range found { // includes those of the configuration
		one := library{Library: l}
		if i := slices.IndexFunc(v.Status.Sources, func(s control.Source) bool { return s.Name == viewing.SourceKodi+":"+l.Userdata }); i >= 0 {
			one.Source = &v.Status.Sources[i]
		}
		d.Libraries = append(d.Libraries, one)
	}
	d.Progress = imports
	if j := d.Job; j.err != nil && !j.Canceled {
		d.Failed = v.faultOf(control.FaultOf(j.err))
	}
	return d, errors.Join(err1, err2, err3)
}

// naming is a form to rename a source, for the template "rename". Key is unique within the page.
type naming struct {
	*view
	Key, ID, Called, Label string
}

// Naming returns the form to rename a source.
func (v *view) Naming(key, id, called, label string) naming {
	return naming{v, key, id, called, label}
}

// pairBrowser shows a new code.
func pairBrowser(v *view) error {
	code, err := v.api().Pair(v.ctx())
	return v.result(&code, err)
}

// renameSource renames a browser, a program or a library.
func renameSource(v *view) error {
	name := strings.TrimSpace(v.Typed("name"))
	if name == "" {
		return v.refuse("sources.program.nameless")
	}
	return v.done(v.api().RenameSource(v.ctx(), control.Renaming{ID: v.Typed("id"), Label: name}), "sources.renamed", "name", name)
}

func forgetClient(v *view) error {
	return v.done(v.api().Revoke(v.ctx(), v.Typed("id")), "sources.forgotten", "name", v.Typed("name"))
}

// takeUntitled stops ignoring videos without a title on a site.
func takeUntitled(v *view) error {
	err := v.api().IgnoreUntitled(v.ctx(), control.UntitledSite{Site: v.Typed("site")})
	return v.done(err, "sources.untitled.taken", "site", v.Typed("site"))
}

// Senders returns the media servers and players that can be added as programs.
func (*sourcesData) Senders() []string { return hook.Senders() }

// addProgram adds a program and shows its token, which is not shown again.
func addProgram(v *view) error {
	label, sender := strings.TrimSpace(v.Typed("label")), v.Typed("hook")
	if label == "" && sender == "" {
		return v.refuse("sources.program.nameless")
	}
	added, err := v.api().AddClient(v.ctx(), control.NewProgram{Label: cmp.Or(label, v.Word("hook.name.", sender)), Hook: sender})
	return v.result(&added, err)
}

func watchKodi(v *view) error {
	path := strings.TrimSpace(v.Typed("path"))
	if path == "" {
		return v.refuse("sources.kodi.none")
	}
	_, err := v.api().AddKodi(v.ctx(), path)
	return v.done(err, "sources.kodi.added", "path", path)
}

func unwatchKodi(v *view) error {
	_, err := v.api().RemoveKodi(v.ctx(), v.Typed("path"))
	return v.done(err, "sources.kodi.removed", "path", v.Typed("path"))
}

// Tallies returns the counts of a preview.
func (*view) Tallies(p kodi.Preview) []control.Tally { return control.KodiTallies(p) }

// Span returns a rounded duration in words.
func (v *view) Span(seconds int64) string {
	switch {
	case seconds < 120:
		return v.Say("sources.span.seconds", "n", seconds)
	case seconds < 120*60:
		return v.Say("sources.span.minutes", "n", (seconds+30)/60)
	default:
		return v.Say("sources.span.hours", "n", (seconds+1800)/3600)
	}
}
