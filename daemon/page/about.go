package page

import (
	"net/http"
	"runtime/debug"

	"github.com/filmspool/filmspool/daemon/control"
)

// aboutData is what runs, where its files are, and a report for a helper.
type aboutData struct {
	control.About
	Modules []*debug.Module // what the program was built with
}

func showAbout(v *view) (any, error) {
	a, err := v.api().About(v.ctx())
	d := &aboutData{About: a}
	if build, ok := debug.ReadBuildInfo(); ok {
		d.Modules = build.Deps
	}
	return d, err
}

// report serves the report as a file.
func (s *Site) report(w http.ResponseWriter, r *http.Request) {
	a, err := s.o.API.About(r.Context())
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="filmspool-report.txt"`)
	_, _ = w.Write([]byte(a.Report))
}
