package gateway

import (
	"io"
	"net"
	"net/http"
	"os"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A withholder keeps the last byte of a document back, whose length the client knows, until its
// server says that it is whole.
type withholder struct {
	to   io.Writer
	left int64 // bytes of the document; less than 0 if their number is not known
	last []byte
}

func (w *withholder) Write(p []byte) (int, error) {
	switch {
	case w.left < 0:
		return w.to.Write(p)
	case int64(len(p)) > w.left:
		return 0, http.ErrContentLength
	}
	now := p
	if w.left -= int64(len(p)); w.left == 0 && len(p) > 0 {
		now, w.last = p[:len(p)-1], []byte{p[len(p)-1]}
	}
	if _, err := w.to.Write(now); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Take has the system move up to n bytes, if the length of the document is known, and leaves its last byte
// to Write.
func (w *withholder) Take(from *os.File, n int64) int64 {
	t, ok := w.to.(fetchers.Taker)
	if !ok || w.left <= 1 {
		return 0
	}
	n = t.Take(from, min(n, w.left-1))
	w.left -= n
	return n
}

// maxTake is how many bytes the system moves at a time. A slow client leaves them in memory, and there may be a
// thousand of them.
const maxTake = 128 << 10

// MaxTake is for the copy of a Body.
func (w *withholder) MaxTake() int64 { return maxTake }

// release writes the last byte.
func (w *withholder) release() error {
	_, err := w.to.Write(w.last)
	return err
}

// cut ends the connection before the end of the answer. It resets the connection if its end is
// that of the answer, as in HTTP/1.0.
func (x *exchange) cut(control *http.ResponseController) {
	if !x.r.ProtoAtLeast(1, 1) {
		if conn, _, err := control.Hijack(); err == nil {
			reset(conn)
		}
	}
	panic(http.ErrAbortHandler)
}

// reset closes a connection by a reset of TCP. One of TLS ends without its close_notify.
func reset(conn net.Conn) {
	for {
		within, ok := conn.(interface{ NetConn() net.Conn })
		if !ok {
			break
		}
		conn = within.NetConn()
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	conn.Close()
}
