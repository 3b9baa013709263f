package gateway

import (
	"bufio"
	"errors"
	"net/http"
	"os"
	"sync"
	"time"
)

// latency is how long bytes wait for more of them before they are sent.
const latency = 50 * time.Millisecond

// defaultStall is the Stall of a Handler that has none.
const defaultStall = time.Minute

// A stream is the body of an answer. It collects bytes, and sends them when there are many, or when
// they have waited for a while. A client that does not read ends it.
type stream struct {
	mu      sync.Mutex
	out     *bufio.Writer
	to      *pacer // to which out writes
	control *http.ResponseController
	timer   *time.Timer // calls send for bytes that wait; nil if none wait
	err     error       // the first error of writing
}

// stream returns the body of the answer, which the caller closes.
func (x *exchange) stream() *stream {
	s := &stream{control: http.NewResponseController(x.w), to: x.paced()}
	s.out = bufio.NewWriterSize(s.to, 16<<10)
	return s
}

// write sends a whole body.
func (x *exchange) write(body []byte) {
	out := x.stream()
	out.Write(body)
	out.Close() // the client may be gone
}

func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.out.Write(p)
	if s.err = err; err == nil && s.timer == nil {
		s.timer = time.AfterFunc(latency, s.flush)
	}
	return n, err
}

// Take has the system move up to n bytes to the client, after those that wait.
func (s *stream) Take(from *os.File, n int64) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.to.direct == nil || s.err != nil {
		return 0
	}
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
		s.send()
	}
	if s.err != nil {
		return 0
	}
	return s.to.Take(from, n)
}

// flush sends the bytes that wait.
func (s *stream) flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer == nil || s.err != nil {
		return
	}
	s.timer = nil
	s.send()
}

// send writes the bytes that wait to the client.
func (s *stream) send() {
	if s.err = s.out.Flush(); s.err != nil {
		return
	}
	if err := s.control.Flush(); !errors.Is(err, http.ErrNotSupported) {
		s.err = err
	}
}

// Close sends the bytes that wait. It returns the error of writing, if there was one.
func (s *stream) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
	if s.err == nil {
		s.err = s.out.Flush()
	}
	return s.err
}
