// Package config owns what the user sets: one [Config], the folders where Filmspool
// keeps its files ([Paths]), and the secret keys ([Keys]).
//
// It promises that a configuration with a fault is refused whole, with every fault
// named at once, in the order of the file. Unknown settings are shown with their line.
// A key is printed nowhere: [Secret] shows itself only to whoever asks for it by name.
//
// It refuses to look beyond the local machine: whether a key is good is for the
// service to say.
//
// # Settings
//
// Defaults, the TOML file, the environment and flags make the configuration, each
// stronger than the one before. "filmspool config example" prints every setting with
// its default. Without an account or a key the daemon starts, queues, and says what
// is missing.
//
// base_url must end in /api/v1; a slash behind it is dropped. It must be https, loopback
// excepted. A route names a source or a kind of source, and accounts that exist.
//
// # Files
//
// State is in $STATE_DIRECTORY, else in the system's place for a person. Its folder is
// refused when it belongs to another person or is open to others.
//
// The secret key comes from a systemd credential, else from a file of mode 0600, else
// from FILMSPOOL_KEY. It never stands in the configuration, an argument, a log, an
// error or a URL. It is kept with the origin (scheme, host, port) that it was proven
// for; another address pauses the account until the next login. A key that begins
// with pk_ is refused, since it may only read, and so is one without sk_.
package config
