package page

import (
	"net/http"
	"slices"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
)

// ExportForms returns the choices of the export.
func (diaryData) ExportForms() []string { return control.ExportForms }

// export serves the diary as a file: the entries of the filter, or without one everything, with the
// watchlist and the lists.
func (s *Site) export(w http.ResponseWriter, r *http.Request) {
	v := s.view(r, page{Path: "/diary"})
	e := control.Export{Form: v.Typed("form")}
	var err error
	if slices.ContainsFunc(filterFields, func(name string) bool { return v.Typed(name) != "" }) {
		e.Filter, err = filterOf(v)
	}
	if err != nil || !e.Valid() {
		http.Redirect(w, r, "/diary?"+r.URL.RawQuery, http.StatusSeeOther) // shows what is wrong
		return
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{})
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", `attachment; filename="`+e.FileName()+`"`)
	if _, err := s.o.API.Export(r.Context(), e, w); err != nil {
		s.o.Log.Error("an export was cut", "error", err)
		panic(http.ErrAbortHandler) // so that the browser does not take it for a complete file
	}
}
