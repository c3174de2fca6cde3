package tracker

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// Bodies that many rows share.
const (
	okBody     = `{"success":true}`
	listBody   = `{"id":"list_1","name":"Noir","itemCount":0}`
	invalid    = `{"error":"VALIDATION_ERROR","message":"watchedAt: not a date-time"}`
	noAuth     = `{"error":"UNAUTHORIZED","message":"no such key"}`
	forbidden  = `{"error":"FORBIDDEN","message":"secret key needed"}`
	otherError = `{"error":"NOT_FOUND","message":"no such film"}`
	html       = "<!doctype html><title>Welcome</title>"
	denied     = `{"success":false,"message":"nope"}`
	nestError  = `{"statusCode":404,"message":"Cannot POST /history","error":"Not Found"}`
)

// row is a row of the table: a response and its outcome at an unproven address, and at a proven
// one if that is different (proven).
type row struct {
	name          string
	op            Operation // history by default
	status        int
	header        string // "Name: value"
	body          string
	broken        bool
	resend        bool
	outcome       Outcome
	proven        Outcome
	provesAddress bool
}

func (r row) exchange(proven bool) exchange {
	x := exchange{
		op: r.op, status: r.status, header: http.Header{}, body: []byte(r.body), broken: r.broken, sent: true, resend: r.resend, proven: proven,
		now: time.Date(2026, 3, 1, 19, 0, 0, 0, time.UTC),
	}
	if x.op == "" {
		x.op = History
	}
	if name, value, ok := strings.Cut(r.header, ": "); ok {
		x.header.Set(name, value)
	}
	return x
}

func outcomeTable() []row {
	return slices.Concat(deliveredRows(), codeRows(), rejectedRows(), accountRows(), foreignRows(), doubtRows(), itemRows())
}

// itemRows holds responses to a list item, which a service may not support.
func itemRows() []row {
	return []row{
		{name: "item", op: ListItems, status: 200, body: okBody, outcome: Delivered, provesAddress: true},
		{name: "item that is there", op: ListItems, status: 409, body: `{"error":"CONFLICT","message":"there already"}`, outcome: Delivered, provesAddress: true},
		{name: "item refused", op: ListItems, status: 400, body: invalid, outcome: Rejected, provesAddress: true},
		{name: "no such endpoint", op: ListItems, status: 404, body: html, outcome: Unproven, proven: Unsupported},
		{name: "no such endpoint, in an object", op: ListItems, status: 404, body: otherError, outcome: Unproven, proven: Unsupported},
		{name: "another method", op: ListItems, status: 405, outcome: Unproven, proven: Unsupported},
		{name: "not made yet", op: ListItems, status: 501, outcome: Unproven, proven: Unsupported},
		{name: "item with a key that is refused", op: ListItems, status: 401, body: noAuth, outcome: Refused, provesAddress: true},
		{name: "item, trouble", op: ListItems, status: 500, outcome: InDoubt},
	}
}

func deliveredRows() []row {
	return []row{
		{name: "success", status: 200, body: okBody, outcome: Delivered, provesAddress: true},
		{name: "success absent", status: 200, body: `{}`, outcome: Delivered, provesAddress: true},
		{name: "another 2xx", status: 202, body: okBody, outcome: Delivered, provesAddress: true},
		{name: "wrapped", status: 200, body: `{"success":true,"data":{"id":"h1"}}`, outcome: Delivered, provesAddress: true},
		{name: "null error beside success", status: 200, body: `{"success":true,"error":null}`, outcome: Delivered, provesAddress: true},
		{name: "byte order mark", status: 200, body: "\ufeff" + okBody, outcome: Delivered, provesAddress: true},
		{name: "whole object, then the line broke", status: 200, body: okBody, broken: true, outcome: Delivered, provesAddress: true},
		{name: "watchlist", op: Watchlist, status: 201, body: okBody, outcome: Delivered, provesAddress: true},
		{name: "list", op: Lists, status: 201, body: listBody, outcome: Delivered, provesAddress: true},
		{name: "list wrapped", op: Lists, status: 200, body: `{"success":true,"data":` + listBody + `}`, outcome: Delivered, provesAddress: true},
		{name: "list with a number for id", op: Lists, status: 200, body: `{"id":7}`, outcome: Delivered, provesAddress: true},
		{name: "watchlist 409 is there already", op: Watchlist, status: 409, body: `{"error":"CONFLICT","message":"already there"}`, outcome: Delivered, provesAddress: true},
		{name: "watchlist 409 without code", op: Watchlist, status: 409, body: denied, outcome: Delivered},
		{name: "watchlist 409 to a resend", op: Watchlist, status: 409, body: otherError, resend: true, outcome: Delivered, provesAddress: true},
	}
}

