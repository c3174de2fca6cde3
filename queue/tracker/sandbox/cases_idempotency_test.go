package sandbox

import (
	"net/http"
	"sync"
	"testing"
)

func idempotencyRows() []row {
	return []row{
		{number: 60, says: "the first answer again", mode: full, after: sameAgain},
		{number: 61, says: "another request", mode: full, after: reusedKeys},
		{number: 62, says: "while the first is worked on", mode: full, after: inWork},
		{number: 63, says: "after a refusal", mode: full, after: newAfterRefusal},
		{number: 64, says: "ignored", mode: contractOnly, after: keyIgnored},
	}
}

func keyed(operation, body, key string) *sent {
	return to(operation, body).with("Idempotency-Key", key)
}

func (p *probe) mustBe(t *testing.T, s *sent, status int) reply {
	t.Helper()
	r := p.send(t, s)
	if r.status != status {
		t.Fatalf("%s %s: answered %d %s, want %d", s.path, s.body, r.status, r.body, status)
	}
	return r
}

func sameAgain(t *testing.T, p *probe) {
	for operation, status := range map[string]int{"history": 200, "watchlist": 200, "lists": 201} {
		first := p.mustBe(t, keyed(operation, valid(operation), "k-"+operation), status)
		before := p.total(t)
		for range 2 {
			again := p.mustBe(t, keyed(operation, valid(operation), "k-"+operation), status)
			if string(again.body) != string(first.body) {
				t.Errorf("%s: answered %s, the first time %s", operation, again.body, first.body)
			}
			checkEnvelope(t, again)
		}
		if p.total(t) != before {
			t.Errorf("%s: the repeat was recorded", operation)
		}
	}
	r := p.records(t)
	if r.History[0].IdempotencyKey != "k-history" || r.Watchlist[0].IdempotencyKey != "k-watchlist" || r.Lists[0].IdempotencyKey != "k-lists" {
		t.Errorf("the keys are not in the records: %+v", r)
	}
}

func reusedKeys(t *testing.T, p *probe) {
	p.mustBe(t, keyed("history", valid("history"), "k"), 200)
	p.mustBe(t, keyed("watchlist", `{"type":"movie","id":604}`, "w"), 200)
	for _, s := range []*sent{
		keyed("history", `{"type":"movie","id":604}`, "k"),
		keyed("history", valid("history")+" ", "k"),
		keyed("watchlist", valid("history"), "k"),
		keyed("lists", valid("lists"), "k"),
		keyed("history", `{"type":"movie","id":604}`, "w"), // the very same body, to another operation
	} {
		checkError(t, p.mustBe(t, s, http.StatusUnprocessableEntity), codeValidation, "Idempotency-Key")
	}
	checkError(t, p.mustBe(t, keyed("history", `{"type":"film"}`, "k"), 400), codeValidation, "type") // fields come first
	checkError(t, p.mustBe(t, history(valid("history")).with("Idempotency-Key", "k", "k2"), 400), codeValidation, "Idempotency-Key")
	if n := p.total(t); n != 2 {
		t.Errorf("%d records, want the first two", n)
	}
}

// inWork needs no luck with clocks: the late request is worked on for an
// hour, and of the two concurrent ones whichever comes first is delayed.
func inWork(t *testing.T, p *probe) {
	p.arm(t, "POST /history", "late:1h", 1)
	p.broken(t, keyed("history", valid("history"), "late"))
	for _, s := range []*sent{keyed("history", valid("history"), "late"), keyed("history", `{"type":"movie","id":604}`, "late"), keyed("lists", valid("lists"), "late")} {
		checkError(t, p.mustBe(t, s, http.StatusConflict), codeConflict, "Idempotency-Key")
	}
	p.mustBe(t, keyed("history", valid("history"), "other"), 200)

	p.arm(t, "POST /lists", "delay:1s", 1)
	answers := map[int]int{}
	var mu sync.Mutex
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			r, err := p.try(t, keyed("lists", valid("lists"), "slow"))
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			answers[r.status]++
		})
	}
	both.Wait()
	if answers[http.StatusCreated] != 1 || answers[http.StatusConflict] != 1 {
		t.Errorf("answered %v, want one 201 and one 409", answers)
	}
	p.mustBe(t, keyed("lists", valid("lists"), "slow"), 201)
	if n := p.total(t); n != 2 {
		t.Errorf("%d records, want two", n)
	}
}

func newAfterRefusal(t *testing.T, p *probe) {
	p.mustBe(t, keyed("history", `{"type":"movie"}`, "k"), 400)
	p.mustBe(t, keyed("history", valid("history"), "k").with("x-api-key"), 401)
	p.mustBe(t, keyed("history", valid("history"), "k").with("x-api-key", testPublic), 403)
	p.mustBe(t, keyed("history", valid("history"), "k"), 200)
	for i, fault := range []string{"status:503", "bare:503", "retry-after:2", "html", "empty", "drop-before", "reset"} {
		key := "after " + fault
		p.arm(t, "POST /history", fault, 1)
		p.try(t, keyed("history", valid("history"), key))
		if n := p.total(t); n != 1+i {
			t.Fatalf("%s: %d records, want %d: the fault records nothing", fault, n, 1+i)
		}
		p.mustBe(t, keyed("history", `{"type":"movie","id":604}`, key), 200)
	}
}

func keyIgnored(t *testing.T, p *probe) {
	p.mustBe(t, keyed("history", valid("history"), "k"), 200)
	p.mustBe(t, keyed("history", valid("history"), "k"), 200)
	p.mustBe(t, keyed("history", `{"type":"movie","id":604}`, "k"), 200)
	first := p.mustBe(t, keyed("lists", valid("lists"), "k"), 201)
	second := p.mustBe(t, keyed("lists", valid("lists"), "k"), 201)
	if string(first.body) == string(second.body) {
		t.Errorf("both lists are %s", first.body)
	}
	p.mustBe(t, keyed("history", `{"type":"movie"}`, "k"), 400)
	p.mustBe(t, history(valid("history")).with("Idempotency-Key", "k", "k2"), 200)
	p.arm(t, "POST /history", "late:1h", 1)
	p.broken(t, keyed("history", valid("history"), "k"))
	p.mustBe(t, keyed("history", valid("history"), "k"), 200)
	r := p.records(t)
	if len(r.History) != 5 || len(r.Lists) != 2 {
		t.Errorf("%d viewings and %d lists, want each request recorded", len(r.History), len(r.Lists))
	}
	if r.History[0].IdempotencyKey != "k" {
		t.Error("the key is not kept as evidence")
	}
}
