package sandbox

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

func keyRows() []row {
	key := func(values ...string) func(*sent) *sent {
		return func(s *sent) *sent { return s.with("x-api-key", values...) }
	}
	bearer := func(values ...string) func(*sent) *sent {
		return func(s *sent) *sent { return s.with("x-api-key").with("authorization", values...) }
	}
	two := func(first, second string) func(*sent) *sent {
		return func(s *sent) *sent { return s.with("x-api-key", first).with("authorization", second) }
	}
	body := func(change func(*sent) *sent, text string) func(*sent) *sent {
		return func(s *sent) *sent { s.body = text; return change(s) }
	}
	return []row{
		{number: 1, says: "no key", variants: onAll("no key", 401, codeUnauthorized, key())},
		{number: 2, says: "unknown keys", variants: slices.Concat(
			onAll("unknown", 401, codeUnauthorized, key("sk_other")),
			onAll("longer", 401, codeUnauthorized, key(testSecret+"x")),
			onAll("empty", 401, codeUnauthorized, key("")),
			onAll("no prefix", 401, codeUnauthorized, key(strings.TrimPrefix(testSecret, "sk_"))))},
		{number: 3, says: "a public key writes nothing", variants: onAll("public", 403, codeForbidden, key(testPublic))},
		{number: 4, says: "unknown public key", variants: onAll("unknown public", 401, codeUnauthorized, key("pk_other"))},
		{number: 5, says: "bearer form", variants: slices.Concat(
			onAll("bearer", 200, "", bearer("Bearer "+testSecret)),
			onAll("bearer public", 403, codeForbidden, bearer("Bearer "+testPublic)),
			onAll("bearer unknown", 401, codeUnauthorized, bearer("Bearer sk_other")))},
		{
			number: 6, says: "the scheme has no case", variants: slices.Concat(
				onAll("bearer", 200, "", bearer("bearer "+testSecret)), onAll("BEARER", 200, "", bearer("BEARER "+testSecret))),
			after: lowerCaseHeaders,
		},
		{number: 7, says: "other schemes", variants: slices.Concat(
			onAll("basic", 401, codeUnauthorized, bearer("Basic "+testSecret)),
			onAll("no scheme", 401, codeUnauthorized, bearer(testSecret)),
			onAll("no credential", 401, codeUnauthorized, bearer("Bearer")))},
		{number: 8, says: "both headers, same key", variants: onAll("both", 200, "", two(testSecret, "Bearer "+testSecret))},
		{number: 9, says: "both headers, different keys", variants: twoKeysSaid(slices.Concat(
			onAll("secret and public", 401, codeUnauthorized, two(testSecret, "Bearer "+testPublic)),
			onAll("public and secret", 401, codeUnauthorized, two(testPublic, "Bearer "+testSecret)),
			onAll("secret and unknown", 401, codeUnauthorized, two(testSecret, "Bearer sk_other"))))},
		{number: 10, says: "one empty, one twice", variants: slices.Concat(
			onAll("empty x-api-key", 200, "", two("", "Bearer "+testSecret)),
			onAll("empty bearer", 200, "", two(testSecret, "Bearer ")),
			onAll("empty authorization", 200, "", two(testSecret, "")),
			onAll("x-api-key twice", 401, codeUnauthorized, key(testSecret, testPublic)),
			onAll("bearer twice", 401, codeUnauthorized, bearer("Bearer "+testSecret, "Bearer "+testPublic)))},
		{number: 11, says: "key in the query", variants: slices.Concat(
			onAll("api_key", 401, codeUnauthorized, func(s *sent) *sent { return key()(s).as("POST", s.path+"?api_key="+testSecret) }),
			onAll("x-api-key", 401, codeUnauthorized, func(s *sent) *sent { return key()(s).as("POST", s.path+"?x-api-key="+testSecret) }),
			onAll("key", 401, codeUnauthorized, func(s *sent) *sent { return key()(s).as("POST", s.path+"?key="+testSecret) }))},
		{number: 12, says: "no key and a bad body", variants: onAll("both", 401, codeUnauthorized, body(key(), `{"type":5`))},
		{number: 13, says: "public key and a bad body", variants: onAll("both", 403, codeForbidden, body(key(testPublic), `{"type":5`))},
		{number: 14, says: "public key on reads", mode: full, variants: []variant{
			{note: "me", send: get("/api/v1/me"), status: 200},
			{note: "history", send: get("/api/v1/history"), status: 200},
			{note: "lists", send: get("/api/v1/lists"), status: 200},
			{note: "status", send: to("media/status", `{"items":[]}`).with("x-api-key", testPublic), status: 200},
			{note: "resolve", send: to("media/resolve", `{"imdbId":"tt0133093"}`).with("x-api-key", testPublic), status: 200},
			{note: "resolve many", send: to("media/resolve/batch", `{"items":[]}`).with("x-api-key", testPublic), status: 200},
			{note: "bearer", send: get("/api/v1/me").with("x-api-key").with("authorization", "Bearer "+testPublic), status: 200},
			{note: "secret", send: get("/api/v1/me").with("x-api-key", testSecret), status: 200},
			{note: "none", send: get("/api/v1/me").with("x-api-key"), status: 401, code: codeUnauthorized},
		}},
	}
}

