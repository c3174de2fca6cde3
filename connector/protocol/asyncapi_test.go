package protocol_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oasdiff/yaml"
)

// document is asyncapi.yaml as values of encoding/json.
func document(t *testing.T) map[string]any {
	t.Helper()
	text, err := os.ReadFile("asyncapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	asJSON, err := yaml.YAMLToJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(asJSON, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// references are all values of $ref below value.
func references(value any) (found []string) {
	switch value := value.(type) {
	case map[string]any:
		for name, field := range value {
			if ref, ok := field.(string); ok && name == "$ref" {
				found = append(found, ref)
			}
			found = append(found, references(field)...)
		}
	case []any:
		for _, element := range value {
			found = append(found, references(element)...)
		}
	}
	return found
}

// resolve follows a reference, and those it leads to, to what is meant.
func resolve(doc map[string]any, ref string) (any, error) {
	if file, ok := strings.CutPrefix(ref, "./"); ok {
		text, err := os.ReadFile(filepath.FromSlash(file))
		if err != nil {
			return nil, err
		}
		var schema map[string]any
		return schema, json.Unmarshal(text, &schema)
	}
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil, fmt.Errorf("%s points nowhere", ref)
	}
	var at any = doc
	for _, name := range strings.Split(path, "/") {
		fields, ok := at.(map[string]any)
		if !ok || fields[name] == nil {
			return nil, fmt.Errorf("%s: there is no %s", ref, name)
		}
		at = fields[name]
		if inner, ok := at.(map[string]any); ok {
			if next, ok := inner["$ref"].(string); ok {
				resolved, err := resolve(doc, next)
				if err != nil {
					return nil, err
				}
				at = resolved
			}
		}
	}
	return at, nil
}

func field(value any, names ...string) any {
	for _, name := range names {
		fields, _ := value.(map[string]any)
		value = fields[name]
	}
	return value
}

func TestAsyncAPIReferencesResolve(t *testing.T) {
	doc := document(t)
	refs := references(doc)
	if len(refs) < 50 {
		t.Errorf("only %d references", len(refs))
	}
	for _, ref := range refs {
		if _, err := resolve(doc, ref); err != nil {
			t.Error(err)
		}
	}
	if got := field(doc, "asyncapi"); got != "3.0.0" {
		t.Errorf("asyncapi %v", got)
	}
	if got := field(doc, "channels", "connector", "address"); got != "/v1/connector" {
		t.Errorf("address %v", got)
	}
}

// Every message that a schema tells of is in the channel, under its own name,
// and some operation sends or receives it; no operation speaks of another.
func TestAsyncAPIKnowsEveryMessage(t *testing.T) {
	doc := document(t)
	var used []string
	operations, _ := field(doc, "operations").(map[string]any)
	for name, operation := range operations {
		if action := field(operation, "action"); action != "send" && action != "receive" {
			t.Errorf("%s: action %v", name, action)
		}
		used = append(used, references(field(operation, "messages"))...)
		used = append(used, references(field(operation, "reply"))...)
	}
	messages, _ := field(doc, "channels", "connector", "messages").(map[string]any)
	told := map[string]bool{}
	for name := range messages {
		ref := "#/channels/connector/messages/" + name
		if !slices.Contains(used, ref) {
			t.Errorf("no operation has %s", name)
		}
		message, err := resolve(doc, ref)
		if err != nil {
			t.Fatal(err)
		}
		from, _ := field(message, "payload", "schema", "$ref").(string)
		schema, err := resolve(doc, from)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if field(schema, "properties", "type", "const") != field(message, "name") {
			t.Errorf("%s is called %v and has the schema of %v", name, field(message, "name"), field(schema, "title"))
		}
		told[filepath.Base(from)] = true
	}
	for _, union := range []string{"from-client", "from-daemon"} {
		schema, err := resolve(doc, "./schema/"+union+".schema.json")
		if err != nil {
			t.Fatal(err)
		}
		for _, ref := range references(schema) {
			if !told[ref] {
				t.Errorf("%s has %s, the channel does not", union, ref)
			}
			delete(told, ref)
		}
		told["ping.schema.json"], told["pong.schema.json"] = true, true // both sides say these
	}
	delete(told, "ping.schema.json")
	delete(told, "pong.schema.json")
	if len(told) > 0 {
		t.Errorf("nobody says %v", told)
	}
}
