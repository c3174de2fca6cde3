package health

import (
	"reflect"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/queue/viewing"
)

const secret = "Zorro Secretson"

// poison sets every text in a value to the secret, except states and kinds.
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
		if v.CanSet() && v.IsNil() && v.Type() == reflect.TypeFor[*viewing.Message]() { // a message may have a cause, and so on
			v.Set(reflect.ValueOf(&viewing.Message{Code: secret, Args: map[string]string{secret: secret}}))
			return
		}
		if v.CanSet() && v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		poison(v.Elem())
	}
}

// The report contains no text from a status, a source or an entry that could identify the user.
func TestReportIsAnonymous(t *testing.T) {
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
