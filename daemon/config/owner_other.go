//go:build !unix && !windows

package config

import "io/fs"

// ours is always true: this system knows no owners.
func ours(string, fs.FileInfo) bool { return true }

// private is always true, for the same reason.
func private(string, fs.FileInfo) bool { return true }

// shield does nothing, for the same reason.
func shield(string) error { return nil }

// howToShield tells how to make a file private.
func howToShield(string) string { return "" }
