// Package chain asks others than the service what things are, one after the other.
//
// It owns their order, what each of them is asked, and what their answers mean
// together. It owns how long one in trouble is left alone. Package identity decides.
//
// The first is asked about everything. The next is asked about what is not certain
// by then, and so on. A question that only a later one can answer stays open until
// then. The answers of each are remembered separately.
//
//	an earlier one names    a later one names    the answer
//	one work                one work, the same   that work
//	one work                another, or more     all of them: not certain
//	one work                nothing              that work
//	several, or nothing     something            what the later one names
//	several                 nothing              all of them: not certain
package chain
