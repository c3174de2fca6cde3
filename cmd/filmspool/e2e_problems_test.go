package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
	"github.com/filmspool/filmspool/queue/tracker/sandbox"
)

// The command of a problem in the status solves the problem.
func TestProblemsAreSolvedByTheirCommand(t *testing.T) {
	t.Parallel()
	for code, show := range map[string]func(h *fixture, box *flaky){
		health.KeyMissing: func(h *fixture, box *flaky) {
			h.configure("[accounts.default]\nbase_url = %q\n", box.baseURL())
			h.start("run")
		},
		health.KeyRefused: func(h *fixture, box *flaky) {
			h.login(box.baseURL())
			must(h.t, box.service.Arm(sandbox.Fault{Match: "POST /history", Fault: "status:401", Times: 1}))
			h.start("run")
			h.do("", "add", "603")
		},
		"entries-burst": func(h *fixture, box *flaky) {
			h.login(box.baseURL())
			daemon := h.start("run")
			browser := h.browser(daemon, h.pair(daemon))
			for n := range 7 {
				_, err := browser.Viewing(h.t.Context(), protocol.Viewing{
					ID: fmt.Sprintf("3b241101-e2bb-4255-8caf-4136c566a9%02d", n), WatchedAt: "2026-03-01T20:15:00Z", Count: 1, Media: film(int64(603 + n)),
				})
				must(h.t, err)
			}
		},
		"notice": func(h *fixture, box *flaky) { // the file is not a database
			h.login(box.baseURL())
			must(h.t, os.WriteFile(filepath.Join(h.dir, "state", "filmspool.db"), []byte("no database any more"), 0o600))
			h.start("run")
		},
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			h := newFixture(t)
			box := newFlaky(t, h.dir, false)
			show(h, box)
			p := h.problem(code)
			if p.Text == "" || p.Why == "" || p.Act.Text == "" || p.Act.Command == nil {
				t.Fatalf("the problem is %+v", p)
			}
			args := strings.Fields(strings.ReplaceAll(strings.TrimPrefix(*p.Act.Command, "filmspool "), "ADDRESS", box.baseURL()))
			if args[0] == "login" {
				args = append(args, "--key-stdin")
			}
			if out, code := h.pipe(secretKey, args...); code != exitDone && code != exitAttention {
				t.Fatalf("filmspool %v: exit %d\n%s", args, code, out)
			}
			h.until("the end of "+code, func(s control.Status) bool {
				return !slices.ContainsFunc(s.Problems, func(p control.Problem) bool { return p.Code == code })
			})
		})
	}
}