// codeRows holds responses with a code of the contract, which precedes the status.
func codeRows() []row {
	return []row{
		{name: "invalid", status: 400, body: invalid, outcome: Rejected, provesAddress: true},
		{name: "invalid with 500", status: 500, body: invalid, outcome: Rejected, provesAddress: true},
		{name: "invalid with 200", status: 200, body: invalid, outcome: Rejected, provesAddress: true},
		{name: "invalid with 401", status: 401, body: invalid, outcome: Rejected, provesAddress: true},
		{name: "invalid with 429", status: 429, body: invalid, outcome: Rejected, provesAddress: true},
		{name: "invalid with 503", status: 503, body: invalid, outcome: Rejected, provesAddress: true},
		{name: "invalid with 409 to a watchlist add", op: Watchlist, status: 409, body: invalid, outcome: Rejected, provesAddress: true},
		{name: "invalid without message", status: 400, body: `{"error":"VALIDATION_ERROR"}`, outcome: Rejected, provesAddress: true},
		{name: "list invalid with 422", op: Lists, status: 422, body: invalid, outcome: Rejected, provesAddress: true},
		{name: "unauthorized with 400", op: Watchlist, status: 400, body: noAuth, outcome: Refused, provesAddress: true},
		{name: "unauthorized with 500", status: 500, body: noAuth, outcome: Refused, provesAddress: true},
		{name: "forbidden with 200", op: Lists, status: 200, body: forbidden, outcome: Refused, provesAddress: true},
	}
}

func rejectedRows() []row {
	return []row{
		{name: "404 of its own", status: 404, body: otherError, outcome: Unproven, proven: Rejected},
		{name: "405 of its own", status: 405, body: otherError, outcome: Unproven, proven: Rejected},
		{name: "404 with success false", status: 404, body: denied, outcome: Unproven, proven: Rejected},
		{name: "404 with a code of the contract", status: 404, body: invalid, outcome: Rejected, provesAddress: true},
		{name: "409", status: 409, body: otherError, outcome: Rejected, provesAddress: true},
		{name: "410", status: 410, body: otherError, outcome: Rejected, provesAddress: true},
		{name: "413", status: 413, body: otherError, outcome: Rejected, provesAddress: true},
		{name: "422", status: 422, body: otherError, outcome: Rejected, provesAddress: true},
		{name: "451", status: 451, body: otherError, outcome: Rejected, provesAddress: true},
		{name: "success false with 200", status: 200, body: denied, outcome: Rejected, provesAddress: true},
		{name: "success false with 400", status: 400, body: denied, outcome: Rejected},
		{name: "success false with a code", status: 200, body: `{"success":false,"error":"UNKNOWN_FILM","message":"?"}`, outcome: Rejected, provesAddress: true},
		{name: "list: success false beside an id", op: Lists, status: 200, body: `{"success":false,"id":"x"}`, outcome: Rejected, provesAddress: true},
		{name: "list 409 first time", op: Lists, status: 409, body: otherError, outcome: Rejected, provesAddress: true},
	}
}

// accountRows holds responses about the key, or with a request to wait.
func accountRows() []row {
	return []row{
		{name: "401", status: 401, body: noAuth, outcome: Refused, provesAddress: true},
		{name: "403", status: 403, body: forbidden, outcome: Refused, provesAddress: true},
		{name: "401 bare", status: 401, outcome: Refused},
		{name: "403 page", status: 403, body: html, outcome: Refused},
		{name: "403 with another code", status: 403, body: `{"error":"PLAN_ENDED","message":"?"}`, outcome: Refused, provesAddress: true},
		{name: "401 cut", status: 401, body: `{"err`, broken: true, outcome: Refused},

		// later
		{name: "425", status: 425, outcome: Later},
		{name: "429 bare", status: 429, outcome: Later},
		{name: "429 with a code", status: 429, body: `{"error":"RATE_LIMITED","message":"slow"}`, header: "Retry-After: 7", outcome: Later, provesAddress: true},
		{name: "503 with seconds", status: 503, header: "Retry-After: 120", outcome: Later},
		{name: "503 with a date", status: 503, header: "Retry-After: Sun, 01 Mar 2026 19:02:00 GMT", outcome: Later},
		{name: "503 with an error object", status: 503, body: `{"error":"MAINTENANCE","message":"back soon"}`, outcome: Later, provesAddress: true},
	}
}

