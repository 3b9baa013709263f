package fault_test

import (
	"fmt"
	"io"
	"net"
	"strings"
)

const (
	ok       = "HTTP/1.1 200 OK\r\n"
	length   = "Content-Length: 262144\r\n"
	inChunks = ok + "Transfer-Encoding: chunked\r\n\r\n"
	page     = "<html>the error page</html>"
)

// chunks frames data in chunks, without the last one.
func chunks(data []byte, extension string) string {
	var b strings.Builder
	for len(data) > 0 {
		n := min(len(data), 4000)
		fmt.Fprintf(&b, "%x%s\r\n%s\r\n", n, extension, data[:n])
		data = data[n:]
	}
	return b.String()
}

var (
	body     = string(v1.data)
	halfBody = string(half)
	goodHalf = inChunks + chunks(half, "")
)

// sized announces a length and sends the file.
func sized(length string) func(*scene) string {
	return says(ok, "Content-Length: ", length, "\r\n\r\n", body)
}

var httpFraming = []trial{
	{id: "h-ok", serve: answers(good), want: mustBeRight},
	{id: "h-ok-chunked", serve: says(inChunks, chunks(v1.data, ""), "0\r\n\r\n"), want: mustBeRight},
	{id: "h-ok-trailer", serve: says(inChunks, chunks(v1.data, `;a="b;c"`), "0\r\nX-A: b\r\n\r\n"), want: mustBeRight},
	{id: "h-ok-close", serve: says("HTTP/1.0 200 OK\r\n\r\n", body), want: []verdict{right, unconfirmed}},
	{id: "h-cut-cl", serve: answers(func(v *visit) { v.serve(v1, len(half)) }), want: mustFail},
	{id: "h-rst-cl", serve: answers(func(v *visit) { v.serve(v1, len(half)); v.reset() }), want: mustFail},
	{id: "h-cut-chunk", serve: says(goodHalf, "fa0\r\n01234"), want: mustFail},
	{id: "h-cut-chunk-edge", serve: says(goodHalf), want: mustFail},
	{id: "h-rst-chunk", serve: answers(func(v *visit) { io.WriteString(v, goodHalf); v.reset() }), want: mustFail},
	{id: "h-cut-nolen", serve: says("HTTP/1.0 200 OK\r\n\r\n", halfBody), want: unseen},
	{id: "h-rst-nolen", serve: answers(func(v *visit) { io.WriteString(v, "HTTP/1.0 200 OK\r\n\r\n"+halfBody); v.reset() }), want: mustFail},
	{id: "h-cl-neg", serve: sized("-5"), want: mustFail},
	{id: "h-cl-junk", serve: sized("131072abc"), want: mustFail},
	{id: "h-cl-space", serve: sized("131 072"), want: mustFail},
	{id: "h-cl-hex", serve: sized("0x40000"), want: mustFail},
	{id: "h-cl-wrap", serve: sized("18446744073709682688"), want: mustFail},
	{id: "h-cl-wrap32", serve: sized("4295098368"), want: mustFail},
	{id: "h-cl-two", serve: says(ok, "Content-Length: 131072\r\n", length, "\r\n", body), want: mustFail},
	{id: "h-te-cl", serve: says(ok, "Content-Length: 131072\r\nTransfer-Encoding: chunked\r\n\r\n", chunks(v1.data, ""), "0\r\n\r\n")},
	{id: "h-te-cl-cut", serve: says(ok, "Content-Length: 131072\r\nTransfer-Encoding: chunked\r\n\r\n", chunks(half, "")), want: mustFail},
	{id: "h-te-unknown", serve: says(ok, "Transfer-Encoding: xchunked\r\n\r\n", chunks(v1.data, ""), "0\r\n\r\n"), want: mustFail},
	{id: "k-nothex", serve: says(goodHalf, "zz\r\n", halfBody), want: mustFail},
	{id: "k-neg", serve: says(goodHalf, "-1\r\n", halfBody, "\r\n0\r\n\r\n"), want: mustFail},
	{id: "k-huge", serve: says(goodHalf, "FFFFFFFFFFFFFFFFF\r\n", halfBody, "\r\n0\r\n\r\n"), want: mustFail},
	{id: "k-wrap", serve: says(goodHalf, "10000000000000000\r\n\r\n", halfBody), want: mustFail},
	{id: "k-empty", serve: says(goodHalf, "\r\n\r\n"), want: mustFail},
	{id: "k-0x", serve: says(goodHalf, "0x20000\r\n", halfBody, "\r\n0\r\n\r\n"), want: mustFail},
	{id: "k-nocrlf", serve: says(goodHalf, "4\r\n0123XX0\r\n\r\n"), want: mustFail},
	{id: "k-short", serve: says(goodHalf, fmt.Sprintf("%x\r\n", len(half)-1000), halfBody, "\r\n0\r\n\r\n"), want: mustFail},
	{id: "h-cut-head", serve: says(ok, "Content-Type: text/plain\r\nContent-Le"), want: mustFail},
	{id: "h-cut-head-eol", serve: says(ok, length), want: mustFail},
	{id: "h-http09", serve: says("SSH-2.0-OpenSSH_9.2p1\r\n"), want: mustFail},
	{id: "h-status-junk", serve: says("HTTP/1.1 OK\r\n", length, "\r\n", body), want: mustFail},
	{id: "h-status-2000", serve: says("HTTP/1.1 2000 OK\r\n", length, "\r\n", body), want: mustFail},
	{id: "h-206-unasked", serve: answers(func(v *visit) { v.part(v1, "0-131071/262144", len(half), half) }), want: mustFail},
	{id: "h-302-noloc", serve: says("HTTP/1.1 302 Found\r\nContent-Length: 27\r\n\r\n", page), want: mustFail},
	{id: "h-404-page", serve: says("HTTP/1.1 404 Not Found\r\nContent-Length: 27\r\n\r\n", page), want: mustFail},
	{id: "h-500-page", serve: says("HTTP/1.1 500 Oops\r\nContent-Length: 27\r\n\r\n", page), want: mustFail},
	{id: "h-1xx-flood", serve: answers(func(v *visit) { flood(v, "HTTP/1.1 102 Processing\r\n\r\n") }), want: mustFail},
}

