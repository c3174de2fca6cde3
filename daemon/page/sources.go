package page

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/kodi/scan"
	"github.com/filmspool/filmspool/queue/viewing"
)

// sourcesRoom is where viewings come from: browsers, programs and Kodi libraries.
func sourcesRoom() room {
	return room{path: "/sources", name: "sources", menu: true, show: showSources, acts: sourceActs()}
}

// sourceActs are what a person can do about sources. Setup has them, too.
func sourceActs() map[string]act {
	return map[string]act{
		"pair": pairBrowser, "forget": forgetClient, "program": addProgram,
		"watch": watchKodi, "unwatch": unwatchKodi,
		"scan": scanKodi, "preview": previewKodi, "import": importKodi, "pause": pauseImport,
	}
}

// sourcesData is what there is to show of sources.
type sourcesData struct {
	Code      *control.PairingCode // nil where none holds
	Browsers  []client
	Programs  []client
	Added     *control.AddedClient // a program that was just added
	Libraries []library
	Job       job
	Failed    *fault // why the job failed
	Progress  []progress
}

// client is a browser or a program, and how it stands.
type client struct {
	control.ClientInfo
	Source control.Source
}

// library is a library of a Kodi, and how it stands where it is watched.
type library struct {
	scan.Library
	Source *control.Source
}

// Unwatched are the libraries that were found and are not watched.
func (d sourcesData) Unwatched() []library {
	return slices.DeleteFunc(slices.Clone(d.Libraries), func(l library) bool { return l.Source != nil || l.Configured })
}

// Watched reports whether any library is watched.
func (d sourcesData) Watched() bool {
	return slices.ContainsFunc(d.Libraries, func(l library) bool { return l.Source != nil })
}

// progress is how far an import has come.
type progress struct {
	control.KodiProgress
	Rate int           // viewings in a second; 0 where that is not known
	Left time.Duration // 0 where that is not known
}

func showSources(v *visit) (any, error) {
	d, err := v.sources()
	d.Added, _ = v.Data.(*control.AddedClient)
	return d, err
}

// sources gathers what there is to show.
func (v *visit) sources() (*sourcesData, error) {
	d := &sourcesData{Job: v.site.lastJob()}
	status, err := v.api().Status(v.ctx())
	clients, failed := v.api().Clients(v.ctx())
	err = errors.Join(err, failed)
	found, failed := v.api().FindKodi(v.ctx())
	err = errors.Join(err, failed)
	imports, failed := v.api().KodiProgress(v.ctx())
	if err = errors.Join(err, failed); err != nil {
		return d, err
	}
	for _, c := range clients {
		one := client{ClientInfo: c}
		if i := slices.IndexFunc(status.Sources, func(s control.Source) bool { return s.Name == c.Kind+":"+c.ID }); i >= 0 {
			one.Source = status.Sources[i]
		}
		if c.Kind == viewing.SourceProgram {
			d.Programs = append(d.Programs, one)
		} else {
			d.Browsers = append(d.Browsers, one)
		}
	}
	d.Code = v.site.openCode(clients)
	d.Libraries = libraries(found, status.Sources)
	d.Failed = v.failed(d.Job)
	for _, p := range imports {
		d.Progress = append(d.Progress, progressOf(p, time.Now()))
	}
	return d, nil
}

// libraries are those that were found and those that are watched.
func libraries(found []scan.Library, sources []control.Source) (all []library) {
	for _, l := range found {
		all = append(all, library{Library: l})
	}
	for _, s := range sources {
		folder, ours := strings.CutPrefix(s.Name, viewing.SourceKodi+":")
		if !ours {
			continue
		}
		i := slices.IndexFunc(all, func(l library) bool { return l.Userdata == folder })
		if i < 0 {
			all = append(all, library{Library: scan.Library{Userdata: folder}})
			i = len(all) - 1
		}
		all[i].Source = &s
	}
	return all
}

// progressOf tells the rate of an import that runs, and how long it still takes.
func progressOf(p control.KodiProgress, now time.Time) progress {
	out := progress{KodiProgress: p}
	if took := now.Sub(p.StartedAt); p.Running && p.Done > 0 && took > 0 {
		out.Rate = int(float64(p.Done)/took.Seconds() + 0.5)
		out.Left = took / time.Duration(p.Done) * time.Duration(p.Total-p.Done)
	}
	return out
}

// failed is what a person is told of a job that failed.
func (v *visit) failed(j job) *fault {
	if j.err == nil || j.Cut || j.Running {
		return nil
	}
	if f, ok := errors.AsType[*control.Fault](j.err); ok && f.Code != control.CodeInternal {
		return v.faultOf("page.refused", f)
	}
	return &fault{Text: v.Say("page.failed")}
}

// openCode is the pairing code that was shown last, while it holds and no browser
// has come with it.
func (s *Site) openCode(clients []control.ClientInfo) *control.PairingCode {
	s.mu.Lock()
	defer s.mu.Unlock()
	code, made := s.desk.code, s.desk.made.Truncate(time.Second)
	came := func(c control.ClientInfo) bool { return c.Kind == viewing.SourceBrowser && !c.PairedAt.Before(made) }
	if code == nil || !time.Now().Before(code.ExpiresAt) || slices.ContainsFunc(clients, came) {
		return nil
	}
	return code
}

