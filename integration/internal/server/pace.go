package server

import (
	"context"
	"errors"
	"io"
	"time"
)

// ErrClosed is the error of a write at a pace after the server was closed.
var ErrClosed = errors.New("the server is closed")

// Pace returns a writer to w that writes at most a number of octets per second until ctx ends. For
// 0 it returns w, which has no limit.
func Pace(ctx context.Context, w io.Writer, octetsPerSecond int) io.Writer {
	if octetsPerSecond <= 0 {
		return w
	}
	return &pacedWriter{ctx, w, octetsPerSecond}
}

type pacedWriter struct {
	ctx  context.Context
	w    io.Writer
	rate int
}

func (p *pacedWriter) Write(octets []byte) (written int, err error) {
	for written < len(octets) && err == nil {
		piece := octets[written:min(len(octets), written+max(1, p.rate/20))]
		var n int
		n, err = p.w.Write(piece)
		written += n
		select {
		case <-time.After(time.Second * time.Duration(n) / time.Duration(p.rate)):
		case <-p.ctx.Done():
			err = ErrClosed
		}
	}
	return written, err
}
