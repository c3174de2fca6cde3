// Package protocol is the language between the connector and its clients, version 1: JSON
// objects in websocket text frames, each with a "type". README.md is the contract for
// authors of other clients, and testdata has examples of each message, good and bad, which
// the tests in Go and in JavaScript both read.
//
// [Decode] gives a message that is valid, or the refusal to send. Fields that are not known
// are ignored, so a newer client can talk to an older daemon. Nothing can be read in two
// ways: a key that stands twice in one object, in whatever case, is BAD_JSON, and so are
// text that is not UTF-8 and nesting beyond 16 levels. null, 0 and "" stand for "not known".
package protocol
