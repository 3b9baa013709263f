package http

import (
	"net"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// Where a header ends is seen as the one who reads the answer sees it: what follows an
// interim response is a header too, with what it keeps secret.
func TestTapOfInterim(t *testing.T) {
	for _, status := range []string{"HTTP/1.1 103 Early Hints", "HTTP/1.1  103 Early Hints", "HTTP/1.0 100"} {
		ours, theirs := net.Pipe()
		var told strings.Builder
		c := newTap(ours, &fetchers.Tap{Sent: func([]byte) {}, Got: func(p []byte) { told.Write(p) }, Ended: func(error) {}})
		go func() {
			theirs.Write([]byte(status + "\r\n\r\nHTTP/1.1 200 OK\r\nSet-Cookie: a=s3cret\r\n\r\nbody"))
			theirs.Close()
		}()
		for buf := make([]byte, 100); ; {
			if _, err := c.Read(buf); err != nil {
				break
			}
		}
		ours.Close()
		want := status + "\r\n\r\nHTTP/1.1 200 OK\r\nSet-Cookie: a=***\r\n\r\nbody"
		if told.String() != want {
			t.Errorf("told %q, want %q", told.String(), want)
		}
	}
}
