// Package playlist reads the playlists that a Kodi keeps: userdata/playlists/video.
//
// It owns the form of M3U files, and the search for their lines among the files
// of a library. A line may be relative to the playlist, with other slashes, in
// another case, or an address with a password.
//
// It promises bounded work, whatever the files hold, to keep the order of a
// playlist, and to name what it leaves out.
//
// It refuses to evaluate smart playlists (.xsp): they are rules, whose meaning
// is Kodi's; they are only named. It does not take titles in a playlist as
// evidence, and follows no address.
package playlist
