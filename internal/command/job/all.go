package job

import (
	"bufio"
	"context"
	"io"
	"iter"
	"os"
	"slices"

	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/pipe"
	"github.com/seed1ea3422f/fetch/record"
)

// All returns the URLs of a run: args, and then those of the list or the Metalink that o
// names, which is stdin for "-". An entry of the list that cannot be read comes as a
// record.InputError with the Where of its Job, and the entries after it follow. A list that
// cannot be opened is the last error. Each entry comes as soon as its line is there. After
// the end of ctx none comes, though a read of stdin may last longer.
//
// Before the next entry depends on a read, which may have to wait for another program, the
// goroutine that ranges over the jobs calls waits, if it is not nil. So it does after each
// 1000 URLs of a glob.
func All(ctx context.Context, o *option.Options, args []string, stdin io.Reader, waits func()) iter.Seq2[Job, error] {
	if waits == nil {
		waits = func() {}
	}
	return func(yield func(Job, error) bool) {
		number := 0
		for i, arg := range args {
			for j, err := range ofArgument(o, i, arg, number, waits) {
				if number++; !yield(j, err) {
					return
				}
			}
		}
		if o.Input.List == "" {
			return
		}
		waits()
		in, name, err := openList(ctx, o.Input.List, stdin)
		if err != nil {
			yield(Job{}, record.InputError{Err: err})
			return
		}
		defer in.Close()
		t := o.Files.Template(-1, 0)
		for j, err := range listed(ctx, in, name, waits) {
			if number++; t != nil && err == nil && j.Output == "" {
				j.name(t, number, nil)
			}
			if !yield(j, err) {
				return
			}
		}
	}
}

// many is how many URLs of one argument come before those that are held back are released.
const many = 1000

// ofArgument returns the jobs of the argument with index i, one at a time: its globs may stand
// for more URLs than there is memory for. before is how many jobs there were.
func ofArgument(o *option.Options, i int, arg string, before int, waits func()) iter.Seq2[Job, error] {
	return func(yield func(Job, error) bool) {
		p, err := o.Input.Pattern(arg)
		if err != nil {
			yield(Job{Text: arg}, err)
			return
		}
		t := o.Files.Template(i, p.Globs())
		for n := range p.Count() {
			if n > 0 && n%many == 0 {
				waits()
			}
			j := Job{Mirrors: slices.Clone(o.Files.Mirrors)}
			var values []string
			j.Text, values = p.At(n)
			j.name(t, before+int(n)+1, values)
			if !yield(j, nil) {
				return
			}
		}
	}
}

// openList returns the list of -i and its name in errors.
func openList(ctx context.Context, list string, stdin io.Reader) (in io.ReadCloser, name string, err error) {
	if list == "-" {
		return io.NopCloser(stdin), "standard input", nil
	}
	file, err := pipe.Open(ctx, func() (*os.File, error) { return os.Open(list) })
	if err != nil {
		return nil, "", err
	}
	return file, list, nil
}

// listed returns the entries of a list or a Metalink. Another goroutine reads it, since the
// end of ctx cannot end a read.
func listed(ctx context.Context, in io.Reader, name string, waits func()) iter.Seq2[Job, error] {
	return func(yield func(Job, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		entries := make(chan entry, 64) // the goroutines wake each other less often
		go func() {
			defer close(entries)
			send := func(e entry) bool {
				select {
				case entries <- e:
					return true
				case <-ctx.Done():
					return false
				}
			}
			in := bufio.NewReaderSize(announcing{in, func() { send(entry{waits: true}) }}, maxLine)
			source := readList(in, name)
			if isMetalink(in) {
				source = readMetalink(in, name)
			}
			for j, err := range source {
				if !send(entry{job: j, err: err}) {
					return
				}
			}
		}()
		for {
			select {
			case e, ok := <-entries:
				switch {
				case !ok:
					return
				case e.waits:
					waits()
				case !yield(e.job, e.err):
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

// An entry is a Job of a list, or the reason that it is none, or tells that the list has to
// be read on before there is another one.
type entry struct {
	job   Job
	err   error
	waits bool
}

// An announcing reader calls before at the beginning of each Read.
type announcing struct {
	io.Reader
	before func()
}

func (a announcing) Read(p []byte) (int, error) {
	a.before()
	return a.Reader.Read(p)
}
