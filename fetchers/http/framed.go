package http

import (
	"crypto/tls"
	"encoding/binary"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// A framed is the connection of HTTP/2 below net/http. It parses the frame headers and SETTINGS of
// the server, which net/http does not expose.
type framed struct {
	*transport.Conn
	lease *lease        // of Conn
	gone  chan struct{} // closed by Close
	close sync.Once

	head  [frameHead]byte
	begun int // bytes of head
	left  int // remaining bytes of the payload
	value [settingSize]byte
	taken int // bytes of value

	streams  atomic.Int64 // SETTINGS_MAX_CONCURRENT_STREAMS; unlimited until the server sends it
	settings atomic.Bool  // the first SETTINGS frame has arrived

	made time.Time
	life atomic.Int64 // time of the last sign of life, in nanoseconds since made
}

// The sizes in bytes of a frame header and of a setting, and their codes (RFC 9113, sections 4.1
// and 6.5).
const (
	frameHead      = 9
	settingSize    = 6
	settingsFrame  = 4
	pingFrame      = 6
	settingsAck    = 1
	maxConcurrent  = 3
	defaultStreams = 1 << 31 // no limit
)

func newFramed(c *transport.Conn) *framed {
	f := &framed{Conn: c, gone: make(chan struct{}), made: time.Now()}
	f.streams.Store(defaultStreams)
	return f
}

func (f *framed) Read(p []byte) (int, error) {
	n, err := f.Conn.Read(p)
	f.take(p[:n])
	return n, err
}

// take parses the bytes p from the server.
func (f *framed) take(p []byte) {
	for len(p) > 0 {
		if f.begun < frameHead {
			n := copy(f.head[f.begun:], p)
			f.begun += n
			p = p[n:]
			if f.begun == frameHead {
				f.left = int(f.head[0])<<16 | int(f.head[1])<<8 | int(f.head[2])
				f.taken = 0
			}
		}
		n := min(f.left, len(p))
		if f.isSettings() {
			f.set(p[:n])
		}
		if f.isLife() {
			f.life.Store(int64(time.Since(f.made)))
		}
		f.left -= n
		p = p[n:]
		if f.begun == frameHead && f.left == 0 {
			if f.isSettings() {
				f.settings.Store(true)
			}
			f.begun = 0
		}
	}
}

// isSettings reports whether the current frame is a SETTINGS frame, but no acknowledgement.
func (f *framed) isSettings() bool {
	return f.begun == frameHead && f.head[3] == settingsFrame && f.head[4]&settingsAck == 0
}

// isLife reports whether the current frame shows that the server processes requests or answers
// PING. The other frames with stream identifier 0 belong to the start of a connection.
func (f *framed) isLife() bool {
	return f.begun == frameHead && (f.head[3] == pingFrame || binary.BigEndian.Uint32(f.head[5:]) != 0)
}

// lastLife returns the time of the last sign of life, or that of the connection's start.
func (f *framed) lastLife() time.Time { return f.made.Add(time.Duration(f.life.Load())) }

// ConnectionState returns the state of TLS for net/http. Without TLS it is zero.
func (f *framed) ConnectionState() tls.ConnectionState {
	if state := f.TLS(); state != nil {
		return *state
	}
	return tls.ConnectionState{}
}

// set parses p, a part of the payload of a SETTINGS frame.
func (f *framed) set(p []byte) {
	for len(p) > 0 {
		n := copy(f.value[f.taken:], p)
		p = p[n:]
		if f.taken += n; f.taken == settingSize {
			f.taken = 0
			if binary.BigEndian.Uint16(f.value[:]) == maxConcurrent {
				f.streams.Store(int64(binary.BigEndian.Uint32(f.value[2:])))
			}
		}
	}
}

// Write reports no error if the peer has closed the connection, so that net/http still reads data
// that the peer sent before, such as a TLS alert.
func (f *framed) Write(p []byte) (int, error) {
	n, err := f.Conn.Write(p)
	if isEnd(err) {
		return len(p), nil
	}
	return n, err
}

// Close closes the connection.
func (f *framed) Close() error {
	f.close.Do(func() { close(f.gone) })
	return f.lease.Close()
}
