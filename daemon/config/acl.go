package config

import (
	"regexp"
	"strings"
)

// crowd is an entry of a Windows access list that lets in everybody, all users, the logged-in,
// the network, guests, or a domain's users. The list is in Windows' own notation (the Windows
// security documentation, "Security Descriptor String Format"). An entry with the flag IO is
// for what is made below alone.
var crowd = regexp.MustCompile(`\((A|OA|XA);(OI|CI|NP|ID)*;[^;)]*;[^;)]*;[^;)]*;` +
	`(WD|BU|AU|IU|NU|BG|AN|DU|DG|S-1-1-0|S-1-5-32-545|S-1-5-11|S-1-5-4|S-1-5-2|S-1-5-32-546|S-1-5-7)[;)]`)

// exposed reports whether a Windows security descriptor lets in whole groups of people who are
// not this machine's administrators. Rights are not weighed: who gets any is let in. Without an
// access list everybody is.
func exposed(sddl string) bool {
	return !strings.Contains(sddl, "D:") || strings.Contains(sddl, "D:NO_ACCESS_CONTROL") || crowd.MatchString(sddl)
}
