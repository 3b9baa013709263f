package term

import (
	"context"
	"io"
	"io/fs"
	"os"
)

// Opened returns the result of open, such as a file or its contents. If ctx ends before,
// Opened returns the error of ctx, and open may still be running. If the file is a pipe,
// open may wait for ever: opening it waits for another process at its other end, and
// reading it for the end of that process's text.
func Opened[T any](ctx context.Context, open func() (T, error)) (T, error) {
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

// Contents returns the contents of a file, unless ctx ends before.
func Contents(ctx context.Context, name string) ([]byte, error) {
	return Opened(ctx, func() ([]byte, error) { return os.ReadFile(name) })
}

// Read calls use to read a file, and returns its error. If ctx ends before, use may
// still be reading.
func Read(ctx context.Context, name string, use func(io.Reader) error) error {
	_, err := Opened(ctx, func() (any, error) {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		return nil, use(file)
	})
	return err
}

// WriteOut calls write to write a file. If that is a pipe, WriteOut waits for a reader
// until ctx ends; any other file is written even after that.
func WriteOut(ctx context.Context, name string, write func() error) error {
	if info, err := os.Stat(name); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		return write()
	}
	_, err := Opened(ctx, func() (any, error) { return nil, write() })
	return err
}