// lowerCaseHeaders writes the header's name itself in small letters, which
// Go's client never does.
func lowerCaseHeaders(t *testing.T, p *probe) {
	for _, name := range []string{"authorization: bearer ", "AUTHORIZATION: BEARER ", "x-api-key: ", "X-API-KEY: "} {
		body := valid("history")
		res, _, _ := p.raw(t, fmt.Sprintf("POST /api/v1/history HTTP/1.1\r\nHost: h\r\n%s%s\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s",
			name, testSecret, len(body), body))
		if res.StatusCode != 200 {
			t.Errorf("%s: answered %d", name, res.StatusCode)
		}
	}
}

func twoKeysSaid(all []variant) []variant {
	for i := range all {
		all[i].check = func(t *testing.T, _ *probe, r reply) {
			if !strings.Contains(string(r.body), "two keys were sent") {
				t.Errorf("it does not say that two keys were sent: %s", r.body)
			}
		}
	}
	return all
}

func envelopeRows() []row {
	contentType := func(values ...string) func(*sent) *sent {
		return func(s *sent) *sent { return s.with("content-type", values...) }
	}
	body := func(text string) func(*sent) *sent {
		return func(s *sent) *sent { s.body = text; return s }
	}
	return []row{
		{number: 15, says: "no body", variants: onAll("empty", 400, codeValidation, body("")), after: noBodyAtAll},
		{number: 16, says: "other content types", variants: slices.Concat(
			onAll("missing", 400, codeValidation, contentType()),
			onAll("text", 400, codeValidation, contentType("text/plain")),
			onAll("form", 400, codeValidation, contentType("application/x-www-form-urlencoded")),
			onAll("near", 400, codeValidation, contentType("application/jsonp")))},
		{number: 17, says: "charset", variants: onAll("utf-8", 200, "", contentType("application/json; charset=utf-8"))},
		{number: 18, says: "not one JSON object", variants: notObjects()},
		{number: 19, says: "unknown fields", variants: slices.Concat(
			accepted("history", `{"type":"movie","id":603,"x":{"y":[1,{"id":null}],"type":"tv"},"COUNT":3,"note":null}`),
			accepted("watchlist", `{"type":"movie","id":603,"notes":"n","x":[null]}`), accepted("lists", `{"name":"a","items":[{}]}`),
			refused("history", "id", `{"type":"movie","ID":603}`), refused("history", "type", `{"Type":"movie","id":603}`),
			refused("lists", "name", `{"NAME":"a"}`)), after: viewings(1)},
		{number: 20, says: "a field twice", variants: slices.Concat(
			accepted("history", `{"type":"tv","id":"x","type":"movie","id":603}`, `{"type":"movie","id":1,"i\u0064":603}`),
			refused("history", "id", `{"type":"movie","id":603,"id":null}`, `{"type":"movie","id":603,"id":0}`),
			accepted("watchlist", `{"type":"movie","id":-1,"id":603}`), accepted("lists", `{"name":1,"name":"a"}`)), after: lastCounted},
		{number: 21, says: "null", variants: nulls()},
		{number: 22, says: "too large", variants: sizes(), after: tooLargeUnread},
		{number: 23, says: "content encoding", variants: onAll("gzip", 400, codeValidation, func(s *sent) *sent { return s.with("content-encoding", "gzip") })},
		{number: 24, says: "chunked", variants: onAll("chunked", 200, "", func(s *sent) *sent { s.chunked = true; return s })},
		{number: 25, says: "100-continue", after: continueOnlyWhenWanted},
		{number: 26, says: "other methods", variants: otherMethods(), after: onlyPostInContract},
		{number: 27, says: "other paths", variants: otherPaths()},
		{number: 28, says: "a query is ignored", variants: onAll("query", 200, "", func(s *sent) *sent { return s.as("POST", s.path+"?type=x&page=0") })},
	}
}

