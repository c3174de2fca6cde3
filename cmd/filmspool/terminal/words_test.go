package terminal

import "testing"

func TestNumbersAreGrouped(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 100_000: "100,000", 1_234_567: "1,234,567"} {
		if got := grouped(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
	if got := Counted(1, "line") + ", " + Counted(2000, "entr"); got != "1 line, 2,000 entries" {
		t.Error(got)
	}
}
