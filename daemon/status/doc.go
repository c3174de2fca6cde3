// Package status is the daemon's local face: the control API under
// /v1/control/ ([Handler]), its client for the command line ([Client]), and
// the words both use.
//
// It promises stable field names in lowerCamelCase and times as RFC 3339 in
// UTC, and that every fault carries a code, a sentence and, where one helps, a
// command to type.
//
// It refuses to decide anything: what is true is said by the [Control] it is
// given, and who may ask is decided by package guard in front of it.
package status
