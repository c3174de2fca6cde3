// Package protocol is the language between the connector and its clients, version 1: JSON
// objects in websocket text frames, each with a "type". README.md is the contract for
// authors of other clients, and testdata has examples of each message, good and bad, which
// the tests in Go and in JavaScript both read.
//
// [Decode] gives a message that is valid, or the refusal to send. Fields that are not known
// are ignored, so a newer client can talk to an older daemon. Text that is not UTF-8 is
// BAD_JSON. null, 0 and "" stand for "not known".
package protocol
