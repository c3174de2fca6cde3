package typed

import "strings"

// Nearest is the known word that value may have meant: one in which at most two letters
// are to be put in, taken out or changed. "" is none.
func Nearest(value string, known []string) string {
	best, least := "", 3
	for _, word := range known {
		if d := distance(strings.ToLower(value), word); d < least {
			best, least = word, d
		}
	}
	return best
}

// distance is the least number of letters to put in, take out or change.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range min(len(a), 40) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
