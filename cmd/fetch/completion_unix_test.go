//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestBashCompletion: the script works in a bash that has no package of completions.
func TestBashCompletion(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash")
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "downloads"), 0o777); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"fetch sche":                      "schemes",
		"fetch --retry-conn":              "--retry-connrefused",
		"fetch htt":                       "http:// https://",
		"fetch https:":                    "//", // bash ends a word at a colon
		"fetch --ftp-method s":            "singlecwd",
		"fetch --ftp-method=s":            "singlecwd",
		"fetch --output-dir d":            "downloads",
		"fetch -O http://h.example/a -o ": "",
	} {
		cmd := exec.Command("bash", "--norc", "--noprofile", "-c", `
source <(fetch completion bash) || exit
COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=9 COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
__start_fetch
echo "${COMPREPLY[@]%% *}"`, "bash", line)
		cmd.Dir = dir
		got, err := cmd.Output() // a shell without a prompt has no compopt, and says so
		if err != nil || strings.TrimSpace(string(got)) != want {
			t.Errorf("%s: %q, %v; want %q", line, got, err, want)
		}
	}
}
