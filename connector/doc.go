// Package connector takes what browsers and other programs report. Browser extensions hold a
// websocket open at /v1/connector, programs post to /v1/viewings, media servers and players
// call /v1/hook, and /v1/health says who answers here.
//
// An event is acknowledged only after [Sink.Commit] has returned without an error. What could
// not be committed is answered by an error or not at all. Events that were read are committed
// even if the socket is gone by then, and nothing of a client is once it is revoked.
//
// [Options.Allow] and [Options.Program] decide who may talk here at all; others get 403. A
// token says which client it is. A browser's token posts nothing, and a program's opens no
// socket. Media servers cannot all set headers, so a hook takes the token as the password of
// Basic or as the last part of the path, too; no request's address is logged.
//
// A session is two goroutines: one reads messages and answers them, the other commits events
// and answers those, and pushes the status. Reading waits while a client sends more than its
// rate, or has too many events without an answer, so memory is bounded for each socket. The
// number of sockets is bounded, too: an unpaired one makes room for the next, so that a paired
// client always gets in.
package connector
