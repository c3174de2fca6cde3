package rules

// NoList is why an item of a list is held whose list, or the service's id of
// it, is not known.
const NoList = "no_list"

// The reasons for which an entry is held that no rule gives, but an act of
// the user.
const (
	User     = "user"     // the user held it
	Imported = "imported" // it had not left where it was exported, and may leave from there
)
