// Package control is the control API of one instance: its questions ([API]), how a running
// daemon answers them over a local socket ([Listen], [Handler]), and how a command line asks
// ([Dial]). Whoever may open the socket's file may ask everything. Names of fields are
// stable, in lowerCamelCase; times are RFC 3339 in UTC; every error is a [Fault].
//
//	curl --unix-socket ~/.local/state/filmspool/control.sock http://filmspool/v1/status
package control
