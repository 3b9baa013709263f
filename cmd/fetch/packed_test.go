package main

import (
	"reflect"
	"testing"

	"github.com/seed1ea3422f/fetch/internal/command/job"
	"github.com/seed1ea3422f/fetch/internal/command/keep"
)

// packed returns each file unchanged, with whatever fields it has besides its text.
func TestPacked(t *testing.T) {
	plain := keep.File{Job: job.Job{Text: "http://h/a", Where: "l:1: "}, Multiplex: true}
	named, second, mirrored := plain, plain, plain
	named.Output = "b"
	second.Second = true
	mirrored.Mirrors = []string{"http://i/a"}
	for name, want := range map[string]keep.File{"plain": plain, "named": named, "second": second, "with a mirror": mirrored} {
		u, err := want.Parse()
		if err != nil {
			t.Fatal(err)
		}
		want.URL = u
		if got := packed(want)(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}
