package service

import "errors"

// newBackend is the service manager for the whole machine, and the Run key of
// the registry for one person: a Windows service sees neither that person's
// Kodi library nor what they keep under their own login.
func newBackend(o Options) (backend, error) {
	if o.System {
		return newSCM(o)
	}
	if o.Linger {
		return nil, &Error{
			What:   "Windows runs a person's programs from login to logout; from boot to shutdown runs the service of the whole machine",
			Cause:  errors.ErrUnsupported,
			Advice: command(true, "service install"),
		}
	}
	o.Args = withHost(o.Args, HostLogin)
	return newManaged(o, &login{o}, true), nil
}