// foreignRows holds responses of other servers, or of a proxy or portal.
func foreignRows() []row {
	return []row{
		{name: "404 bare", status: 404, outcome: Unproven, proven: Offline},
		{name: "404 page", status: 404, body: html, outcome: Unproven, proven: Offline},
		{name: "404 of another server", status: 404, body: nestError, outcome: Unproven, proven: Offline},
		{name: "405", status: 405, outcome: Unproven, proven: Offline},
		{name: "400 page", status: 400, body: html, outcome: Unproven, proven: Offline},
		{name: "409 bare", status: 409, outcome: Unproven, proven: Offline},
		{name: "409 bare to a watchlist add", op: Watchlist, status: 409, outcome: Unproven, proven: Offline},
		{name: "418", status: 418, body: "teapot", outcome: Unproven, proven: Offline},
		{name: "301", status: 301, header: "Location: https://elsewhere.example/", outcome: Unproven, proven: Offline},
		{name: "307", status: 307, header: "Location: https://elsewhere.example/", outcome: Unproven, proven: Offline},
		{name: "304", status: 304, outcome: Unproven, proven: Offline},
		{name: "101", status: 101, outcome: Unproven, proven: Offline},
		{name: "501", status: 501, outcome: Unproven, proven: Offline},
		{name: "501 of its own", status: 501, body: otherError, outcome: Offline, provesAddress: true},
		{name: "511", status: 511, body: html, outcome: Offline},
		{name: "407", status: 407, body: html, outcome: Offline},

		// 2xx that is not this API
		{name: "200 page", status: 200, body: html, outcome: Unproven, proven: InDoubt},
		{name: "200 page, cut", status: 200, body: html, broken: true, outcome: Unproven, proven: InDoubt},
		{name: "200 empty", status: 200, outcome: Unproven, proven: InDoubt},
		{name: "204", status: 204, outcome: Unproven, proven: InDoubt},
		{name: "200 array", status: 200, body: `[]`, outcome: Unproven, proven: InDoubt},
		{name: "200 null", status: 200, body: `null`, outcome: Unproven, proven: InDoubt},
		{name: "200 text", status: 200, body: "OK", outcome: Unproven, proven: InDoubt},
		{name: "200 success as text", status: 200, body: `{"success":"true"}`, outcome: Unproven, proven: InDoubt},
		{name: "200 Success in another case", status: 200, body: `{"error":"oops","Success":true}`, outcome: Unproven, proven: InDoubt},
		{name: "200 with an error that is no code", status: 200, body: `{"error":"it went wrong"}`, outcome: Unproven, proven: InDoubt},
		{name: "list without id", op: Lists, status: 200, body: `{"name":"Noir"}`, outcome: Unproven, proven: InDoubt},
		{name: "list, success only: this API, but no list", op: Lists, status: 200, body: okBody, outcome: InDoubt, provesAddress: true},
		{name: "list: data without success is no wrapping", op: Lists, status: 200, body: `{"data":{"id":"x"}}`, outcome: Unproven, proven: InDoubt},
	}
}

func doubtRows() []row {
	return []row{
		{name: "500", status: 500, outcome: InDoubt},
		{name: "500 with another code", status: 500, body: otherError, outcome: InDoubt, provesAddress: true},
		{name: "500 success false", status: 500, body: denied, outcome: InDoubt},
		{name: "502 page", status: 502, body: html, outcome: InDoubt},
		{name: "503 bare", status: 503, body: html, outcome: InDoubt},
		{name: "503 with an odd Retry-After", status: 503, header: "Retry-After: soon", outcome: InDoubt},
		{name: "504", status: 504, outcome: InDoubt},
		{name: "599", status: 599, outcome: InDoubt},
		{name: "600", status: 600, outcome: InDoubt},
		{name: "408 after the body", status: 408, outcome: InDoubt},
		{name: "408 after the body, with a code", status: 408, body: otherError, outcome: InDoubt, provesAddress: true},
		{name: "409 to a resend", status: 409, body: `{"error":"CONFLICT","message":"still at work"}`, resend: true, outcome: InDoubt, provesAddress: true},
		{name: "409 to a resend, bare", op: Lists, status: 409, resend: true, outcome: InDoubt},
		{name: "200 cut", status: 200, body: `{"succ`, outcome: InDoubt},
		{name: "200 cut, seen", status: 200, body: `{"success":tr`, broken: true, outcome: InDoubt},
		{name: "200 cut before the first byte", status: 200, broken: true, outcome: InDoubt},
		{name: "200 garbage after the object", status: 200, body: okBody + "x", outcome: InDoubt},
		{name: "400 cut", status: 400, body: `{"error":"VALI`, broken: true, outcome: InDoubt},
		{name: "success with a code", status: 200, body: `{"success":true,"error":"PARTLY","message":"?"}`, outcome: InDoubt, provesAddress: true},
	}
}

