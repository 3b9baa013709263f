package pipe

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// A pipe without a process at its other end does not keep the command from ending.
func TestOpeningObeysContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	waits, end := make(chan bool), make(chan bool)
	go func() {
		<-waits
		cancel()
	}()
	f, err := Open(ctx, func() (*os.File, error) {
		close(waits)
		<-end
		return nil, os.ErrInvalid
	})
	close(end)
	if f != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v; want that of the context", f, err)
	}
	if _, err = Open(t.Context(), func() (*os.File, error) { return nil, os.ErrInvalid }); !errors.Is(err, os.ErrInvalid) {
		t.Errorf("%v, want that of open", err)
	}
}

// A file is read whole, and a failure to read it comes back.
func TestRead(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := Contents(t.Context(), name); string(got) != "text" || err != nil {
		t.Errorf("Contents: %q, %v", got, err)
	}
	var got []byte
	err := Read(t.Context(), name, func(r io.Reader) (err error) {
		got, err = io.ReadAll(r)
		return errors.Join(err, os.ErrInvalid)
	})
	if string(got) != "text" || !errors.Is(err, os.ErrInvalid) {
		t.Errorf("Read: %q, %v; want the error of use", got, err)
	}
	if err := Read(t.Context(), name+"2", nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Read of no file: %v", err)
	}
}

// A file that is no pipe is written even after the end of the context.
func TestWriteOutAfterEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	name := filepath.Join(t.TempDir(), "file")
	if err := Write(ctx, name, func() error { return os.WriteFile(name, nil, 0o600) }); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(name); err != nil {
		t.Error(err)
	}
}
