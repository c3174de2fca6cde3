//go:build unix

package service

import (
	"strings"
	"testing"

	"github.com/filmspool/filmspool/packaging"
)

func TestCheckPlist(t *testing.T) {
	whole, err := plistText(packaging.LaunchdPlist, "/a & b/filmspool", []string{"run"}, "/log")
	if err != nil {
		t.Fatal(err)
	}
	if err := checkPlist(whole); err != nil {
		t.Errorf("ours: %v", err)
	}
	for name, text := range map[string]string{
		"nothing":             "",
		"cut":                 strings.TrimSuffix(whole, "</plist>\n"),
		"bare ampersand":      strings.Replace(whole, "&amp;", "&", 1),
		"an unknown element":  strings.ReplaceAll(whole, "<true/>", "<yes/>"),
		"another document":    "<html></html>",
		"no value":            "<plist></plist>",
		"two values":          "<plist><dict></dict><dict></dict></plist>",
		"a key without value": "<plist><dict><key>a</key></dict></plist>",
		"two keys":            "<plist><dict><key>a</key><key>b</key></dict></plist>",
		"a value without key": "<plist><dict><string>a</string></dict></plist>",
		"a key in a list":     "<plist><array><key>a</key></array></plist>",
		"a list in a string":  "<plist><string><array></array></string></plist>",
	} {
		if err := checkPlist(text); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}
