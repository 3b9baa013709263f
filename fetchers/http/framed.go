package http

import (
	"crypto/tls"
	"encoding/binary"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// A framed is a connection over which net/http speaks HTTP/2. It reads along in the frames
// of the server, since net/http does not tell SETTINGS.
type framed struct {
	*transport.Conn
	lease *lease        // of Conn
	gone  chan struct{} // closed by Close
	close sync.Once

	head  [frameHead]byte
	begun int // octets of head
	left  int // octets of the payload that are still to come
	value [settingSize]byte
	taken int // octets of value

	streams  atomic.Int64 // SETTINGS_MAX_CONCURRENT_STREAMS; no limit until one is told
	settings atomic.Bool  // the first SETTINGS have come

	made time.Time
	life atomic.Int64 // when the last sign of life came, in nanoseconds since made
}

// The sizes of a frame's header and of a setting, in octets, and their codes (RFC 9113,
// sections 4.1 and 6.5).
const (
	frameHead      = 9
	settingSize    = 6
	settingsFrame  = 4
	pingFrame      = 6
	settingsAck    = 1
	maxConcurrent  = 3
	defaultStreams = 1 << 31 // there is no limit
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

// take reads what the server has sent.
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

// isSettings reports whether the present frame is SETTINGS of the server.
func (f *framed) isSettings() bool {
	return f.begun == frameHead && f.head[3] == settingsFrame && f.head[4]&settingsAck == 0
}

// isLife reports whether the present frame shows that the server serves requests or answers
// PING. The other frames of a connection come with its beginning.
func (f *framed) isLife() bool {
	return f.begun == frameHead && (f.head[3] == pingFrame || binary.BigEndian.Uint32(f.head[5:]) != 0)
}

// lastLife returns when the last sign of life came, or when the connection was made.
func (f *framed) lastLife() time.Time { return f.made.Add(time.Duration(f.life.Load())) }

// ConnectionState returns the state of TLS for net/http, or nothing without TLS.
func (f *framed) ConnectionState() tls.ConnectionState {
	if state := f.TLS(); state != nil {
		return *state
	}
	return tls.ConnectionState{}
}

// set reads a part of the payload of SETTINGS.
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

// Write hides from net/http that the peer has closed, so that net/http still reads what the
// peer sent before, such as a TLS alert.
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
