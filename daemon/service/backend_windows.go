package service

// newBackend is the service manager for the whole machine, and the Run key of
// the registry for one person: a Windows service sees neither that person's
// Kodi library nor what they keep under their own login.
func newBackend(o Options) (backend, error) {
	if o.System {
		return newSCM(o), nil
	}
	return newLogin(o), nil
}