func noBodyAtAll(t *testing.T, p *probe) {
	for _, operation := range []string{"history", "watchlist", "lists"} {
		res, _, _ := p.raw(t, "POST /api/v1/"+operation+" HTTP/1.1\r\nHost: h\r\nX-Api-Key: "+testSecret+"\r\nContent-Type: application/json\r\n\r\n")
		if res.StatusCode != 400 {
			t.Errorf("%s without body: answered %d", operation, res.StatusCode)
		}
	}
}

func notObjects() []variant {
	var all []variant
	for _, text := range []string{
		"x", "[]", `[{"type":"movie","id":603}]`, `"s"`, "5", "null", "true", " \n", `{"type":"movie","id":603`,
		`{"type":"movie","id":603}}`, `{"type":"movie","id":603} {}`, `{"type":"movie","id":603}x`, `{"type":"movie","id":603,}`,
		"{\"type\":\"movie\",\"id\":603,\"x\":\"\xff\"}", "{\"type\":\"movie\",\"id\":603,\"\xc3\":1}", "\xef\xbb\xbf" + `{"type":"movie","id":603}`,
		`{'type':'movie','id':603}`, `{"type":"movie","id":0603}`, `{"type":"movie","id":NaN}`,
	} {
		all = append(all, onAll(text, 400, codeValidation, func(s *sent) *sent { s.body = text; return s })...)
	}
	return all
}

func lastCounted(t *testing.T, p *probe) {
	for _, v := range p.records(t).History {
		if v.ID != 603 {
			t.Errorf("the film %d was recorded, want 603", v.ID)
		}
	}
	viewings(2)(t, p)
}

func nulls() []variant {
	var all []variant
	for _, field := range []string{"id", "count", "watchedAt", "tmdbId", "tvShowId", "seasonNumber", "episodeNumber"} {
		rest := `,"id":603`
		if field == "id" {
			rest = `,"tvShowId":1396,"seasonNumber":1,"episodeNumber":2`
		}
		all = append(all, refused("history", field, fmt.Sprintf(`{"type":"episode","%s":null%s}`, field, rest),
			fmt.Sprintf(`{"type":"episode"%s,"%s":null}`, rest, field))[1:]...)
	}
	return slices.Concat(all, refused("history", "type", `{"type":null,"id":603}`),
		refused("watchlist", "priority", `{"type":"movie","id":603,"priority":null}`), refused("watchlist", "id", `{"type":"movie","id":null}`),
		refused("lists", "name", `{"name":null}`), refused("lists", "description", `{"name":"a","description":null}`),
		refused("lists", "visibility", `{"name":"a","visibility":null}`))
}

// sizes are bodies of exactly 64 KiB and one byte more, in both framings.
func sizes() []variant {
	pad := func(size int, chunked bool) func(*sent) *sent {
		return func(s *sent) *sent {
			s.body += strings.Repeat(" ", size-len(s.body))
			s.chunked = chunked
			return s
		}
	}
	wrongType := func(s *sent) *sent { return pad(maxBody+1, true)(s).with("content-type", "text/plain") }
	return slices.Concat(onAll("largest", 200, "", pad(maxBody, false)), onAll("largest chunked", 200, "", pad(maxBody, true)),
		onAll("larger", 413, codeValidation, pad(maxBody+1, false)), onAll("larger chunked", 413, codeValidation, pad(maxBody+1, true)),
		onAll("larger and of another type", 413, codeValidation, wrongType))
}

// tooLargeUnread sends no byte of a body that is told to be large, and not
// the end of one that grows too large.
func tooLargeUnread(t *testing.T, p *probe) {
	head := "POST /api/v1/history HTTP/1.1\r\nHost: h\r\nX-Api-Key: " + testSecret + "\r\nContent-Type: application/json\r\n"
	for note, text := range map[string]string{
		"told":  head + "Content-Length: 10000000\r\n\r\n",
		"grown": head + "Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat("1000\r\n"+strings.Repeat(" ", 0x1000)+"\r\n", 17),
	} {
		res, _, _ := p.raw(t, text)
		body, _ := io.ReadAll(res.Body)
		if res.StatusCode != 413 {
			t.Errorf("%s: answered %d", note, res.StatusCode)
		}
		checkError(t, reply{res.StatusCode, res.Header, body}, codeValidation, "")
	}
}

