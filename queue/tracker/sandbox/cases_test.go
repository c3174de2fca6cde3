package sandbox

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// row is one numbered case of the service's choices and its variants, which
// are sent to one service in their order.
type row struct {
	number   int
	says     string
	mode     mode
	variants []variant
	after    func(*testing.T, *probe) // runs when all variants were sent
}

type mode int

const (
	both mode = iota
	full
	contractOnly
)

// variant is a request and its answer. code is "" for success; the field, if
// any, begins the message.
type variant struct {
	note   string
	send   *sent
	status int
	code   string
	field  string
	check  func(*testing.T, *probe, reply)
}

func cases() []row {
	return slices.Concat(keyRows(), envelopeRows(), historyRows(), watchlistRows(), listRows(), idempotencyRows())
}

func TestCasesCoverEveryRow(t *testing.T) {
	var numbers []int
	for _, r := range cases() {
		numbers = append(numbers, r.number)
		if r.says == "" || len(r.variants) == 0 && r.after == nil {
			t.Errorf("row %d says or checks nothing", r.number)
		}
	}
	for n := 1; n <= 64; n++ {
		if c := len(slices.DeleteFunc(slices.Clone(numbers), func(m int) bool { return m != n })); c != 1 {
			t.Errorf("row %d stands %d times in the table", n, c)
		}
	}
	if len(numbers) != 64 {
		t.Errorf("%d rows, want 64", len(numbers))
	}
}

func TestCases(t *testing.T) {
	for _, r := range cases() {
		t.Run(strconv.Itoa(r.number)+" "+strings.ReplaceAll(r.says, "/", "|"), func(t *testing.T) {
			t.Parallel()
			if r.mode != contractOnly {
				t.Run("full", func(t *testing.T) { runRow(t, r, false) })
			}
			if r.mode != full {
				t.Run("contract only", func(t *testing.T) { runRow(t, r, true) })
			}
		})
	}
}

func runRow(t *testing.T, r row, only bool) {
	o := options(t)
	o.ContractOnly = only
	p := newProbe(t, o)
	for _, v := range r.variants {
		before := p.total(t)
		got := p.send(t, v.send)
		if got.status != v.status {
			t.Errorf("%s: answered %d %s, want %d", v.note, got.status, got.body, v.status)
			continue
		}
		checkEnvelope(t, got)
		if v.code != "" && v.send.method != http.MethodHead {
			checkError(t, got, v.code, v.field)
		}
		if v.code != "" && p.total(t) != before {
			t.Errorf("%s: refused, yet recorded", v.note)
		}
		if v.check != nil {
			v.check(t, p, got)
		}
		if t.Failed() {
			t.Fatalf("in the variant %q, answered %d %s", v.note, got.status, got.body)
		}
	}
	if r.after != nil {
		r.after(t, p)
	}
}

// onAll is the variant for each of the three writes.
func onAll(note string, status int, code string, change func(*sent) *sent) []variant {
	var all []variant
	for _, operation := range []string{"history", "watchlist", "lists"} {
		v := variant{note: note + " on " + operation, send: change(to(operation, valid(operation))), status: status, code: code}
		if v.status == http.StatusOK && operation == "lists" {
			v.status = http.StatusCreated
		}
		all = append(all, v)
	}
	return all
}

// bodies gives one variant for each body sent to the operation.
func bodies(operation string, status int, code, field string, all ...string) []variant {
	var out []variant
	for _, body := range all {
		out = append(out, variant{note: body, send: to(operation, body), status: status, code: code, field: field})
	}
	return out
}

func accepted(operation string, all ...string) []variant {
	if operation == "lists" {
		return bodies(operation, http.StatusCreated, "", "", all...)
	}
	return bodies(operation, http.StatusOK, "", "", all...)
}

func refused(operation, field string, all ...string) []variant {
	return bodies(operation, http.StatusBadRequest, codeValidation, field, all...)
}

// viewings fails unless so many are recorded.
func viewings(n int) func(*testing.T, *probe) {
	return func(t *testing.T, p *probe) {
		if got := len(p.records(t).History); got != n {
			t.Errorf("%d viewings recorded, want %d", got, n)
		}
	}
}
