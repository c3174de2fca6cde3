// Package kodi is Filmspool as an add-on of Kodi on LibreELEC and CoreELEC,
// where no other program can be installed.
//
// It owns the folder addon, which is the add-on without the program. It owns
// [Pack], which makes the archive that Kodi installs. Package packaging/release
// builds the program for every [Architecture] and packs it.
//
// It promises that the same program makes the same bytes, whatever the
// machine, the clock and the file modes. An archive has what Kodi wants: one
// folder, named like the add-on, and nothing that Kodi's reader of archives does
// not know. The add-on keeps everything in
// /storage/.kodi/userdata/addon_data/service.filmspool.
//
// It refuses to touch a Kodi, and other systems than those two: elsewhere Kodi
// starts no units, and default.py says so.
//
// # How it runs
//
// The Kodi of these systems drives the unit system.d/service.filmspool.service.
// It enables and starts it when the add-on is enabled. After an installation or an
// update it stops, disables, enables and starts it. Before the add-on is disabled
// or removed it stops and disables it. (Seen in LibreELEC's sources of August 2026:
// packages/mediacenter/kodi/scripts/service-addon-wrapper.) It waits for each
// of these, in the thread that draws.
//
// The unit and whoever types "filmspool" in a shell run bin/filmspool, which
// sets the places and starts program/filmspool. Kodi unpacks an archive
// without the permission to execute: the unit needs none, and the script
// mends it for the program and itself.
//
// An update puts a new folder in the place of the old one while the old
// program runs on. What it has taken is on disk, so its end loses nothing.
package kodi
