package page

import (
	"context"

	"github.com/filmspool/filmspool/daemon/control"
)

// job is an import of the Kodi libraries or its preview. It goes on when the request that
// began it has ended.
type job struct {
	Asked    control.KodiImport
	Running  bool
	Canceled bool
	Did      *control.KodiImported // what it did, or would do; nil before the first job
	err      error
	cancel   context.CancelFunc
}

// start begins a job in the background, or refuses while another one runs.
func (v *view) start(asked control.KodiImport) error {
	s := v.site
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.job.Running || s.ctx.Err() != nil {
		return v.refuse("sources.busy")
	}
	ctx, cancel := context.WithCancel(s.ctx)
	s.job = job{Asked: asked, Running: true, cancel: cancel}
	s.work.Go(func() {
		defer cancel()
		did, err := s.o.API.ImportKodi(ctx, asked)
		if ctx.Err() == nil && err != nil && control.FaultOf(err).Code == control.CodeInternal {
			s.o.Log.Error("an import has failed", "error", err)
		}
		s.mu.Lock()
		s.job = job{Asked: asked, Canceled: ctx.Err() != nil, Did: &did, err: err}
		s.mu.Unlock()
		s.notify()
	})
	return nil
}

// lastJob returns the job that runs, or the last one.
func (s *Site) lastJob() job {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.job
}

func previewImport(v *view) error {
	since, err := v.day("since", "sources.since.bad")
	if err != nil {
		return err
	}
	return v.start(control.KodiImport{DryRun: true, Since: since})
}

// importKodi does what the last preview has shown, or continues an import that was
// stopped.
func importKodi(v *view) error {
	last := v.site.lastJob()
	previewed := last.Asked.DryRun && last.Did != nil && last.err == nil
	stopped := !last.Asked.DryRun && last.Canceled
	if !previewed && !stopped {
		return v.refuse("sources.noPreview")
	}
	next := last.Asked
	next.DryRun, next.Yes = false, next.Yes || v.Typed("yes") != ""
	if last.Did.NeedsYes && !next.Yes {
		return v.refuse("sources.needsYes")
	}
	return v.start(next)
}

// stopImport ends the job. What is on disk stays.
func stopImport(v *view) error {
	if j := v.site.lastJob(); j.Running {
		j.cancel()
		v.flash("sources.paused")
	}
	return nil
}
