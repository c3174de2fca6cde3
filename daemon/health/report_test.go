package health

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/viewing"
)

const secret = "Zorro Secretson"

// poison puts the secret into every text that a value holds, but for those that
// tell states and kinds.
func poison(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if v.Type().PkgPath() == "" && v.CanSet() {
			v.SetString(secret + "://" + secret)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				poison(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.CanSet() && v.Len() == 0 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		}
		for i := range v.Len() {
			poison(v.Index(i))
		}
	case reflect.Pointer:
		if v.CanSet() && v.IsNil() && v.Type() == reflect.TypeFor[*viewing.Message]() { // it may have a cause, and so on
			v.Set(reflect.ValueOf(&viewing.Message{Code: secret, Args: map[string]string{secret: secret}}))
			return
		}
		if v.CanSet() && v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		poison(v.Elem())
	}
}

// TestNothingTellsWhoThePersonIs: whatever text a status, a source or an entry
// holds, none of it stands in what a person may post.
func TestNothingTellsWhoThePersonIs(t *testing.T) {
	var f Facts
	poison(reflect.ValueOf(&f.Status).Elem())
	poison(reflect.ValueOf(&f.Latest).Elem())
	f.Status.Sources[0].Kind, f.Status.Accounts[0].BaseURL = viewing.SourceKodi, "https://"+secret
	f.Status.Problems[0].Code, f.Status.Problems[0].Cause = KeyRefused, nil
	f.Latest[0].Reason = viewing.ReasonUnresolved
	text := Report(f)
	if strings.Contains(strings.ToLower(text), "zorro") || !strings.Contains(text, "by https") {
		t.Error(text)
	}
}

func TestReport(t *testing.T) {
	at := time.Date(2026, 3, 1, 20, 15, 0, 0, time.UTC)
	cause := "offline"
	got := Report(Facts{
		Version: "filmspool 1", Now: at,
		Status: control.Status{
			State: "attention", OldestPendingSeconds: 3600, Accounts: []control.Account{{State: "ok", BaseURL: "https://a", LastDelivered: &at}},
			Sources: []control.Source{{Kind: "kodi", State: "waiting"}}, Notices: []sqlite.Notice{{At: at}},
			Problems: []control.Problem{{Code: "late", Severity: control.Soon, Cause: &cause, Since: &at}},
		},
		Latest: []entry.Entry{{Source: "kodi:/home/z", Kind: viewing.KindViewing, State: "held", Reason: "wave"}, {Source: "kodi:/home/y", Kind: viewing.KindViewing, State: "held", Reason: "wave"}, {Source: "me", Kind: viewing.KindList, State: "delivered"}},
	})
	for _, want := range []string{
		"late, soon, caused by offline, since 2026-03-01T20:15:00Z", "the oldest waits for 1h0m0s", "2 of kodi viewing: held wave", "1 of other list: delivered",
		"account 1: ok, by https, last delivered 2026-03-01T20:15:00Z", "kodi 1: waiting, last seen never", "notice of 2026-03-01",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
