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
package pairing
