// Package config is what the user sets: the [Config] with its table of settings, the folders
// where Filmspool keeps its files ([Paths]), and the secret keys ([Keys]). Two TOML files make
// a configuration: settings.toml in the state folder, which the program writes, and
// config.toml, which the person writes and which wins; the environment and flags win over
// both. One with a fault is refused whole, with every fault and its line. A key comes from a
// systemd credential, else from a file of mode 0600, else from FILMSPOOL_KEY. It is kept with
// the origin that it was proven for, is never sent to another, and is printed nowhere.
package config
