package conformance

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// A word that a script has wrong is named, with those that there are.
func TestCheckWant(t *testing.T) {
	for section, fault := range map[string]string{
		"kind: document\nerror: missing 550 no such file\nnote: x\n": "",
		"error: mising 550":     `unknown class of error "mising": there are blocked, busy, changed,`,
		"error:":                `unknown class of error ""`,
		"kind: document\nsise:": `unknown key "sise": there are confirmed, error, etag,`,
	} {
		err := checkWant(section)
		if fault == "" && err != nil || fault != "" && (err == nil || !strings.Contains(err.Error(), fault)) {
			t.Errorf("%q: %v, want %q", section, err, fault)
		}
	}
}

// The documentation has every class.
func TestClassesDocumented(t *testing.T) {
	text, err := os.ReadFile("scripts.go")
	if err != nil {
		t.Fatal(err)
	}
	for class := range classes {
		if !regexp.MustCompile(`(?m)^//.*\s` + class + ` +(fetchers|fs|io|errors|url)\.`).Match(text) {
			t.Errorf("the class %s is not in the documentation of Scripts", class)
		}
	}
}
