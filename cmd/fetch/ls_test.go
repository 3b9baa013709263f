package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The verb ls writes the entries of a listing. A document is its own entry, and with --raw
// it is written as it is.
func TestLs(t *testing.T) {
	dir, at := directory(t)
	when := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	if err := os.Chtimes(filepath.Join(dir, "a.txt"), when, when); err != nil {
		t.Fatal(err)
	}
	entry := "document\t6\t2001-02-03T04:05:06Z\ta.txt\t" + at + "a.txt\n"
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{at}, entry},
		{[]string{at + "a.txt"}, entry},
		{[]string{at, at}, entry + entry},
		{[]string{"--raw", at + "a.txt"}, "hello\n"},
	} {
		d := directly(t, "ls", c.args...)
		err := ls(t.Context(), lsOptions{URLs: d.urls, Options: d.options}, d.streams)
		d.wrote(t, err, "", c.want, "")
	}
}
