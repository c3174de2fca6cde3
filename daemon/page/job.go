package page

import (
	"context"

	"github.com/filmspool/filmspool/daemon/control"
)

// job is an import of the Kodi libraries or its preview. It runs in the background.
type job struct {
	Asked    control.KodiImport
	Running  bool
	Canceled bool
	Did      *control.KodiImported // the result; nil before the first job
	err      error
	cancel   context.CancelFunc
}

// start starts a job, or refuses while another one runs.
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

// lastJob returns the running job, or the last one.
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

// importKodi carries out the last preview, or continues a stopped import.
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

// stopImport stops the job. What it imported so far stays.
func stopImport(v *view) error {
	if j := v.site.lastJob(); j.Running {
		j.cancel()
		v.flash("sources.paused")
	}
	return nil
}
