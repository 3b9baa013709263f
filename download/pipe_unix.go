//go:build unix

package download

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// oneLook is the interval for polling whether a pipe has a reader.
const oneLook = 20 * time.Millisecond

// openSpecial opens a pipe or device for writing. It waits for the reader of a pipe until ctx is
// done.
func openSpecial(ctx context.Context, name string) (*os.File, error) {
	info, err := os.Stat(name)
	if err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		return os.OpenFile(name, os.O_WRONLY, 0)
	}
	look := time.NewTicker(oneLook)
	defer look.Stop()
	for {
		f, err := os.OpenFile(name, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if !errors.Is(err, syscall.ENXIO) {
			return f, err
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
