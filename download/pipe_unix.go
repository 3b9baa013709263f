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

// oneLook is the time between two looks for somebody who reads a pipe.
const oneLook = 20 * time.Millisecond

// openSpecial opens what is no regular file to write to it. Somebody has to read a pipe
// for that, and is waited for until ctx is done.
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
