package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
)

// jobs returns the URLs of the command line and then those of the input file. A
// line that cannot be understood comes as an error, and the others still come.
func (a *app) jobs(args []string) iter.Seq2[job, error] {
	return func(yield func(job, error) bool) {
		for i, text := range args {
			j := job{text: text}
			if i < len(a.outputs) {
				j.output = a.outputs[i]
			}
			if !yield(j, nil) {
				return
			}
		}
		if a.input == "" {
			return
		}
		in, name := a.stdin, "standard input"
		if a.input != "-" {
			f, err := os.Open(a.input)
			if err != nil {
				yield(job{}, inputError{err})
				return
			}
			defer f.Close()
			in, name = f, a.input
		}
		readList(in, name, yield)
	}
}

// readList reads a list of URLs: one a line, which may go on with a TAB and
// key=value. Empty lines and those that begin with # are remarks.
func readList(r io.Reader, name string, yield func(job, error) bool) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	n := 1
	for ; lines.Scan(); n++ {
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\uFEFF"))
		if line == "" || line[0] == '#' {
			continue
		}
		j, err := parseLine(line)
		j.where = fmt.Sprintf("%s:%d: ", name, n)
		if err != nil {
			err = inputError{fmt.Errorf("%s%w", j.where, err)}
		}
		if !yield(j, err) {
			return
		}
	}
	if err := lines.Err(); err != nil {
		yield(job{}, inputError{fmt.Errorf("%s:%d: %w", name, n, err)})
	}
}

func parseLine(line string) (job, error) {
	fields := strings.Split(line, "\t")
	j := job{text: fields[0]}
	for _, field := range fields[1:] {
		switch key, value, _ := strings.Cut(field, "="); key {
		case "":
		case "out":
			if value == "" {
				return j, errors.New("out= without a name")
			}
			j.output = value
		default:
			return j, errors.New("what follows a TAB has to be out=FILE") // and may be anything, as a password
		}
	}
	return j, nil
}
