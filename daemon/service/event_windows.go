package service

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sys/windows"
)

// The events of one login. The first exists as long as a program runs for it, or
// is kept running; setting it asks that to stop. The second is set while the
// program can be used.
const (
	stopEvent  = `Local\filmspool-stop`
	readyEvent = `Local\filmspool-ready`
)

// event is one of Windows' named events, which stays set until it is reset.
type event windows.Handle

// newEvent makes an event that nobody else has.
func newEvent(name string) (event, error) {
	text, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return 0, err
	}
	h, err := windows.CreateEvent(nil, 1, 0, text)
	if errors.Is(err, windows.ERROR_ALREADY_EXISTS) {
		event(h).close()
		return 0, errors.New("filmspool already runs for this login")
	}
	if err != nil {
		return 0, fmt.Errorf("make event: %w", err)
	}
	return event(h), nil
}

// openEvent opens an event that is there; see [missing].
func openEvent(name string) (event, error) {
	text, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return 0, err
	}
	h, err := windows.OpenEvent(windows.SYNCHRONIZE|windows.EVENT_MODIFY_STATE, false, text)
	if err != nil {
		return 0, fmt.Errorf("open event: %w", err)
	}
	return event(h), nil
}

// missing reports whether openEvent found none.
func missing(err error) bool { return errors.Is(err, windows.ERROR_FILE_NOT_FOUND) }

func (e event) set()   { _ = windows.SetEvent(windows.Handle(e)) }
func (e event) reset() { _ = windows.ResetEvent(windows.Handle(e)) }
func (e event) close() { _ = windows.CloseHandle(windows.Handle(e)) }

func (e event) isSet() bool {
	which, err := windows.WaitForSingleObject(windows.Handle(e), 0)
	return err == nil && which == windows.WAIT_OBJECT_0
}

// cancels calls cancel once the event is set. What it returns is closed when
// that, or ctx, has ended.
func (e event) cancels(ctx context.Context, cancel func()) <-chan struct{} {
	waited := make(chan struct{})
	over, err := windows.CreateEvent(nil, 1, 0, nil)
	if err != nil { // out of handles: it can be killed, not asked
		close(waited)
		return waited
	}
	unhook := context.AfterFunc(ctx, func() { _ = windows.SetEvent(over) })
	go func() {
		defer close(waited)
		_, _ = windows.WaitForMultipleObjects([]windows.Handle{windows.Handle(e), over}, false, windows.INFINITE)
		cancel()
		// The function above may still be about to use the handle.
		if unhook() {
			_ = windows.CloseHandle(over)
		}
	}()
	return waited
}