func TestVerdictOfEveryResponse(t *testing.T) {
	for _, r := range outcomeTable() {
		t.Run(r.name, func(t *testing.T) {
			proven := r.proven
			if proven == "" {
				proven = r.outcome
			}
			checkVerdict(t, classify(r.exchange(false)), r, r.outcome)
			checkVerdict(t, classify(r.exchange(true)), r, proven)
		})
	}
}

func checkVerdict(t *testing.T, v Verdict, r row, want Outcome) {
	t.Helper()
	if v.Outcome != want || v.ProvesAddress != r.provesAddress {
		t.Errorf("outcome %s (proves %v), want %s (%v): %s", v.Outcome, v.ProvesAddress, want, r.provesAddress, v.Problem)
	}
	if v.Status != r.status {
		t.Errorf("status %d, want %d", v.Status, r.status)
	}
	if (v.Problem.Code == "") != (v.Outcome == Delivered) {
		t.Errorf("%s with problem %q", v.Outcome, v.Problem)
	}
	switch v.Outcome {
	case Refused, Unproven, InDoubt:
		if v.Hint.Code == "" {
			t.Errorf("%s with hint %q", v.Outcome, v.Hint)
		}
	}
}

func TestVerdictContainsTheServicesMessage(t *testing.T) {
	v := classify(row{status: 400, body: invalid}.exchange(false))
	if v.Code != "VALIDATION_ERROR" || v.Message != "watchedAt: not a date-time" || v.Problem.Args["words"] != v.Message {
		t.Errorf("got %+v", v)
	}
	v = classify(row{op: Lists, status: 201, body: listBody}.exchange(false))
	if v.ListID != "list_1" {
		t.Errorf("list id %q", v.ListID)
	}
	v = classify(row{op: Lists, status: 200, body: `{"success":true,"data":{"id":9007199254740993}}`}.exchange(false))
	if v.ListID != "9007199254740993" {
		t.Errorf("list id %q", v.ListID)
	}
	if v = classify(row{status: 201, body: `{"success":true,"id":"h1"}`}.exchange(false)); v.ListID != "" {
		t.Errorf("a viewing has list id %q", v.ListID)
	}
	own := classify(row{status: 401, body: `{"success":false,"message":"Invalid API key"}`}.exchange(false))
	between := classify(row{status: 401, body: html}.exchange(false))
	if own.Problem.Code != KeyRefused || between.Problem.Code != "between" {
		t.Errorf("got %+v and %+v", own, between)
	}
}

func TestRetryAfter(t *testing.T) {
	tests := map[string]struct {
		header, date string
		want         time.Duration
		outcome      Outcome
	}{
		"seconds":                 {header: "120", want: 2 * time.Minute, outcome: Later},
		"zero":                    {header: "0", outcome: Later},
		"spaces":                  {header: " 5 ", want: 5 * time.Second, outcome: Later},
		"more than a day":         {header: "999999999999", want: 24 * time.Hour, outcome: Later},
		"beyond int64":            {header: "99999999999999999999", outcome: InDoubt},
		"negative":                {header: "-5", outcome: InDoubt},
		"date":                    {header: "Sun, 01 Mar 2026 19:02:00 GMT", want: 2 * time.Minute, outcome: Later},
		"date by the Date header": {header: "Sun, 01 Mar 2026 21:02:00 GMT", date: "Sun, 01 Mar 2026 21:00:00 GMT", want: 2 * time.Minute, outcome: Later},
		"past date":               {header: "Sun, 01 Mar 2026 18:00:00 GMT", outcome: Later},
		"date in a hundred years": {header: "Sun, 01 Mar 2126 18:00:00 GMT", want: 24 * time.Hour, outcome: Later},
		"neither":                 {header: "soon", outcome: InDoubt},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := row{status: 503}.exchange(true)
			s.header.Set("Retry-After", tt.header)
			if tt.date != "" {
				s.header.Set("Date", tt.date)
			}
			if v := classify(s); v.Outcome != tt.outcome || v.RetryAfter != tt.want {
				t.Errorf("got %s after %s, want %s after %s", v.Outcome, v.RetryAfter, tt.outcome, tt.want)
			}
		})
	}
}
