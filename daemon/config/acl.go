package config

import "strings"

// exposed reports whether a Windows access list lets in whole groups of people
// who are not this machine's administrators. The list is in Windows' own
// notation (the Windows security documentation, "Security Descriptor String
// Format"); rights are not weighed: who gets any is let in.
func exposed(sddl string) bool {
	_, list, found := strings.Cut(sddl, "D:")
	if !found || strings.HasPrefix(list, "NO_ACCESS_CONTROL") {
		return true // no list keeps nobody out
	}
	list, _, _ = strings.Cut(list, "S:")
	for entry := range strings.SplitSeq(list, "(") {
		entry, _, _ = strings.Cut(entry, ")")
		parts := strings.Split(entry, ";")
		if len(parts) < 6 || strings.Contains(parts[1], "IO") {
			continue // not an entry, or one for what is made below alone
		}
		if kind := parts[0]; (kind == "A" || kind == "OA" || kind == "XA") && crowd(parts[5]) {
			return true
		}
	}
	return false
}

// crowd reports whether an identifier stands for everybody, all users, the
// logged-in, the network, guests, or a domain's users.
func crowd(sid string) bool {
	switch sid {
	case "WD", "BU", "AU", "IU", "NU", "BG", "AN", "DU", "DG",
		"S-1-1-0", "S-1-5-32-545", "S-1-5-11", "S-1-5-4", "S-1-5-2", "S-1-5-32-546", "S-1-5-7":
		return true
	}
	return false
}
