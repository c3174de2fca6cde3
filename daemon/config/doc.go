// Package config owns what the user sets: one [Config] from defaults, a TOML
// file, the environment and flags, each stronger than the one before; the
// folders where Filmspool keeps its files ([Paths]); and the secret keys
// ([Keys]).
//
// It promises that a configuration with a fault is refused whole, with every
// fault named at once and unknown keys shown with their line; and that a key
// is printed nowhere: [Secret] shows itself only to who asks for it by name.
//
// It refuses to look beyond the local machine: whether a key is good is for
// the service to say. It imports nothing of ours.
package config
