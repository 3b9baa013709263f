// Terminal records the screens that a user of the command sees. It types everyday tasks into a
// terminal (tmux), and writes a page with the screens:
//
//	go run ./integration/terminal [-before PROGRAM] [-only WORD] [-o docs/terminal.md]
//	go run ./integration/terminal -picture docs/first.svg
//
// The servers are at the far end of a slow line (40 Mbit/s, 40 ms), under names and at the default
// ports. The terminals have 80 and 40 columns, with colour and without. With -before another build
// of the command does the same tasks. With -picture the commands of the first page are drawn, as
// NAME-light.svg and NAME-dark.svg. Linux, root, tmux, iproute2 and util-linux.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == "serve" { // at the far end
		serve(os.Args[2])
		return
	}
	before := flag.String("before", "", "another build of the command, to show beside this one")
	only := flag.String("only", "", "do only the tasks whose names have this word")
	name := flag.String("o", "", "write the pages to this file and to one beside it (NAME-40.md)")
	drawing := flag.String("picture", "", "draw the terminal of the first page beside this file")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	if err := run(ctx, *before, *only, *name, *drawing); err != nil {
		fmt.Fprintln(os.Stderr, "terminal:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, before, only, name, drawing string) error {
	dir, err := os.MkdirTemp("", "terminal")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	programs := []program{{"now", filepath.Join(dir, "fetch")}}
	if before != "" {
		if before, err = filepath.Abs(before); err != nil {
			return err
		}
		programs = []program{{"before", before}, programs[0]}
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", filepath.Join(dir, "fetch"), "./cmd/fetch")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building: %w\n%s", err, out)
	}
	s, err := newStage(dir)
	if err != nil {
		return err
	}
	defer s.close()
	if drawing != "" {
		return s.pictures(ctx, programs[len(programs)-1], drawing)
	}

	chosen := make([]task, 0, len(tasks))
	for _, t := range tasks {
		if strings.Contains(t.name, only) {
			chosen = append(chosen, t)
		}
	}
	if len(chosen) == 0 {
		return fmt.Errorf("no task has %q in its name", only)
	}
	seen, err := s.playAll(ctx, chosen, programs)
	if err != nil {
		return err
	}
	if name == "" {
		_, err = os.Stdout.WriteString(page(chosen, programs, seen, 80))
		return err
	}
	narrow := strings.TrimSuffix(name, ".md") + "-40.md"
	return errors.Join(
		os.WriteFile(name, []byte(page(chosen, programs, seen, 80)), 0o666),
		os.WriteFile(narrow, []byte(page(chosen, programs[len(programs)-1:], seen, 40)), 0o666),
	)
}

// A program is a build of the command.
type program struct{ name, path string }
