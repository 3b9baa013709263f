// Copies compares the copies that programs make of the same trees:
//
//	go run ./integration/copies
//
// Each program that is installed copies a site, a tree of FTP and a directory that nginx lists, and
// then does it again. The table has the files that a whole copy has and that were found, files with
// another content than any of them, links that lead to no file, and the requests that the server
// got. It goes into docs/mirror.md. With -names, the missing and wrong files are printed instead.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	names := flag.Bool("names", false, "print the names of what is missing and wrong, and write no document")
	flag.Parse()
	if err := run(*names); err != nil {
		fmt.Fprintln(os.Stderr, "copies:", err)
		os.Exit(1)
	}
}

// clients are command lines of the programs. URL and DIR stand for the URL and the directory of a tree.
var clients = []struct {
	name, tree string
	args       []string
}{
	{"fetch", "site", []string{"fetch", "mirror", "-s", "-p", "-k", "-E", "URL", "DIR"}},
	{"wget", "site", []string{"wget", "-q", "-m", "-k", "-p", "-P", "DIR", "URL"}},
	{"wget -E", "site", []string{"wget", "-q", "-m", "-k", "-p", "-E", "-P", "DIR", "URL"}},
	{"httrack", "site", []string{"httrack", "URL", "-O", "DIR", "-q", "-%v0"}},
	{"lftp", "site", []string{"lftp", "-c", "set net:max-retries 2; mirror URL DIR"}},

	{"fetch", "ftp", []string{"fetch", "mirror", "-s", "URL", "DIR"}},
	{"wget", "ftp", []string{"wget", "-q", "-m", "-P", "DIR", "URL"}},
	{"httrack", "ftp", []string{"httrack", "URL", "-O", "DIR", "-q", "-%v0"}},
	{"lftp", "ftp", []string{"lftp", "-c", "set net:max-retries 2; mirror URL DIR"}},

	{"fetch", "nginx", []string{"fetch", "mirror", "-s", "--no-parent", "URL", "DIR"}},
	{"wget", "nginx", []string{"wget", "-q", "-m", "-np", "-P", "DIR", "URL"}},
	{"httrack", "nginx", []string{"httrack", "URL", "-O", "DIR", "-q", "-%v0"}},
	{"lftp", "nginx", []string{"lftp", "-c", "set net:max-retries 2; mirror URL DIR"}},
}

func run(names bool) error {
	dir, err := os.MkdirTemp("", "copies")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil { // nginx does not stay root
		return err
	}
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "fetch"), "./cmd/fetch")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building: %w\n%s", err, out)
	}
	os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	var table bytes.Buffer
	for _, start := range []func(string) (*tree, error){site, ftp, nginx} {
		if err := side(&table, dir, start, names); err != nil {
			return err
		}
	}
	if names {
		return nil
	}
	return document(table.Bytes())
}

// side has all programs copy one tree.
func side(table *bytes.Buffer, dir string, start func(string) (*tree, error), names bool) error {
	t, err := start(dir)
	if err != nil {
		return err
	}
	defer t.close()
	fmt.Fprintf(table, "\n%s: %d files.\n\n", t.title, len(t.items))
	fmt.Fprintf(table, "| command | found | missing | other files | links to no file | requests | of the second run | files changed by it |\n|---|--:|--:|--:|--:|--:|--:|--:|\n")
	for i, c := range clients {
		if c.tree != t.name {
			continue
		}
		if _, err := exec.LookPath(c.args[0]); err != nil {
			return err
		}
		to := filepath.Join(dir, fmt.Sprintf("%s-%d", c.tree, i))
		args := make([]string, len(c.args))
		for i, a := range c.args {
			args[i] = strings.NewReplacer("URL", t.url, "DIR", to).Replace(a)
		}
		var copies [2]found
		var requests [2]int
		for n := range 2 {
			t.requests()
			if err := finish(args); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			requests[n] = t.requests()
			if copies[n], err = t.judge(to); err != nil {
				return err
			}
		}
		first := copies[0]
		fmt.Fprintf(table, "| `%s` | %d | %d | %d | %d | %d | %d | %d |\n", typed(c.args, t.example), len(t.items)-len(first.missing), len(first.missing), len(first.wrong),
			len(first.dangling), requests[0], requests[1], copies[1].changes(first))
		if names {
			fmt.Printf("%s %s\n  missing: %q\n  other: %q\n  links to no file: %q\n", t.name, c.name, first.missing, first.wrong, first.dangling)
		}
	}
	return nil
}

// typed returns a command line as it is typed for the tree at a URL.
func typed(args []string, url string) string {
	words := slices.Clone(args)
	for i, a := range words {
		a = strings.NewReplacer("URL", url, "DIR", "copy").Replace(a)
		if words[i] = a; strings.Contains(a, " ") {
			words[i] = "'" + a + "'"
		}
	}
	return strings.Join(words, " ")
}

// finish runs a program to its end, and ignores its exit status: for most programs a broken link is
// an error.
func finish(args []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	err := exec.CommandContext(ctx, args[0], args[1:]...).Run()
	if exit := new(exec.ExitError); errors.As(err, &exit) && ctx.Err() == nil {
		return nil
	}
	return errors.Join(err, ctx.Err())
}

// begin and end are the lines of the document between which the table stands.
const (
	name  = "docs/mirror.md"
	begin = "<!-- written by go run ./integration/copies -->\n"
	end   = "<!-- to here -->\n"
)

// document writes the table into docs/mirror.md.
func document(table []byte) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	before, rest, ok := bytes.Cut(text, []byte(begin))
	_, after, ended := bytes.Cut(rest, []byte(end))
	if !ok || !ended {
		return fmt.Errorf("%s has no lines between which the table stands", name)
	}
	return os.WriteFile(name, bytes.Join([][]byte{before, []byte(begin), table, []byte("\n" + end), after}, nil), 0o666)
}