var httpStall = []trial{
	{id: "t-blackhole", serve: func(s *scene) string {
		s.hosts["good.test:80"] = blackHole
		return "http://good.test/f.bin"
	}, want: mustFail},
	{id: "t-connect", serve: answers((*visit).wait), want: mustFail},
	{id: "t-head", serve: answers(func(v *visit) { io.WriteString(v, ok+"Content-Type: te"); v.wait() }), want: mustFail},
	{id: "t-chunk-last", serve: answers(func(v *visit) { io.WriteString(v, inChunks+chunks(v1.data, "")); v.wait() }), want: mustFail},
	{id: "t-cl-long", serve: answers(func(v *visit) { io.WriteString(v, ok+"Content-Length: 524288\r\n\r\n"+body); v.wait() }), want: mustFail},
	{id: "t-drip-body", serve: answers(func(v *visit) { io.WriteString(v, ok+length+"\r\n"); drip(v, "x") }), want: mustFail},
	{id: "t-drip-head", serve: answers(func(v *visit) { io.WriteString(v, ok); drip(v, "X-A: b\r\n") }), want: mustFail},
	{id: "t-redirect-stall", serve: func(s *scene) string {
		silent := s.http((*visit).wait)
		return s.http(func(v *visit) { v.say(nil, "HTTP/1.1 302 Found", "Content-Length: 0", "Location: "+silent) })
	}, want: mustFail},
	{id: "t-tls", serve: func(s *scene) string {
		return "https://" + s.listen(func(c *net.TCPConn) { io.Copy(io.Discard, c) }) + "/f.bin"
	}, want: mustFail},
}

var httpRetry = []trial{
	{id: "s-429", serve: first(func(v *visit) { v.say(nil, "HTTP/1.1 429 Slow down", "Retry-After: 1", "Content-Length: 0") }), want: mustBeRight},
	{id: "s-500-once", serve: first(func(v *visit) { v.say([]byte(page), "HTTP/1.1 500 Oops", "Content-Length: 27") }), want: mustBeRight},
	{id: "s-rst-once", serve: first((*visit).reset), want: mustBeRight},
	{id: "s-close-once", serve: first(func(*visit) {}), want: mustBeRight},
	{id: "s-head-once", serve: first(func(v *visit) { io.WriteString(v, ok+"Content-Le") }), want: mustBeRight},
	{id: "s-503-forever", serve: says("HTTP/1.1 503 No\r\nRetry-After: 1000000000\r\nContent-Length: 0\r\n\r\n"), want: mustFail},
	{id: "s-progress", serve: answers(func(v *visit) { v.serve(v1, v.from+len(v1.data)/5) }), want: mustBeRight},
	{id: "s-refused-once", serve: func(s *scene) string {
		s.hosts["good.test:80"] = host(s.http(good))
		s.refusals.Store(2)
		return "http://good.test/f.bin"
	}, want: mustBeRight},
}
