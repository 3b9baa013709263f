package main

import (
	"context"
	"io"
	"io/fs"
	"os"
)

// opened returns the result of open, such as a file or its contents, unless ctx is done
// before. If the file is a pipe, open may wait for ever: opening it waits for another
// process at its other end, and reading it for the end of that process's text.
func opened[T any](ctx context.Context, open func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		v, err := open()
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// contents returns the contents of a file, unless ctx is done before.
func contents(ctx context.Context, name string) ([]byte, error) {
	return opened(ctx, func() ([]byte, error) { return os.ReadFile(name) })
}

// read calls use to read a file, unless ctx is done before; then use may still be
// reading.
func read(ctx context.Context, name string, use func(io.Reader) error) error {
	_, err := opened(ctx, func() (any, error) {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		return nil, use(file)
	})
	return err
}

// writeOut calls write to write a file. If that is a pipe, it waits for a reader until
// ctx is done; any other file is written even after that.
func writeOut(ctx context.Context, name string, write func() error) error {
	if info, err := os.Stat(name); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		return write()
	}
	_, err := opened(ctx, func() (any, error) { return nil, write() })
	return err
}
