package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

// bill is a list of what a program is made of, in the words of CycloneDX 1.6
// (https://cyclonedx.org/docs/1.6/json/).
type bill struct {
	Format       string       `json:"bomFormat"`
	Spec         string       `json:"specVersion"`
	Serial       string       `json:"serialNumber"`
	Version      int          `json:"version"`
	Metadata     billMetadata `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type billMetadata struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Type     string          `json:"type"`
	Ref      string          `json:"bom-ref"`
	Name     string          `json:"name"`
	Version  string          `json:"version"`
	Purl     string          `json:"purl"`
	Hashes   []componentHash `json:"hashes,omitempty"`
	Licences []licenceChoice `json:"licenses"`
}

type componentHash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type licenceChoice struct {
	Licence struct {
		ID string `json:"id"`
	} `json:"license"`
}

type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn,omitempty"`
}

func componentOf(kind, path, version, licence string) component {
	tag := version
	if kind == "application" {
		tag = "v" + version
	}
	c := component{Type: kind, Name: path, Version: version, Purl: "pkg:golang/" + path + "@" + tag}
	c.Ref = c.Purl
	c.Licences = make([]licenceChoice, 1)
	c.Licences[0].Licence.ID = licence
	return c
}

// billOf lists a program's parts. Its serial number is made from the program,
// so that the same program has the same list.
func billOf(version string, when time.Time, program []byte, modules []module) ([]byte, error) {
	sum := sha256.Sum256(program)
	whole := componentOf("application", "github.com/filmspool/filmspool", version, "MIT")
	whole.Hashes = []componentHash{{Algorithm: "SHA-256", Content: fmt.Sprintf("%x", sum)}}
	b := bill{
		Format: "CycloneDX", Spec: "1.6", Version: 1,
		Serial:   "urn:uuid:" + uuid(sum),
		Metadata: billMetadata{Timestamp: when.Format(time.RFC3339), Component: whole},
	}
	on := dependency{Ref: whole.Ref}
	for _, m := range modules {
		c := componentOf("library", m.Path, m.Version, m.licence)
		b.Components = append(b.Components, c)
		on.DependsOn = append(on.DependsOn, c.Ref)
		b.Dependencies = append(b.Dependencies, dependency{Ref: c.Ref})
	}
	b.Dependencies = append([]dependency{on}, b.Dependencies...)
	var out bytes.Buffer
	to := json.NewEncoder(&out)
	to.SetEscapeHTML(false)
	to.SetIndent("", "  ")
	err := to.Encode(b)
	return out.Bytes(), err
}

// uuid is a sum in the form of a UUID of version 8 (RFC 9562: its bits are the
// maker's own).
func uuid(sum [sha256.Size]byte) string {
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	text := fmt.Sprintf("%x", sum[:16])
	return strings.Join([]string{text[:8], text[8:12], text[12:16], text[16:20], text[20:]}, "-")
}

// writeBill puts the list of one program beside it.
func (r *release) writeBill(b build) error {
	program, err := os.ReadFile(b.path)
	if err != nil {
		return fmt.Errorf("read program: %w", err)
	}
	text, err := billOf(r.version, r.when, program, b.modules)
	if err != nil {
		return fmt.Errorf("list the parts of %s: %w", b.platform, err)
	}
	return r.write(r.fileName(b.platform, ".cdx.json"), text)
}
