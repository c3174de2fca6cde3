//go:build !unix && !windows

package config

import (
	"io/fs"
	"os"
)

// ours is always true: this system knows no owners.
func ours(string, fs.FileInfo) bool { return true }

// private is always true, for the same reason.
func private(string, fs.FileInfo) bool { return true }

// shield does nothing, for the same reason.
func shield(string) error { return nil }

// howToShield tells how to make a file private.
func howToShield(string) string { return "" }

// entrusted is always true: this system knows no owners.
func entrusted(string, fs.FileInfo) bool { return true }

// ofFolder is always true, for the same reason.
func ofFolder(string, fs.FileInfo) bool { return true }

// changeable is always false: this system knows no modes.
func changeable(fs.FileInfo) bool { return false }

// readable is always false, for the same reason.
func readable(fs.FileInfo, bool) bool { return false }

// handOver does nothing: this system knows no owners.
func handOver(*os.File, fs.FileInfo) error { return nil }
