package page

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// setupRoom is the first run: five steps, of which each can be skipped.
//
// Nothing is sent before the user says so: a fresh instance has no key, so nothing
// can be sent before the first step, which says what a key does. An import needs a
// click of its own after its preview.
func setupRoom() room {
	acts := sourceActs()
	acts["login"], acts["finish"] = login, finishSetup
	return room{path: "/setup", name: "setup", show: showSetup, acts: acts}
}

// steps are the names of the steps, in order.
func steps() []string { return []string{"account", "browser", "sites", "kodi", "import"} }

// setupData is one step of setup.
type setupData struct {
	sourcesData
	Steps   []string
	Step    int // from 1
	Name    string
	Next    int              // 0 behind the last one
	Account *control.Account // the one that has a service; nil for none yet
}

func showSetup(v *visit) (any, error) {
	sources, err := v.sources()
	if err != nil {
		return nil, err
	}
	sources.Added, _ = v.Data.(*control.AddedClient)
	d := &setupData{sourcesData: *sources, Steps: steps()}
	here, err := url.Parse(v.Here())
	if err == nil {
		d.Step, _ = strconv.Atoi(here.Query().Get("step")) // what is no number is the first step
	}
	d.Step = min(max(d.Step, 1), len(d.Steps))
	d.Name, d.Next = d.Steps[d.Step-1], (d.Step+1)%(len(d.Steps)+1)
	status, err := v.api().Status(v.ctx())
	for _, a := range status.Accounts {
		if a.BaseURL != "" && d.Account == nil {
			d.Account = &a
		}
	}
	return d, err
}

// Number is the number of a step.
func (d *setupData) Number(i int) int { return i + 1 }

// login proves a key and keeps it. The page never shows the key again.
func login(v *visit) error {
	address, key := v.typedAddress(), strings.TrimSpace(v.PostFormValue("key"))
	switch {
	case strings.Contains(address, "sk_"):
		return v.refuse("setup.keyAsAddress")
	case address == "":
		return v.refuse("setup.noAddress")
	case key == "":
		return v.refuse("setup.noKey")
	case strings.HasPrefix(key, "pk_"):
		return v.refuse("setup.publicKey")
	}
	if _, err := tracker.ParseBaseURL(tracker.WholeAddress(address)); err != nil {
		address = cmp.Or(tracker.SuggestAddress(address), address)
	}
	r, err := v.api().Login(v.ctx(), control.Login{Account: viewing.DefaultAccount, BaseURL: address, Key: key})
	if f, ok := errors.AsType[*control.Fault](err); ok && v.Has("setup.refused."+f.Reason) {
		return v.refuse("setup.refused."+f.Reason, "address", address)
	}
	switch {
	case err != nil:
		return err
	case r.User != "":
		v.tell("setup.keyOf", "user", r.User, "address", r.BaseURL)
	case r.Proven:
		v.tell("setup.keyGood", "address", r.BaseURL)
	default:
		v.tell("setup.keyKept", "address", r.BaseURL)
	}
	v.Next = "/setup?step=2"
	return nil
}

// typedAddress is the address of a service, as typed. One that may hold a secret is not
// shown again.
func (v *visit) typedAddress() string {
	address := strings.TrimSpace(v.PostFormValue("address"))
	if strings.ContainsAny(address, "@?#") || strings.Contains(address, "sk_") {
		v.Form.Del("address")
	}
	return address
}

// finishSetup ends setup, or puts it off: the first page leads there no more.
func finishSetup(v *visit) error {
	v.site.mu.Lock()
	defer v.site.mu.Unlock()
	v.site.desk.later = true
	v.Next = "/"
	return nil
}

// fresh reports whether nothing is set up: no service is known, and nothing has come
// from anywhere. It is false once a person has put setup off.
func (s *Site) fresh(ctx context.Context) bool {
	s.mu.Lock()
	later := s.desk.later
	s.mu.Unlock()
	status, err := s.o.API.Status(ctx)
	if later || err != nil || len(status.Sources) > 0 || status.Counts != (entry.Counts{}) || status.Storage != nil {
		return false
	}
	for _, a := range status.Accounts {
		if a.BaseURL != "" {
			return false
		}
	}
	return true
}
