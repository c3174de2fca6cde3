package page

import (
	"context"
	"errors"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
)

// desk is what a person has begun, whichever page shows it. The site's mu guards it.
type desk struct {
	code  *control.PairingCode // the last one; nil where another was asked for elsewhere
	made  time.Time            // of the code
	job   job                  // the last one
	later bool                 // setup was ended or put off
}

// The kinds of a job.
const (
	scanning  = "scan"
	preview   = "preview"
	importing = "import"
)

// job is work on the Kodi libraries. It outlives the request that began it.
type job struct {
	Kind    string // "" for none yet
	Running bool
	Asked   control.KodiImport
	Scan    *control.Scan         // what a scan found
	Did     *control.KodiImported // what an import did, or would do
	Cut     bool                  // a person has ended it
	err     error
	stop    context.CancelFunc
}

// begin does a job in the background, and reports whether it could: there is one at a
// time.
func (s *Site) begin(j job) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.desk.job.Running || s.running.Err() != nil {
		return false
	}
	ctx, stop := context.WithCancel(s.running)
	j.Running, j.stop = true, stop
	s.desk.job = j
	s.work.Go(func() {
		defer stop()
		if j.Kind == scanning {
			found, err := s.o.API.ScanKodi(ctx)
			j.Scan, j.err = &found, err
		} else {
			did, err := s.o.API.ImportKodi(ctx, j.Asked)
			j.Did, j.err = &did, err
		}
		j.Running, j.Cut = false, ctx.Err() != nil
		if f, ok := errors.AsType[*control.Fault](j.err); j.err != nil && !j.Cut && (!ok || f.Code == control.CodeInternal) {
			s.o.Log.Error("what a page began has failed", "work", j.Kind, "error", j.err)
		}
		s.mu.Lock()
		s.desk.job = j
		s.mu.Unlock()
		s.nudge()
	})
	return true
}

// nudge has all open pages asked for anew.
func (s *Site) nudge() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.changed)
	s.changed = make(chan struct{})
}

// lastJob is the job that runs, or the last one that did.
func (s *Site) lastJob() job {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.desk.job
}
