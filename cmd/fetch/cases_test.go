package main

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/record"
)

// scripts returns the scripts of the command, by name.
func scripts(t *testing.T) map[string]string {
	t.Helper()
	names, err := filepath.Glob("../../testdata/script/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	all := make(map[string]string)
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(name), ".txt")] = string(text)
	}
	return all
}

// Every exit status is in a script, except for the status of an interrupted run, and the status of
// a process that a URL has killed, which only a cluster records.
func TestExitStatusesHaveCases(t *testing.T) {
	shown := make(map[int][]string)
	for name, text := range scripts(t) {
		for _, m := range regexp.MustCompile(`(?m)^(?:\[.*\] )?(?:exec|exits (\d+)) fetch\b`).FindAllStringSubmatch(text, -1) {
			status, _ := strconv.Atoi(m[1]) // exec is 0
			shown[status] = append(shown[status], name)
		}
	}
	for _, e := range record.ExitCodes() {
		t.Logf("%3d %q", e.Code, slices.Compact(shown[e.Code]))
		if len(shown[e.Code]) == 0 && e.Code != record.ExitInterrupted && e.Code != record.ExitCrash {
			t.Errorf("no script ends with %d", e.Code)
		}
	}
}

// Each class in the scripts is a class of the record, and each class but crash is in a script: only
// a cluster records crash.
func TestClassesHaveCases(t *testing.T) {
	shown := make(map[record.Class]bool)
	for _, text := range scripts(t) {
		for _, m := range regexp.MustCompile(`"class":"([a-z-]+)"`).FindAllStringSubmatch(text, -1) {
			shown[record.Class(m[1])] = true
		}
	}
	want := slices.Sorted(slices.Values(record.Classes()))
	want = slices.DeleteFunc(want, func(c record.Class) bool { return c == record.ClassCrash })
	if got := slices.Sorted(maps.Keys(shown)); !slices.Equal(got, want) {
		t.Errorf("the scripts have %q, want %q", got, want)
	}
}
