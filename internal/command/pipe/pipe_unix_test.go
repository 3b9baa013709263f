//go:build unix

package pipe

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe without a reader, or without a writer, is given up at the end of the context.
func TestPipesObeyContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for what, wait := range map[string]func(name string) error{
		"Contents": func(name string) error {
			_, err := Contents(ctx, name)
			return err
		},
		"WriteOut": func(name string) error {
			return Write(ctx, name, func() error { return os.WriteFile(name, nil, 0o600) })
		},
	} {
		name := filepath.Join(t.TempDir(), "pipe")
		if err := syscall.Mkfifo(name, 0o600); err != nil {
			t.Skip(err)
		}
		if err := wait(name); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", what, err)
		}
		f, err := os.OpenFile(name, os.O_RDWR, 0) // both other ends, so that the pipe waits no more
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
}
