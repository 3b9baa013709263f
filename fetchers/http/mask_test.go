package http

import (
	"strings"
	"testing"
)

// The mask ends a header where the parser does: after an interim response follows another header,
// with its secrets.
func TestMaskOfInterim(t *testing.T) {
	for _, status := range []string{"HTTP/1.1 103 Early Hints", "HTTP/1.1  103 Early Hints", "HTTP/1.0 100", "http/1.1 103Early"} {
		answer := status + "\r\n\r\nHTTP/1.1 200 OK\r\nSet-Cookie: a=s3cret\r\n\r\nbody"
		want := status + "\r\n\r\nHTTP/1.1 200 OK\r\nSet-Cookie: a=***\r\n\r\nbody"
		for size := 1; size <= len(answer); size++ {
			var m mask
			shown := ""
			for rest := answer; rest != ""; rest = rest[min(size, len(rest)):] {
				shown += string(m.Got([]byte(rest[:min(size, len(rest))]), false))
			}
			if shown += string(m.Got(nil, true)); shown != want {
				t.Errorf("in reads of %d: %q, want %q", size, shown, want)
			}
		}
	}
}

// The place in a request decides whether a line is masked: not the target, which may have a colon,
// and not the body, whatever the boundaries of writes.
func TestMaskOfRequest(t *testing.T) {
	const request = "PROPFIND /a:token/b HTTP/1.1\r\nHost: h\r\nX-JWT: s3cret\r\nDepth: 1\r\n\r\n<a xmlns:D=\"DAV:\">\nX-Line: 1\n</a>"
	want := strings.Replace(request, "s3cret", "***", 1)
	for size := 1; size <= len(request); size++ {
		var m mask
		shown := ""
		for range 2 { // the connection is used again
			for rest := request; rest != ""; rest = rest[min(size, len(rest)):] {
				shown += string(m.Sent([]byte(rest[:min(size, len(rest))]), false))
			}
			shown += string(m.Sent(nil, true)) // the response begins
			m.Got([]byte("HTTP/1.1 200 OK\r\n\r\n"), false)
		}
		if shown != want+want {
			t.Fatalf("in writes of %d: %q, want %q", size, shown, want+want)
		}
	}
}

// A continuation line is masked like its field (RFC 9112, section 5.2).
func TestMaskOfContinuedField(t *testing.T) {
	const answer = "HTTP/1.1 200 OK\r\nX-Token:\r\n a:s3cret\r\n\ts3cret\r\nServer: x\r\n y\r\n\r\nbody"
	const want = "HTTP/1.1 200 OK\r\nX-Token:***\r\n ***\r\n\t***\r\nServer: x\r\n y\r\n\r\nbody"
	var m mask
	if shown := string(m.Got([]byte(answer), false)); shown != want {
		t.Errorf("%q, want %q", shown, want)
	}
}

// An odd field is masked by the name that the parser reads, and an odd end of a header also ends it
// for the mask.
func TestMaskOfOddFields(t *testing.T) {
	for answer, want := range map[string]string{
		"HTTP/1.1 200 OK\r\nSet-Cookie : a=s3cret\r\n\r\nbody":           "HTTP/1.1 200 OK\r\nSet-Cookie : a=***\r\n\r\nbody",
		"HTTP/1.1 200 OK\r\n Set-Cookie: a=s3cret\r\n\r\nbody":           "HTTP/1.1 200 OK\r\n Set-Cookie: a=***\r\n\r\nbody",
		"HTTP/1.1 200 OK\r\n X-Token : s3cret\r\n s3cret\r\n\r\nbody":    "HTTP/1.1 200 OK\r\n X-Token : ***\r\n ***\r\n\r\nbody",
		"HTTP/1.1 200 OK\r\n(Set-Cookie): a=s3cret\r\n\r\nbody":          "HTTP/1.1 200 OK\r\n(Set-Cookie): a=***\r\n\r\nbody",
		"HTTP/1.1 200 OK\r\nSet-Cookie\v: a=s3cret\r\n\r\nbody":          "HTTP/1.1 200 OK\r\nSet-Cookie\v: a=***\r\n\r\nbody",
		"HTTP/1.1 200 OK\r\nSet-Cookie:\r\n a=b\r\n =s3cret\r\n\r\nbody": "HTTP/1.1 200 OK\r\nSet-Cookie:***\r\n ***\r\n ***\r\n\r\nbody",
		"HTTP/1.1 200 OK\r\nSet-Cookie: a=\r\n s3cret=\r\n\r\nbody":      "HTTP/1.1 200 OK\r\nSet-Cookie: a=***\r\n ***\r\n\r\nbody",
		"HTTP/1.1 200 OK\r\n\r\r\nSet-Cookie: a=s3cret\r\n\r\nbody":      "HTTP/1.1 200 OK\r\n\r\r\nSet-Cookie: a=***\r\n\r\nbody",
		"HTTP/1.1 200 OK\r\r\nX-Token: s3cret\r\r\n\r\r\nX-Token: body":  "HTTP/1.1 200 OK\r\r\nX-Token: ***\r\r\n\r\r\nX-Token: body",
	} {
		var m mask
		if shown := string(m.Got([]byte(answer), false)); shown != want {
			t.Errorf("%q, want %q", shown, want)
		}
	}
}
