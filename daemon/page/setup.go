package page

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// setupActs are the acts of the page Sources, the login, and the end of setup.
var setupActs = func() map[string]act {
	acts := maps.Clone(sourceActs)
	acts["login"], acts["finish"] = login, finishSetup
	return acts
}()

// setupSteps are the names of the steps. Each can be skipped.
var setupSteps = []string{"account", "browser", "sites", "kodi", "import"}

// setupData is one step of setup.
type setupData struct {
	*sourcesData
	Steps   []string
	Step    int // from 1
	Name    string
	Next    int              // 0 after the last one
	Account *control.Account // the first one with a service; nil for none
}

func showSetup(v *view) (any, error) {
	sources, err := v.sources()
	if err != nil {
		return nil, err
	}
	d := &setupData{sourcesData: sources, Steps: setupSteps}
	_, at, _ := strings.Cut(v.Here(), "step=")
	d.Step, _ = strconv.Atoi(at)
	d.Step = min(max(d.Step, 1), len(d.Steps))
	d.Name, d.Next = d.Steps[d.Step-1], (d.Step+1)%(len(d.Steps)+1)
	if i := slices.IndexFunc(v.Status.Accounts, func(a control.Account) bool { return a.BaseURL != "" }); i >= 0 {
		d.Account = &v.Status.Accounts[i]
	}
	return d, nil
}

// Number returns the number of a step.
func (d *setupData) Number(i int) int { return i + 1 }

// login checks a key with the service and stores it. No page shows the key again.
func login(v *view) error {
	if v.PostFormValue("tmdb") != "" {
		r, err := v.api().Login(v.ctx(), control.Login{TMDB: true, Key: strings.TrimSpace(v.PostFormValue("key"))})
		return v.done(err, "setup.tmdb", "address", r.BaseURL)
	}
	address, key := strings.TrimSpace(v.PostFormValue("address")), strings.TrimSpace(v.PostFormValue("key"))
	if strings.ContainsAny(address, "@?#") || strings.Contains(address, "sk_") {
		v.Form.Del("address") // it may contain a secret, too
	}
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
	r, err := v.api().Login(v.ctx(), control.Login{Account: cmp.Or(v.PostFormValue("account"), viewing.DefaultAccount), BaseURL: address, Key: key})
	if f, ok := errors.AsType[*control.Fault](err); ok && v.Has("setup.refused."+f.Reason) {
		return v.refuse("setup.refused."+f.Reason, "address", cmp.Or(tracker.SuggestAddress(address), address))
	}
	if v.page.Name == "setup" {
		v.Next = "/setup?step=2"
	}
	switch {
	case r.User != "":
		return v.done(err, "setup.keyOf", "user", r.User, "address", r.BaseURL)
	case r.Proven:
		return v.done(err, "setup.keyGood", "address", r.BaseURL)
	default:
		return v.done(err, "setup.keyKept", "address", r.BaseURL)
	}
}

// finishSetup ends or postpones setup: Home no longer redirects to it.
func finishSetup(v *view) error {
	v.site.putOff.Store(true)
	v.Next = "/"
	return nil
}
