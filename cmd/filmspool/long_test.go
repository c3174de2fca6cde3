//go:build long

package main

// Sizes of the long run.
const (
	killsEach   = 100       // of each way in TestKills
	manyWaiting = 1_000_000 // entries in BenchmarkManyWaiting
)
