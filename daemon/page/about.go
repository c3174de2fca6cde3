package page

import (
	"net/http"
	"runtime/debug"
)

func showAbout(v *view) (any, error) { return v.api().About(v.ctx()) }

// Modules returns what the program was built with.
func (v *view) Modules() []*debug.Module {
	if build, ok := debug.ReadBuildInfo(); ok {
		return build.Deps
	}
	return nil
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
