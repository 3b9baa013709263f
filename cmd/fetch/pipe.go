package main

import (
	"context"
	"io"
	"io/fs"
	"os"
)

// opened returns what open returns, such as a file or what is in it, unless ctx is done
// before. A pipe is open once another process has its other end, and is read once that
// process has closed it, so a file that a user names may keep open waiting for ever.
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

// contents returns what is in a file, unless ctx is done before.
func contents(ctx context.Context, name string) ([]byte, error) {
	return opened(ctx, func() ([]byte, error) { return os.ReadFile(name) })
}

// read has use read a file, unless ctx is done before; then use may still read it.
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

// writeOut has write write a file. If that is a pipe, it waits for a reader until ctx is done;
// any other is written also after that.
func writeOut(ctx context.Context, name string, write func() error) error {
	if info, err := os.Stat(name); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		return write()
	}
	_, err := opened(ctx, func() (any, error) { return nil, write() })
	return err
}
