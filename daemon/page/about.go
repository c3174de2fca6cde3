package page

import (
	"net/http"
	"runtime/debug"

	"github.com/filmspool/filmspool/daemon/control"
)

// aboutRoom is what runs, where its files are, and a report for somebody who helps.
func aboutRoom() room {
	return room{path: "/about", name: "about", menu: true, show: showAbout}
}

// aboutData is what the page shows.
type aboutData struct {
	control.About
	Modules []*debug.Module // what the program was made with
}

func showAbout(v *visit) (any, error) {
	a, err := v.api().About(v.ctx())
	if err != nil {
		return nil, err
	}
	d := &aboutData{About: a}
	if build, ok := debug.ReadBuildInfo(); ok {
		d.Modules = build.Deps
	}
	return d, nil
}

// report is the report as a file, the same as the page shows.
func (s *Site) report(w http.ResponseWriter, r *http.Request) {
	a, err := s.o.API.About(r.Context())
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="filmspool-report.txt"`)
	_, _ = w.Write([]byte(a.Report)) // the browser is gone; nobody is left to tell
}
