package protocol

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzParse holds our reading against encoding/json's: what we take, it reads
// in the same way; what it does not take, we do not either.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		`{}`, `[]`, ` { "a" : [ 1 , -2.5e+3 , true , false , null , "x" ] } `, `"\u00e9\ud83d\ude00\ud800"`, `"\\"`, `0`, `{"a":{"a":{"a":1}},"b":""}`,
		`[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]`, `{"a":1,"a":2}`, `{"":1}`, `[1`, `1 2`, "\"\xff\"", `"`, ``, `{"a\"b":"\""}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := parse(text)
		theirs := json.NewDecoder(bytes.NewReader(text))
		theirs.UseNumber()
		var want any
		theirErr := theirs.Decode(&want)
		if err != nil {
			return // that we are stricter is looked at elsewhere
		}
		if theirErr != nil {
			t.Fatalf("%q was taken as %v; encoding/json says %v", text, got, theirErr)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q (-encoding/json +ours):\n%s", text, diff)
		}
	})
}
