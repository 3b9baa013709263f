package main

import (
	"testing"
	"testing/fstest"
)

// TestSurvey counts prose, and neither code nor the speech of servers.
func TestSurvey(t *testing.T) {
	tree := fstest.MapFS{
		"a/a.go": {Data: []byte("package a\n\n// What is left, nobody reads.\n// It ends.\n//\n//\twhat := code\n//\n//go:generate what\nvar what = \"what\" // the rest\n")},
		"b.md":   {Data: []byte("# Pages\n\nWho asks?\n\n| what | a page |\n\n```\nwhat\n```\n`what` [page](what.md).\n")},

		"a/testdata/x.go": {Data: []byte("// What\npackage x\n")},
		"a/a.txt":         {Data: []byte("What")},
	}
	got, err := survey(tree)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]count{
		"a": {words: 9, what: 1, nobody: 1, sentences: 3, relative: 1},
		".": {words: 8, what: 1, sentences: 5, relative: 1},
	}
	for dir := range want {
		if got[dir] != want[dir] {
			t.Errorf("%s: %+v, want %+v", dir, got[dir], want[dir])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%v", got)
	}
}
