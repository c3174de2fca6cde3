package rules

// The reasons for which an entry is held that come from the file it is kept in.
const (
	Damaged  = "damaged"  // what is stored is not what was written
	Restored = "restored" // the file is an older copy: it may have been sent since
)
