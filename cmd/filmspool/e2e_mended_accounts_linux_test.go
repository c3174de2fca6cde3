package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
)

// credential is where systemd would put the key of an account.
func (s *sick) credential(key string) {
	s.t.Helper()
	folder := s.t.TempDir()
	s.write(filepath.Join(folder, "api-key"), key)
	s.env = append(s.env, "CREDENTIALS_DIRECTORY="+folder)
}

// page is a web page, whatever is asked.
func page() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintln(w, "<!doctype html><title>Welcome</title>")
	})
}

// obey does no more than the act's command.
func obey(s *sick, p control.Problem) { s.obeys(p) }

// refused is a viewing that the service answers with a fault.
func refused(fault string) func(*sick) {
	return func(s *sick) {
		s.well()
		s.fails(fault)
		s.film()
	}
}

// mendedKeys are about an account's key.
func mendedKeys() []mended {
	return []mended{
		{code: health.AddressMissing, show: func(s *sick) { s.runs() }, mend: obey},
		{code: health.KeyMissing, show: func(s *sick) {
			s.config("[accounts.default]\nbase_url = %q\n", s.base())
			s.runs()
		}, mend: obey},
		{code: health.KeyElsewhere, show: func(s *sick) {
			s.login()
			s.config("[accounts.default]\nbase_url = %q\n", strings.Replace(s.base(), "127.0.0.1", "localhost", 1))
			s.runs()
		}, mend: obey},
		{code: health.KeyRefused, show: refused("status:401"), mend: obey},
		{code: health.KeyReadOnly, show: refused("status:403"), mend: obey},
		{code: health.AccessRefused, show: refused("bare:403"), mend: obey},
		{code: health.KeyAnothers, show: func(s *sick) {
			s.well()
			s.film()
			s.delivered(1)
			s.answer(s.service(false).Handler())
			s.again()
			s.film()
		}, mend: func(s *sick, p control.Problem) { s.works(); s.obeys(p) }},
		{code: health.KeyCredential, show: func(s *sick) {
			s.config("[accounts.default]\nbase_url = %q\n", s.base())
			s.credential("sk_outdated")
			s.runs()
			s.film()
		}, mend: func(s *sick, _ control.Problem) { // there is no service here that its command would restart
			s.credential(secretKey)
			s.again()
		}},
	}
}

// mendedAddresses are about an account's address, and about which accounts there are.
func mendedAddresses() []mended {
	const two = "[accounts.default]\nbase_url = %q\n[accounts.anna]\nbase_url = %q\n"
	return []mended{
		{code: health.AddressWrong, show: func(s *sick) {
			s.well()
			s.answer(page())
			s.film()
		}, mend: func(s *sick, p control.Problem) { s.works(); s.obeys(p) }},
		{code: health.AddressConfigured, show: func(s *sick) {
			s.config("[accounts.default]\nbase_url = %q\n", s.server.URL+"/elsewhere/api/v1")
			s.env = append(s.env, "FILMSPOOL_KEY="+secretKey)
			s.runs()
			s.film()
		}, mend: func(s *sick, p control.Problem) {
			s.obeys(p)
			s.config("[accounts.default]\nbase_url = %q\n", s.base())
			s.again()
		}},
		{code: health.AccountUnknown, show: func(s *sick) {
			s.config(two+"[routes]\ncli = \"anna\"\n", s.base(), s.base())
			s.runs()
			s.film()
			s.config("[accounts.default]\nbase_url = %q\n", s.base())
			s.again()
		}, mend: func(s *sick, p control.Problem) {
			s.obeys(p)
			s.do("", "queue", "move", "1", "--account", "default")
		}},
		{code: "account", show: func(s *sick) {
			s.well()
			s.film()
			s.delivered(1)
			s.stops()
			s.ages(0, "UPDATE accounts SET paused = 'newer', problem = 'A newer Filmspool paused it.', paused_at = ?")
			s.runs()
		}, mend: obey},
		{code: "same-account", show: func(s *sick) {
			s.config(two, s.base(), s.base())
			s.login()
			s.do(secretKey, "login", "--account", "anna", "--key-stdin")
			s.runs()
		}, mend: func(s *sick, p control.Problem) {
			s.obeys(p)
			s.config("[accounts.default]\nbase_url = %q\n", s.base())
			s.again()
		}},
	}
}

// mendedSendings are about what keeps an account from sending for long.
func mendedSendings() []mended {
	back := func(s *sick, p control.Problem) {
		s.works()
		s.obeys(p)
		s.delivered(1)
	}
	return []mended{
		{code: health.Unreachable, show: func(s *sick) {
			s.well()
			s.away()
			s.film()
			s.until("a word to who asks", func() bool { return s.problems(true)[health.Unreachable].Since != nil })
			if told, ok := s.problems(false)[health.Unreachable]; ok {
				s.t.Errorf("told at once: %+v", told)
			}
			s.stops()
			s.ages(25*time.Hour, "UPDATE accounts SET offline_at = offline_at - ?")
			s.runs()
		}, mend: back},
		{code: health.Throttled, asks: true, show: refused("retry-after:8"), mend: func(s *sick, p control.Problem) {
			s.config("[replay]\nrate = 1\n")
			s.obeys(p)
			s.again()
			s.delivered(1)
		}},
		{code: "nothing-delivered", show: func(s *sick) {
			s.login()
			s.away()
			s.film()
			s.ages(8*24*time.Hour, "UPDATE entries SET created_at = created_at - ?")
			s.runs()
		}, mend: func(s *sick, p control.Problem) {
			s.obeys(p)
			s.works()
			s.do("", "queue", "retry", "--all")
			s.delivered(1)
		}},
		{code: "paused-long", show: func(s *sick) {
			s.well()
			s.do("", "pause")
			s.stops()
			s.ages(8*24*time.Hour, "UPDATE accounts SET paused_at = paused_at - ?")
			s.runs()
		}, mend: obey},
		{code: health.TwoSenders, asks: true, show: func(s *sick) {
			s.well()
			for range 3 {
				s.film()
			}
			for _, film := range []string{"602", "603"} { // seen again at once, says who watched it
				s.do("", "add", "movie", film, "--watched-at", "2026-03-0"+film[2:]+"T20:07:00Z")
			}
			s.delivered(5)
			if _, told := s.problems(true)[health.TwoSenders]; told {
				s.t.Error("told of what Filmspool alone has told")
			}
			for _, film := range []int{601, 602} {
				s.stranger(film, 5*time.Minute)
			}
		}, mend: func(s *sick, _ control.Problem) { // the other one is off, and some more is watched
			for range 9 {
				s.film()
			}
			s.delivered(14)
		}},
		{code: health.ClockWrong, show: func(s *sick) {
			s.well()
			s.answer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Date", time.Now().Add(2*time.Hour).UTC().Format(http.TimeFormat))
				s.box.Handler().ServeHTTP(w, r)
			}))
			s.film()
		}, mend: func(s *sick, _ control.Problem) {
			s.works()
			s.film()
		}},
	}
}

// stranger is another program that tells the service of the nth film, some time later.
func (s *sick) stranger(n int, later time.Duration) {
	s.t.Helper()
	at := time.Date(2026, 3, n-600, 20, 0, 0, 0, time.UTC).Add(later)
	body := fmt.Sprintf(`{"type":"movie","id":%d,"watchedAt":%q}`, n, at.Format(time.RFC3339))
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.base()+"/history", strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("x-api-key", secretKey)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		s.t.Fatalf("the service answers %s", answer.Status)
	}
}