func continueOnlyWhenWanted(t *testing.T, p *probe) {
	ask := func(line, key string, length int) string {
		return fmt.Sprintf("%s HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nX-Api-Key: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", line, key, length)
	}
	for _, c := range []struct {
		line, key string
		length    int
		status    int
		code      string
	}{
		{"POST /api/v1/histories", testSecret, 60, 404, codeNotFound},
		{"PUT /api/v1/history", testSecret, 60, 405, codeMethod},
		{"POST /api/v1/history", "", 60, 401, codeUnauthorized},
		{"POST /api/v1/lists", "sk_other", 60, 401, codeUnauthorized},
		{"POST /api/v1/watchlist", testPublic, 60, 403, codeForbidden},
		{"POST /api/v1/history", testSecret, maxBody + 1, 413, codeValidation},
	} {
		res, _, _ := p.raw(t, ask(c.line, c.key, c.length))
		body, _ := io.ReadAll(res.Body)
		if res.StatusCode != c.status {
			t.Errorf("%s: the first answer is %d, want %d without 100 Continue", c.line, res.StatusCode, c.status)
			continue
		}
		checkError(t, reply{res.StatusCode, res.Header, body}, c.code, "")
		if !res.Close { // the body was not read, so nothing more can be
			t.Errorf("%s: the connection is kept", c.line)
		}
	}
	body := valid("history")
	res, conn, rest := p.raw(t, ask("POST /api/v1/history", testSecret, len(body)))
	if res.StatusCode != 100 {
		t.Fatalf("a right request: the first answer is %d, want 100", res.StatusCode)
	}
	io.WriteString(conn, body)
	if res, err := http.ReadResponse(rest, nil); err != nil || res.StatusCode != 200 {
		t.Errorf("a right request after 100: %v, %v", res, err)
	}
}

func otherMethods() []variant {
	var all []variant
	for _, method := range []string{"PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "GET"} {
		for _, v := range onAll(method, 405, codeMethod, func(s *sent) *sent { return s.as(method, s.path) }) {
			if method == "GET" && !strings.HasSuffix(v.send.path, "watchlist") || method == "DELETE" && strings.HasSuffix(v.send.path, "history") {
				continue // served beyond the contract
			}
			v.check = func(t *testing.T, _ *probe, r reply) {
				if allow := r.header.Get("Allow"); !strings.HasSuffix(allow, "POST") {
					t.Errorf("Allow is %q", allow)
				}
			}
			all = append(all, v)
		}
	}
	noKey := to("watchlist", "x").as("PUT", apiPrefix+"/watchlist").with("x-api-key")
	return append(all, variant{note: "without key", send: noKey, status: 405, code: codeMethod})
}

func onlyPostInContract(t *testing.T, p *probe) {
	for path, allow := range map[string]string{"/history": "DELETE, GET, POST", "/watchlist": "POST", "/lists": "GET, POST"} {
		if p.contractOnly {
			allow = "POST"
			if r := p.send(t, get(apiPrefix+path)); r.status != 405 {
				t.Errorf("GET %s: answered %d", path, r.status)
			}
		}
		if r := p.send(t, get(apiPrefix+path).as("PUT", apiPrefix+path)); r.header.Get("Allow") != allow {
			t.Errorf("PUT %s: Allow is %q, want %q", path, r.header.Get("Allow"), allow)
		}
	}
}

func otherPaths() []variant {
	var all []variant
	for _, path := range []string{
		"/api/v1/histories", "/api/v1/history/", "/api/v1//history", "//history", "//api/v1/history", "/api/v2/history",
		"/history", "/", "/api/v1", "/api/v1/", "/api/v1/./history", "/api/v1/x/../history", "/api/v1%2Fhistory", "/API/v1/history", "/api/v1/History", "/_sandbox",
	} {
		for _, key := range []string{testSecret, testPublic, "sk_other", ""} {
			all = append(all, variant{note: path, send: history(valid("history")).as("POST", path).with("x-api-key", key), status: 404, code: codeNotFound})
		}
		all = append(all, variant{note: "GET " + path, send: get(path), status: 404, code: codeNotFound})
	}
	return all
}
