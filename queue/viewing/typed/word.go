package typed

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/filmspool/filmspool/queue/viewing"
)

// In reads what was typed after a flag, such as "--show": errors name the flag.
// An empty flag stands for an argument.
func In[T any](flag string, parse func(string) (T, error), text string) (T, error) {
	value, err := parse(text)
	var problem *Error
	if flag != "" && errors.As(err, &problem) {
		err = &Error{Problem: flag + ": " + problem.Problem, Next: problem.Next}
	}
	return value, err
}

// OneOf refuses a flag's value that is none of those it may have. An empty one
// was not given.
func OneOf(flag, value string, known []string) error {
	if value == "" || slices.Contains(known, value) {
		return nil
	}
	next := ""
	if near := Nearest(value, known); near != "" {
		next = "did you mean: --" + flag + " " + near
	}
	return &Error{Problem: fmt.Sprintf("--%s %q is not one of %s", flag, value, strings.Join(known, ", ")), Next: next}
}

// Nearest is the known word that value may have meant; "" when none comes near.
func Nearest(value string, known []string) string {
	value = strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(value))
	same := map[string]string{
		"film": string(viewing.KindViewing), "movie": string(viewing.KindViewing), "episode": string(viewing.KindViewing),
		"doubt": string(viewing.StateInDoubt), "indoubt": string(viewing.StateInDoubt),
		"waiting": string(viewing.StatePending), "queued": string(viewing.StatePending),
		"sent": string(viewing.StateDelivered), "done": string(viewing.StateDelivered),
		"failed": string(viewing.StateRejected), "refused": string(viewing.StateRejected),
	}[value]
	if slices.Contains(known, same) {
		return same
	}
	best, least := "", 3
	for _, word := range known {
		if d := distance(value, word); d < least {
			best, least = word, d
		}
	}
	return best
}

// distance is how many letters differ between two words: the least number to
// put in, take out or change.
func distance(a, b string) int {
	if len(a) > 40 {
		return len(a) // such a word is none of ours
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
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
