//go:build !long

package main

const (
	killsEach   = 2
	manyWaiting = 20_000
)
