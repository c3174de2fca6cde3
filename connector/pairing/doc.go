// Package pairing decides which clients of the connector are the user's own.
//
// A person asks for a one-time code on the page or in a terminal and types it into the
// extension, which gets a token of 32 random bytes, bound to the Origin it paired from. A
// code has 8 characters and is good for ten minutes, one at a time. It is closed to an Origin
// after 5 wrong tries of its own, and dead after 50 of all. Programs get their token without a
// code and have no Origin. Only the SHA-256 hash of a token is kept. Codes and hashes are
// compared in constant time.
//
// # Proof
//
// A program that has taken our port must learn no token. So a client may ask the daemon to
// prove itself first. It sends a nonce that it made up and its client id, and gets
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
