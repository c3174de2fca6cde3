// Package extension is the browser extension: its source, and what packs it.
//
// It owns the folder source, which is loaded as it stands by Chromium and by
// Firefox (Manifest V3, ES modules, no build step, no dependencies), and
// [Pack], which makes the archive that each of the two is given.
//
// It promises that the same source makes the same bytes, whatever the
// machine, the clock and the file system, so that anybody can check what a
// store hands out against what stands here; and that an archive holds
// nothing but files of the source.
//
// It refuses to change code: only the manifest differs between the two. It
// refuses to sign, to upload, and to hold a private key.
//
// The checks of the JavaScript stand in the folder test, with dependencies of
// their own that are never shipped.
package extension
