package schema

import _ "embed"

//go:embed outbox.sql
var outbox string

// Scripts are the steps from an empty file to the present schema: the n-th brings a
// database to version n.
func Scripts() []string { return []string{outbox} }
