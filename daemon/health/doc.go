/*
Package health says how things stand: what is wrong, why that matters, and what
mends it.

It owns one table of problems (table.go). A row has a code, a severity, what hides
it, how long it must last, and what mends it. Its texts stand in the catalogue, as
problem.CODE.text, .why and .act. The package also owns the one sentence of the status
(summary.go).

It promises to be pure: facts go in, problems come out, and it asks no clock, no
disk and no network. A problem is over as soon as its condition is. A problem that
another one causes is told with that cause, and short lists leave it out. Every
problem names something that a person can do.

It refuses to find facts. Parts of the program tell of themselves by a
[control.Trouble] with a code. The daemon gathers these, and checks what costs time
only for the doctor.
*/
package health