func pairBrowser(v *visit) error {
	made := time.Now()
	code, err := v.api().Pair(v.ctx())
	if err != nil {
		return err
	}
	v.site.mu.Lock()
	defer v.site.mu.Unlock()
	v.site.desk.code, v.site.desk.made = &code, made
	time.AfterFunc(time.Until(code.ExpiresAt), v.site.nudge)
	return nil
}

func forgetClient(v *visit) error {
	return v.done(v.api().Revoke(v.ctx(), v.Typed("id")), "sources.forgotten", "name", v.Typed("name"))
}

// addProgram shows the token at once, and never again.
func addProgram(v *visit) error {
	label := strings.TrimSpace(v.Typed("label"))
	if label == "" {
		return v.refuse("sources.program.nameless")
	}
	added, err := v.api().AddClient(v.ctx(), control.NewProgram{Label: label})
	v.Data, v.preview = &added, true
	return err
}

// watchKodi has one library watched: the program takes that in by beginning anew, so
// there is no second one in the same act.
func watchKodi(v *visit) error {
	path := strings.TrimSpace(v.Typed("path"))
	if path == "" {
		return v.refuse("sources.kodi.none")
	}
	_, err := v.api().AddKodi(v.ctx(), control.KodiPath{Path: path})
	return v.done(err, "sources.kodi.added", "path", path)
}

func unwatchKodi(v *visit) error {
	_, err := v.api().RemoveKodi(v.ctx(), control.KodiPath{Path: v.Typed("path")})
	return v.done(err, "sources.kodi.removed", "path", v.Typed("path"))
}

// do begins a job.
func (v *visit) do(j job) error {
	if !v.site.begin(j) {
		return v.refuse("sources.busy")
	}
	return nil
}

func scanKodi(v *visit) error { return v.do(job{Kind: scanning}) }

func previewKodi(v *visit) error {
	asked := control.KodiImport{DryRun: true, Plays: control.PlaysOne}
	if v.Typed("plays") == control.PlaysAll {
		asked.Plays = control.PlaysAll
	}
	var err error
	if asked.Since, err = v.day("since", "sources.since.bad"); err != nil {
		return err
	}
	return v.do(job{Kind: preview, Asked: asked})
}

// importKodi begins what the last preview has shown, or goes on with what was cut
// short. Without either nobody has said what is to be imported.
func importKodi(v *visit) error {
	last := v.site.lastJob()
	if last.Running || last.Did == nil || last.Kind == importing && !last.Cut {
		return v.refuse("sources.noPreview")
	}
	next := last.Asked
	next.DryRun, next.Yes = false, next.Yes || v.Typed("yes") != ""
	if last.Did.NeedsYes && !next.Yes {
		return v.refuse("sources.needsYes")
	}
	return v.do(job{Kind: importing, Asked: next})
}

// pauseImport cuts a job short. What is on disk stays.
func pauseImport(v *visit) error {
	if j := v.site.lastJob(); j.Running {
		j.stop()
		v.tell("sources.paused")
	}
	return nil
}

// Tallies are what an import of a library would do; what is zero is not told.
func (v *visit) Tallies(p scan.Preview) (all []string) {
	add := func(key string, n int, values ...any) {
		if n > 0 {
			all = append(all, v.Say(key, append(values, "n", n)...))
		}
	}
	add("sources.preview.films", p.Films)
	add("sources.preview.episodes", p.Episodes)
	for _, some := range []struct {
		key  string
		many map[string]int
	}{{"sources.preview.held", p.Held}, {"sources.preview.ignored", p.Ignored}} {
		for _, reason := range slices.Sorted(maps.Keys(some.many)) {
			add(some.key, some.many[reason], "why", v.Because(reason))
		}
	}
	add("sources.preview.nameless", p.Unresolved)
	add("sources.preview.known", p.Recorded+p.AtService+p.Copies)
	add("sources.preview.undated", p.Before)
	add("sources.preview.earlier", p.Earlier)
	return all
}

// Because is a reason of the queue in words; one that has none is told as it is.
func (v *visit) Because(reason string) string {
	if key := "sources.why." + reason; v.Has(key) {
		return v.Say(key)
	}
	return reason
}

// Plays are how many viewings an import would hand over, or has.
func (v *visit) Plays(did *control.KodiImported) (n int) {
	for _, l := range did.Libraries {
		n += l.Plays()
	}
	return n
}

// Clock is a time of today.
func (v *visit) Clock(t time.Time) string { return t.Local().Format(time.TimeOnly) }

// Span is about how long something takes.
func (v *visit) Span(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return v.Say("sources.span.seconds", "n", int(d.Round(time.Second)/time.Second))
	case d < 2*time.Hour:
		return v.Say("sources.span.minutes", "n", int(d.Round(time.Minute)/time.Minute))
	default:
		return v.Say("sources.span.hours", "n", int(d.Round(time.Hour)/time.Hour))
	}
}

// Seconds is a number of seconds as a span.
func (v *visit) Seconds(n int64) string { return v.Span(time.Duration(n) * time.Second) }

// Base is the address below which the room's acts are.
func (v *visit) Base() string { return strings.TrimSuffix(v.room.path, "/") }
