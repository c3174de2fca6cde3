package sandbox

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// FuzzWholeNumber compares with exact rational arithmetic.
func FuzzWholeNumber(f *testing.F) {
	for _, s := range []string{
		"0", "-0", "0.0", "603", "603.0", "6.03e2", "60300e-2", "1e15", "9007199254740991", "9007199254740991.5", "9007199254740992",
		"-9007199254740991", "0e999999999999", "1e-5", "0.001e3", "1e16", "10e-1", "0.0000000000000000000001e22",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, literal string) {
		i := strings.IndexAny(literal, "eE")
		if !json.Valid([]byte(literal)) || strings.Trim(literal, "0123456789+-.eE") != "" || len(literal) > 40 || i >= 0 && len(literal)-i > 5 {
			t.Skip("no number, or too large for the model")
		}
		exact, ok := new(big.Rat).SetString(literal)
		if !ok {
			t.Skip()
		}
		within := new(big.Rat).Abs(exact).Cmp(big.NewRat(maxInteger, 1)) <= 0
		n, why := wholeNumber(literal)
		if good := exact.IsInt() && within; good != (why == "") {
			t.Fatalf("%s: %d, %q", literal, n, why)
		} else if good && big.NewRat(n, 1).Cmp(exact) != 0 {
			t.Fatalf("%s was read as %d", literal, n)
		}
	})
}

// FuzzDecodeObject holds that only whole UTF-8 objects are taken, and that
// whatever they hold is parsed without a panic and refused by a refusal.
func FuzzDecodeObject(f *testing.F) {
	for _, s := range []string{`{}`, `{"type":"movie","id":603}`, `{"type":"episode","tmdbId":1,"tvShowId":2}`, `{"items":[{"type":"tv","id":1}]}`, `{"a":{"b":[1,null]}}`, "{\"\xff\":1}", `[]`, ``} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		o, err := decodeObject([]byte(body))
		trimmed := strings.TrimSpace(body)
		if good := utf8.ValidString(body) && json.Valid([]byte(body)) && strings.HasPrefix(trimmed, "{"); good != (err == nil) {
			t.Fatalf("%q: %v", body, err)
		}
		if err != nil {
			return
		}
		for _, parse := range []func(object) (input, error){parseViewing, parseWish, parseList} {
			if _, err := parse(o); err != nil {
				if _, ok := err.(*refusal); !ok {
					t.Fatalf("%q: %T %v", body, err, err)
				}
			}
		}
		parseStatusItems(o)
	})
}

// TestKeysAgainstModel drives one service with random keyed requests and
// restarts, beside a model of what a key means.
func TestKeysAgainstModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		type first struct{ operation, body, answer string }
		known := map[string]first{}
		o := options(t)
		p := newProbe(t, o)
		recorded := 0
		r.Repeat(map[string]func(*rapid.T){
			"send": func(r *rapid.T) {
				operation := rapid.SampledFrom([]string{"history", "lists"}).Draw(r, "operation")
				body := rapid.SampledFrom([]string{`{"type":"movie","id":603,"name":"a"}`, `{"type":"movie","id":604,"name":"b"}`, `{"type":"film"}`}).Draw(r, "body")
				key := rapid.SampledFrom([]string{"", "k1", "k2"}).Draw(r, "key")
				fault := rapid.SampledFrom([]string{"", "", "", "status:503", "drop-before", "drop-after"}).Draw(r, "fault")
				old, used := known[key]
				valid := strings.Contains(body, "movie")
				fresh := valid && (key == "" || !used)
				if fault == "drop-after" && !fresh {
					fault = "" // it would stay armed
				}
				if fault != "" {
					p.arm(t, "POST /"+operation, fault, 1)
				}
				got, err := p.try(t, keyed(operation, body, key))
				switch {
				case fault == "drop-after" || fault == "drop-before":
					if err == nil {
						r.Fatalf("%s: answered %d", fault, got.status)
					}
				case fault != "":
					wantStatus(r, got, 503)
				case !valid:
					wantStatus(r, got, 400)
				case used && key != "" && (old.operation != operation || old.body != body):
					wantStatus(r, got, 422)
				case used && key != "" && old.answer != "" && string(got.body) != old.answer:
					r.Fatalf("answered %s, the first time %s", got.body, old.answer)
				case got.status/100 != 2:
					r.Fatalf("answered %d %s", got.status, got.body)
				}
				if fresh && (fault == "" || fault == "drop-after") {
					recorded++
					known[key] = first{operation, body, string(got.body)}
				}
			},
			"restart": func(r *rapid.T) {
				p.shut()
				p = newProbe(t, o)
			},
			"": func(r *rapid.T) {
				if n := p.total(t); n != recorded {
					r.Fatalf("%d records, want %d", n, recorded)
				}
			},
		})
		p.shut()
	})
}

func wantStatus(r *rapid.T, got reply, status int) {
	if got.status != status {
		r.Fatalf("answered %d %s, want %d", got.status, got.body, status)
	}
}
