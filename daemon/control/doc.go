// Package control is the control API of one instance.
//
// [API] holds the questions. One table of routes gives each its place below
// /v1/control/. [Handler] and [Client] are made of that table. The words are
// the queue's own types, and the ones that stand here.
//
// It promises stable field names in lowerCamelCase, and times as RFC 3339 in
// UTC. Every fault carries a code and a sentence. Where one helps, it carries a
// command to type.
//
// It says in one sentence how a [Status] stands, and why an entry stands where it
// does. So all who show it use the same words.
//
// It refuses to find out anything. The [API] that it is given says what is true.
// Package guard, in front of it, says who may ask.
package control
