package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/download"
)

// jobs returns the URLs of the command line and then those of the input file, or of
// the Metalink that it is. A line that cannot be understood comes as an error, and
// the others still come. Nothing comes after ctx has ended, even if the input never
// does.
func (a *app) jobs(ctx context.Context, args []string) iter.Seq2[job, error] {
	return func(yield func(job, error) bool) {
		for i, text := range args {
			j := job{text: text}
			j.mirrors = a.files.mirrors
			if i < len(a.files.outputs) {
				j.output = a.files.outputs[i]
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
			f, err := opened(ctx, func() (*os.File, error) { return os.Open(a.input) })
			if err != nil {
				yield(job{}, inputError{err})
				return
			}
			defer f.Close()
			in, name = f, a.input
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		list := make(chan listed, 64) // so that reader and worker wake each other less often
		go func() {
			defer close(list)
			in := bufio.NewReaderSize(in, maxLine)
			if isMetalink(in) {
				readMetalink(ctx, in, name, list)
			} else {
				readList(ctx, in, name, list)
			}
		}()
		for {
			select {
			case l, ok := <-list:
				if !ok || !yield(l.job, l.err) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

// listed is what a line of a list says.
type listed struct {
	job job
	err error
}

// maxLine is the longest line of a list, in bytes.
const maxLine = 64 << 10

// readList reads a list of URLs: one a line, which may go on with a TAB and
// key=value. Empty lines and those that begin with # are remarks.
func readList(ctx context.Context, in *bufio.Reader, name string, list chan<- listed) {
	for n := 1; ; n++ {
		line, err := readLine(in)
		if err == io.EOF {
			return
		}
		if err == nil && (line == "" || line[0] == '#') {
			continue
		}
		l := listed{err: err}
		if err == nil {
			l.job, l.err = parseLine(line)
		}
		l.job.where = name + ":" + strconv.Itoa(n) + ": "
		if l.err != nil {
			l.err = inputError{fmt.Errorf("%s%w", l.job.where, l.err)}
		}
		select {
		case list <- l:
		case <-ctx.Done():
			return
		}
		if err != nil && err != errLong {
			return
		}
	}
}

var errLong = fmt.Errorf("the line has more than %d bytes", maxLine)

// readLine reads a line, without the space around it. One that is too long is
// passed over, and is errLong.
func readLine(in *bufio.Reader) (string, error) {
	line, err := in.ReadSlice('\n')
	text := strings.TrimSpace(strings.TrimPrefix(string(line), "\uFEFF"))
	switch {
	case err == bufio.ErrBufferFull:
		for err == bufio.ErrBufferFull {
			_, err = in.ReadSlice('\n')
		}
		if err == nil || err == io.EOF {
			err = errLong
		}
		return "", err
	case err == io.EOF && text != "":
		return text, nil
	}
	return text, err
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
		case "mirror":
			j.mirrors = append(j.mirrors, value)
		case "sha256":
			var err error
			if j.sum, err = download.ParseSum(key + ":" + value); err != nil {
				return j, err
			}
		default:
			return j, errors.New("what follows a TAB has to be out=FILE, sha256=HEX or mirror=URL") // and may be anything, as a password
		}
	}
	return j, nil
}
