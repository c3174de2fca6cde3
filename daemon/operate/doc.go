/*
Package operate does to the queue what a person asks for. It lists, adds, edits,
drops, pauses, exports, backs up and takes back, in the words of the control API.

It promises that a refusal says what is wrong and what to type. It promises that
nothing is taken back at a service where another viewing could go along. It
refuses to say how accounts stand, and to send.
*/
package operate
