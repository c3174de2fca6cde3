package tracker

import (
	"bytes"
	_ "embed"
)

//go:embed openapi.yaml
var openAPI []byte

// OpenAPI is the contract as an OpenAPI 3.0 document in YAML. What the
// contract does not say is marked x-unknown. The copy is the caller's.
func OpenAPI() []byte { return bytes.Clone(openAPI) }
