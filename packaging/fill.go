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
