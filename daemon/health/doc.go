// Package health tells what is wrong with an instance and what mends it. It has one
// table of problems, finds them in the status and in what the parts report, and writes
// them in a language. It also looks at the machine around an instance, and writes the
// report for somebody who helps.
package health
