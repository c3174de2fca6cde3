//go:build long

package main

// Sizes of the long run.
const (
	killsEach   = 100       // kills per step in TestKills
	manyWaiting = 1_000_000 // entries in BenchmarkManyWaiting
)
