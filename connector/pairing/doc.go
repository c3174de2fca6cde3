// Package pairing decides which clients of the connector are the user's own.
//
// It owns the one-time code and the tokens. A person asks for the code on the
// trusted side and types it into the extension. It has 8 characters and is good for
// 120 seconds, one at a time. It is closed to an Origin after 5 wrong tries of its
// own, and dead after 50 of all. Whoever knows it gets a token of 32 random bytes,
// bound to the Origin it paired from. Wrong tries are counted by Origin, so that a
// person can be told who made them.
//
// It promises that the token itself is kept nowhere: only its SHA-256 hash
// reaches the disk, through a [Keep]. A token is refused from any Origin but
// its own. A client that is revoked stays revoked, and whoever holds its
// [Registry.Revoked] channel learns of it at once. Codes and hashes are
// compared in constant time.
//
// It owns the knocks, too. A knock pairs a browser with two clicks and no code.
//
// It refuses to open sockets, to speak the protocol and to log.
//
// # Proof
//
// A program squatting on the port must learn no token. So a client may ask the
// daemon to prove itself first. It sends a nonce that it made up and its client id,
// and gets
//
//	proof = lower-case hexadecimal of HMAC-SHA256(key, nonce)
//	key   = SHA-256(token)
//
// where token and nonce are the bytes of their texts as they stand in the
// messages. The proof can be computed from the stored hash, and the hash is
// useless for logging in. It does not stop a program that can reach the real
// daemon at the same moment and passes the question on. Two programs cannot hold
// one port, so that needs the daemon to have moved to another.
//
// # Knocks
//
// A knock asks for a token without a code. The person compares two numbers, and
// says yes twice: on the trusted side, and in the extension.
//
//  1. The extension makes a nonce of 32 random bytes, and sends its SHA-256. That is its commitment.
//  2. The registry answers with a nonce of its own.
//  3. The extension reveals its nonce. Now both sides compute a number of 6 digits, which no message carries.
//  4. The person lets the knock in on the trusted side, and agrees in the extension.
//  5. The extension asks for the token, and gets it on the same socket, bound to its Origin.
//
// The number is made of both nonces and of the port:
//
//	HMAC-SHA256(the extension's nonce, the registry's nonce + ":" + port), its first 4 bytes modulo 1,000,000
//
// A knock is over after 120 seconds, and with its socket. One is open for each Origin,
// and 3 of all. An Origin may knock 10 times in an hour. One that a person has
// refused may not knock for an hour. All this is kept in memory alone. The code works
// meanwhile, too.
//
// Our own extension knocks without a click, too, so that a first run takes one click on
// each side. It does so while its options page is in front, and nothing is paired. It
// asks at the address that it keeps, every 5 seconds, and 60 times in a row. It knocks
// so at most 5 times in an hour. Once a person has knocked, cancelled, unpaired or
// refused, it waits for an hour. What it shows is the number alone: the person still says
// yes twice.
//
// What others could try, and what they get:
//
//   - A page of the web gets no socket, since its Origin is no extension's. It cannot open or frame the
//     options page either, so it cannot make our extension knock.
//   - Another extension has an Origin and a number of its own. Neither side can choose the number, since
//     each has bound itself before it knows the other's nonce. So it shows the person's number once in a
//     million times. The person sees a second knock, or a wrong number. If it opens our options page, our
//     extension knocks, and the person is asked a few times. The token goes to nobody else.
//   - A program on this machine can forge any Origin. It can knock, and it can keep the person's extension from
//     knocking. It cannot agree for the trusted side. A person who does not compare the number lets it in.
//     A knock without a click is no alarm, since our own extension knocks so, too: the number decides. It can then
//     report viewings, as it could with a code that was read to it; it can read none. A program that may read the
//     person's own files needs no knock: the control token is there.
//   - A program that has taken the daemon's port hears of an unpaired extension without a click. It learns the
//     browser's name, our version and a name for the list, as after a click. It cannot say yes for the
//     extension's person. What it sends counts only after the person's click there. The daemon's side shows no
//     knock, or another number. Even if it passes all on to a daemon on another port, the numbers differ, since
//     the port is part of them. A code would reach that program.
//
// The trusted side decides, because it was opened with what only the person's own
// account can read. An extension's click alone makes no token.
package pairing
