// Package config contains the user's settings: the [Config] with its table of settings, the
// folders of Filmspool's files ([Paths]) and the secret keys ([Keys]). A configuration consists
// of two TOML files: settings.toml in the state folder, which the program writes, and
// config.toml, which the user writes and which takes precedence; the environment and flags
// override both. A configuration with errors is rejected as a whole, with all errors and their
// lines. A key comes from a systemd credential, else from a file with mode 0600, else from
// FILMSPOOL_KEY. It is stored with the origin for which it was checked, never sent to another
// one, and never printed.
package config
