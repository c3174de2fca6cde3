package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// wikidata runs "wikidata FILE": a server that answers like Wikidata's query service, with its
// address in the variable wikidata. Each line of the file is a row: the requested number, the
// item, the property and the value. It does not parse the query but returns the rows of each
// number in it. It writes the queries to wikidata.log. The formats are those of SPARQL 1.1.
func wikidata(ts *testscript.TestScript, _ bool, args []string) {
	type term map[string]string
	var rows [][]string
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		rows = append(rows, strings.SplitN(strings.TrimSpace(line), " ", 4))
	}
	log := ts.MkAbs("wikidata.log")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.PostFormValue("query")
		if f, err := os.OpenFile(log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600); err == nil {
			f.WriteString(query + "\n")
			f.Close()
		}
		found := []map[string]term{}
		for _, row := range rows {
			if strings.Contains(query, `"`+row[0]+`"`) {
				found = append(found, map[string]term{
					"id": {"type": "literal", "value": row[0]}, "item": {"type": "uri", "value": "http://www.wikidata.org/entity/" + row[1]},
					"what": {"type": "literal", "value": row[2]}, "value": {"type": "literal", "value": row[3]},
				})
			}
		}
		w.Header().Set("Content-Type", "application/sparql-results+json;charset=utf-8")
		json.NewEncoder(w).Encode(map[string]any{"head": map[string]any{"vars": []string{}}, "results": map[string]any{"bindings": found}})
	}))
	ts.Defer(server.Close)
	ts.Setenv("wikidata", server.URL)
}
