//go:build !linux

package watch

// deafness says why changes in a folder may come without an event, or "". A
// tree would need a handle for each folder or file here, which are few.
func deafness(string) string { return "listening to a whole tree costs too much on this system" }

// far says why changes of others send no event, or "": here only a change
// shows it that no event told of.
func far(string) string { return "" }
