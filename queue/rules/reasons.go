package rules

// The reasons for which an entry is held that no rule gives, but an act of
// the user.
const (
	User     = "user"     // the user held it
	Imported = "imported" // it had not left where it was exported, and may leave from there
)
