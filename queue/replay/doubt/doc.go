// Package doubt decides what became of a viewing whose request may have
// arrived, from what the service showed when it was read back.
//
// It owns the rules: when a record is ours, when its absence is proof, how a
// service's way of keeping times is learned, and how long to wait before the
// next look. It promises to be pure, to call nothing delivered without a
// record at the viewing's own time, and nothing absent without two complete
// and equal readings in which a viewing that is known to be there was seen.
// Counts prove nothing: another device may have added. No time of the service
// is compared with this machine's clock.
//
// It refuses to read, to keep, and to guess: what cannot be proven stays.
package doubt
