// Package pipe opens files that may be pipes. To open one waits for another process at its
// other end, and to read it for the end of that process's text; the end of a context ends
// the wait.
package pipe

import (
	"context"
	"io"
	"io/fs"
	"os"
)

// Open returns the result of open, such as a file or its contents, unless ctx is done
// before. open then goes on by itself.
func Open[T any](ctx context.Context, open func() (T, error)) (T, error) {
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

// Contents returns the contents of a file, unless ctx is done before.
func Contents(ctx context.Context, name string) ([]byte, error) {
	return Open(ctx, func() ([]byte, error) { return os.ReadFile(name) })
}

// Read calls use to read a file, unless ctx is done before; use may still be reading then.
func Read(ctx context.Context, name string, use func(io.Reader) error) error {
	_, err := Open(ctx, func() (any, error) {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		return nil, use(file)
	})
	return err
}

// Write calls write to write a file. If the file is a pipe, it waits for a reader until ctx
// is done; any other file is written even after that.
func Write(ctx context.Context, name string, write func() error) error {
	if info, err := os.Stat(name); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		return write()
	}
	_, err := Open(ctx, func() (any, error) { return nil, write() })
	return err
}
