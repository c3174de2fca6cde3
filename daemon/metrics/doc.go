// Package metrics shows how an instance stands in the text format of Prometheus.
//
// It owns the names, the labels and the help of every figure: [Reading] lists them.
// A figure is read when it is asked for. So nothing runs while nobody asks.
//
// It promises that no title, no address and no path is shown. A label is one of few
// words, or the name of an account as the configuration has it. Entries of an account
// that the configuration no longer has keep its name.
//
// It refuses to decide who may ask, and to know where the figures come from. Counters
// begin at 0 with each start. Figures of the Go runtime are not shown.
package metrics
