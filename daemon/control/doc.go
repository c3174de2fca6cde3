// Package control is the control API of an instance: the calls ([API]), the server on a local
// socket ([Listen], [Handler]) and the client ([Dial]). Everyone who may open the socket may call
// everything. JSON field names are stable and in lowerCamelCase; times are RFC 3339 in UTC; every
// error is a [Fault].
//
//	curl --unix-socket ~/.local/state/filmspool/control.sock http://filmspool/v1/status
package control
