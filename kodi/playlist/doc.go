// Package playlist reads the playlists that a Kodi keeps: userdata/playlists/video.
//
// It owns the form of M3U files, and what it takes to find one of their lines
// among the files of a library: paths relative to the playlist, slashes of the
// other kind, case, passwords in addresses.
//
// It promises bounded work, whatever the files hold, to keep the order of a
// playlist, and to name what it leaves out.
//
// It refuses to evaluate smart playlists (.xsp): they are rules, whose meaning
// is Kodi's; they are only named. It takes titles in a playlist for no
// evidence of anything, and follows no address.
package playlist
