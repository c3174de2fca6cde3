package test

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// place has the next start find a queue of the first schema: what an older
// program would have left. A running program would notice at once that its own
// queue was taken away, so the unit puts it there just before it starts. The
// viewings of films 604 and 605 and of an episode wait in it, film 606 is held,
// film 603 delivered. Any other schema is claimed in the file's head.
func (h *household) place(schema byte) {
	h.t.Helper()
	packed, err := os.Open("../../queue/testdata/schema-1.db.gz")
	if err != nil {
		h.t.Fatal(err)
	}
	defer packed.Close()
	r, err := gzip.NewReader(packed)
	if err != nil {
		h.t.Fatal(err)
	}
	database, err := io.ReadAll(r)
	if err != nil {
		h.t.Fatal(err)
	}
	database[63] = schema // user_version: four bytes from 60 on, the highest first
	owner := h.run("", "stat", "-c", "%u:%g", h.state)
	h.run(string(database), "sh", "-c", fmt.Sprintf(
		"umask 077 && cd %s && cat >placed && chown %s placed", h.state, owner))
	h.run("[Service]\nExecStartPre=+/bin/sh -c 'cd "+h.state+" && if test -e placed; then rm -f filmspool.db filmspool.db-*; mv placed filmspool.db; fi'\n",
		"sh", "-c", "mkdir -p /etc/systemd/user/filmspool.service.d && cat >/etc/systemd/user/filmspool.service.d/place.conf")
	h.run("", append(append([]string{}, h.manager...), "daemon-reload")...)
}

// migrated: the old queue was copied first, for its owner alone, and the log
// says where to.
func (h *household) migrated() {
	h.t.Helper()
	back := h.run("", "sh", "-c", "ls "+h.state+"/filmspool.db.before-schema-*")
	if !strings.HasPrefix(back, h.state+"/filmspool.db.before-schema-2-") || strings.Contains(back, "\n") {
		h.t.Fatalf("copies of the old queue: %s", back)
	}
	if got := h.run("", "stat", "-c", "%a %U", back); got != "600 kid" {
		h.t.Errorf("%s: %s", back, got)
	}
	if log := h.filmspool("", "service", "logs"); !strings.Contains(log, "backed up before migrating") || !strings.Contains(log, back) {
		h.t.Errorf("the log does not name %s:\n%s", back, log)
	}
	h.entries("held", 1)
}

// entries wants so many in a state.
func (h *household) entries(state string, n int) {
	h.t.Helper()
	out := h.filmspool("", "queue", "list", "--json", "--state", state)
	if got := strings.Count(out, `"id"`); got != n {
		h.t.Errorf("%d entries are %s, want %d: %s", got, state, n, out)
	}
}

// downgraded: an older program leaves a newer one's queue alone, fails once,
// and says how to go on. The words it says work, and send nothing twice.
func (h *household) downgraded() {
	h.t.Helper()
	h.place(99)
	before := h.files("placed")
	said := h.run("", "dpkg", "--install", "/srv/old.deb")
	h.t.Logf("the older package\n%s", said)
	if !strings.Contains(said, h.idle) || strings.Contains(said, "whole machine") {
		h.t.Errorf("the older package does not say %q alone: %s", h.idle, said)
	}
	eventually(h.t, "refusal", 30*time.Second, func() bool { return h.status().State == "failed" })
	s := h.status()
	if s.Restarts != 0 || !strings.Contains(s.Detail, "newer version") || !strings.Contains(s.Detail, "(exit code 78)") {
		h.t.Errorf("with a newer queue: %+v", s)
	}
	_, err := h.try("", h.words("service", "start")...)
	h.t.Logf("service start\n%v", err)
	if err == nil || !strings.Contains(err.Error(), "newer version") || !strings.Contains(err.Error(), "hint:  ") {
		h.t.Errorf("started by hand with a newer queue: %v", err)
	}
	if after := h.files("filmspool.db"); after != before {
		h.t.Errorf("it touched the queue; before:\n%s\nafter:\n%s", before, after)
	}

	log := h.filmspool("", "service", "logs")
	_, advice, found := strings.Cut(log, "go back to the copy made before it came, without what it wrote: ")
	advice, _, _ = strings.Cut(advice, "\n")
	if !found {
		h.t.Fatalf("the log says no way back:\n%s", log)
	}
	h.run("", append(append([]string{}, h.as...), "sh", "-c", advice)...)
	h.filmspool("", "service", "start")
	h.want("running")
	h.waits(0) // they may have been sent since the copy, so they are held
	h.entries("held", waiting+1)
	h.delivered(waiting)

	from := h.status().PID
	h.apt("install", "/srv/new.deb")
	eventually(h.t, "newer program", 30*time.Second, func() bool {
		s := h.status()
		return s.State == "running" && s.PID != from
	})
	h.entries("held", waiting+1)
	h.run("", "rm", "-r", "/etc/systemd/user/filmspool.service.d")
}

// files are the checksums of a queue and of the copies beside it. Whoever looks
// into the queue leaves an empty log beside it.
func (h *household) files(queue string) string {
	h.t.Helper()
	return h.run("", "sh", "-c", "cd "+h.state+" && sha256sum <"+queue+" && sha256sum filmspool.db.*")
}
