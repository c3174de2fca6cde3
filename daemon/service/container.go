package service

import "os"

// inContainer reports whether this is a container of Docker's, Podman's or
// another's that says so.
func inContainer() bool {
	return exists("/.dockerenv") || exists("/run/.containerenv") || os.Getenv("container") != ""
}

// StartHint is what to type when nothing runs. A container without systemd has
// no service that could be started.
func StartHint(system bool) string {
	if inContainer() && !exists("/run/systemd/system") {
		return "start the container again, or type: filmspool run"
	}
	if system {
		return Command(true, "service start")
	}
	return "filmspool service start, or filmspool run"
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
