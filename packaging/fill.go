package packaging

import "strings"

// Fill replaces placeholders in one of the texts: pairs are a placeholder and
// what comes in its place, already quoted as the text needs it. Comments stay
// as they are, since they explain the placeholders by name.
func Fill(text string, pairs ...string) string {
	replace := strings.NewReplacer(pairs...)
	var out strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") {
			line = replace.Replace(line)
		}
		out.WriteString(line)
	}
	return out.String()
}

// needsNamespace marks the paragraph of [UserUnit] whose lines need a user
// namespace, which some systems refuse.
const needsNamespace = "\nPrivateUsers=yes\n"

// Walls are the directives of [UserUnit] that need a user namespace, so that it
// can be tried whether they work; those that name a folder are not among them.
func Walls() []string {
	var walls []string
	for paragraph := range strings.SplitSeq(UserUnit, "\n\n") {
		if !strings.Contains(paragraph, needsNamespace) {
			continue
		}
		for line := range strings.SplitSeq(paragraph, "\n") {
			if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "BindPaths=") {
				walls = append(walls, line)
			}
		}
	}
	return walls
}

// WithoutWalls is [UserUnit] where no user namespace is to be had.
func WithoutWalls() string {
	var kept []string
	for paragraph := range strings.SplitSeq(UserUnit, "\n\n") {
		if !strings.Contains(paragraph, needsNamespace) {
			kept = append(kept, paragraph)
		}
	}
	return strings.Join(kept, "\n\n")
}
