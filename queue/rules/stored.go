package rules

// The reasons for which an entry is held that come from the file it is kept in.
const (
	Damaged  = "damaged"  // what is stored is not what was written
	Restored = "restored" // the file is an older copy: it may have been sent since
)

// SeenTwice is why an entry is merged with another one of this queue.
const SeenTwice = "another source saw the same playback"
