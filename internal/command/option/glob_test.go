package option

import (
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/record"
)

// Globs count as the URLs that they stand for, if --glob is given.
func TestSeveral(t *testing.T) {
	for args, want := range map[string]bool{
		"http://h/[1-2]":             false,
		"--glob http://h/[1-2]":      true,
		"--glob http://h/{a}":        false,
		"--glob -g http://h/[1-2]":   false,
		"http://h/a http://h/b":      true,
		"--glob=false -i l http://h": true,
	} {
		o, err := parse("get", strings.Fields(args)...)
		if err != nil {
			t.Fatal(err)
		}
		_, urls, _ := strings.Cut(args, "http")
		if got := o.Several(strings.Fields("http" + urls)); got != want {
			t.Errorf("%s: %v, want %v", args, got, want)
		}
	}
	if _, err := parse("get", "--glob", "-C", "5", "-o", "-", "http://h/[1-2]"); err == nil || err.Error() != "-C goes with one URL" {
		t.Errorf("-C 5: %v", err)
	}
}

// The first URL is known, for cookies, also if it is one of many.
func TestFirst(t *testing.T) {
	o, err := parse("get", "--glob", "http://{a,b}/[05-10]", "http://c/")
	if err != nil || o.Input.First != "http://a/05" {
		t.Errorf("%v, %v", o.Input.First, err)
	}
}

// A glob that makes no sense is a malformed URL, whose column is told in characters and whose
// password is not told.
func TestGlobFault(t *testing.T) {
	_, err := parse("parse", "--glob", "http://u:s3cret@h/é{a")
	if want := "--glob: http://u:***@h/é{a: column 20: the brace is not closed"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if class, exit := record.Classify(err); class != record.ClassMalformedURL || exit != record.ExitMalformedURL {
		t.Errorf("%v: %s, %d", err, class, exit)
	}
}
