package http

import (
	"io"
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

// Where a field stands in a request decides whether it is masked: not the target, which may
// have a colon, and not the content, however the request is cut into writes.
func TestTapOfRequest(t *testing.T) {
	const request = "PROPFIND /a:token/b HTTP/1.1\r\nHost: h\r\nX-JWT: s3cret\r\nDepth: 1\r\n\r\n<a xmlns:D=\"DAV:\">\nX-Line: 1\n</a>"
	const want = "PROPFIND /a:token/b HTTP/1.1\r\nHost: h\r\nX-JWT: ***\r\nDepth: 1\r\n\r\n<a xmlns:D=\"DAV:\">\nX-Line: 1\n</a>"
	for size := 1; size <= len(request); size++ {
		ours, theirs := net.Pipe()
		go func() {
			io.CopyN(io.Discard, theirs, int64(len(request)))
			io.WriteString(theirs, "HTTP/1.1 200 OK\r\n\r\n")
			io.CopyN(io.Discard, theirs, int64(len(request)))
			theirs.Close()
		}()
		var told strings.Builder
		c := newTap(ours, &fetchers.Tap{Sent: func(p []byte) { told.Write(p) }, Got: func([]byte) {}, Ended: func(error) {}})
		for range 2 { // a connection is used again
			for rest := request; rest != ""; rest = rest[min(size, len(rest)):] {
				if _, err := io.WriteString(c, rest[:min(size, len(rest))]); err != nil {
					t.Fatal(err)
				}
			}
			c.Read(make([]byte, 100))
		}
		ours.Close()
		if told.String() != want+want {
			t.Fatalf("in writes of %d: told %q, want %q", size, told.String(), want+want)
		}
	}
}
