package config

import (
	"regexp"
	"strings"
)

// groupEntry matches an entry of a Windows access list that grants access to everyone, all users,
// the logged-in, the network, guests or a domain's users, in the notation of the Windows
// documentation, "Security Descriptor String Format". Entries with the flag IO are excluded: they
// apply to new files below only.
var groupEntry = regexp.MustCompile(`\((A|OA|XA);(OI|CI|NP|ID)*;[^;)]*;[^;)]*;[^;)]*;` +
	`(WD|BU|AU|IU|NU|BG|AN|DU|DG|S-1-1-0|S-1-5-32-545|S-1-5-11|S-1-5-4|S-1-5-2|S-1-5-32-546|S-1-5-7)[;)]`)

// exposed reports whether a Windows security descriptor grants any access to a whole group of
// non-administrators. A descriptor without an access list grants it to everyone.
func exposed(sddl string) bool {
	return !strings.Contains(sddl, "D:") || strings.Contains(sddl, "D:NO_ACCESS_CONTROL") || groupEntry.MatchString(sddl)
}
