package config

import "testing"

func TestExposed(t *testing.T) {
	const mine = "O:S-1-5-21-1-2-3-1001D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;S-1-5-21-1-2-3-1001)"
	for _, c := range []struct {
		name, sddl string
		want       bool
	}{
		{"a profile's folder", mine, false},
		{"with an audit list", mine + "S:(AU;SA;FA;;;WD)", false},
		{"a drive's root: users read", "D:AI(A;OICIID;FA;;;BA)(A;OICIID;0x1200a9;;;BU)", true},
		{"everybody, as Wine shows mode 644", "O:S-1-5-21-0-0-0-1000D:(A;;0x1f01ff;;;S-1-5-21-0-0-0-1000)(A;;FR;;;WD)", true},
		{"everybody is denied", "D:(D;;FA;;;WD)(A;;FA;;;SY)", false},
		{"for what is made below alone", "D:(A;OICIIO;GA;;;AU)(A;;FA;;;SY)", false},
		{"under a condition", `D:(XA;;FR;;;BU;(@User.x == "y"))`, true},
		{"written out", "D:(A;;FR;;;S-1-5-11)", true},
		{"an empty list lets nobody in", "D:P", false},
		{"no list", "O:BAG:BA", true},
		{"a null list", "D:NO_ACCESS_CONTROL", true},
		{"the service's own account", "D:(A;OICI;FA;;;S-1-5-80-1-2-3-4-5)", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := exposed(c.sddl); got != c.want {
				t.Errorf("exposed(%s) = %v", c.sddl, got)
			}
		})
	}
}
