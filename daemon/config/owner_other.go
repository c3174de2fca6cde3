//go:build !unix

package config

import "io/fs"

// ours is always true: the folder lies in the user's own profile, whose
// access lists keep others out.
func ours(fs.FileInfo) bool { return true }

// private is always true, for the same reason.
func private(fs.FileInfo) bool { return true }
