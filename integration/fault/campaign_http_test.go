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
	{name: "a whole body with its length", serve: answers(good), want: mustBeRight},
	{name: "a whole body in chunks", serve: says(inChunks, chunks(v1.data, ""), "0\r\n\r\n"), want: mustBeRight},
	{name: "chunks with extensions, and a trailer", serve: says(inChunks, chunks(v1.data, `;a="b;c"`), "0\r\nX-A: b\r\n\r\n"), want: mustBeRight},
	{name: "HTTP/1.0, the end of the connection ends the body", serve: says("HTTP/1.0 200 OK\r\n\r\n", body), want: []verdict{right, unconfirmed}},
	{name: "a body with a length ends at half, every time", serve: answers(func(v *visit) { v.serve(v1, len(half)) }), want: mustFail},
	{name: "a body with a length is reset at half, every time", serve: answers(func(v *visit) { v.serve(v1, len(half)); v.reset() }), want: mustFail},
	{name: "the connection ends within a chunk", serve: says(goodHalf, "fa0\r\n01234"), want: mustFail},
	{name: "the connection ends between two chunks", serve: says(goodHalf), want: mustFail},
	{name: "a chunked body is reset at half", serve: answers(func(v *visit) { io.WriteString(v, goodHalf); v.reset() }), want: mustFail},
	{name: "a body without a length ends at half", serve: says("HTTP/1.0 200 OK\r\n\r\n", halfBody), want: unseen},
	{name: "a body without a length is reset at half", serve: answers(func(v *visit) { io.WriteString(v, "HTTP/1.0 200 OK\r\n\r\n"+halfBody); v.reset() }), want: mustFail},
	{name: "a negative length", serve: sized("-5"), want: mustFail},
	{name: "a length with letters behind it", serve: sized("131072abc"), want: mustFail},
	{name: "a length with a space in it", serve: sized("131 072"), want: mustFail},
	{name: "a hexadecimal length", serve: sized("0x40000"), want: mustFail},
	{name: "a length that wraps in 64 bits", serve: sized("18446744073709682688"), want: mustFail},
	{name: "a length that wraps in 32 bits", serve: sized("4295098368"), want: mustFail},
	{name: "two lengths that differ", serve: says(ok, "Content-Length: 131072\r\n", length, "\r\n", body), want: mustFail},
	{name: "chunks and a length", serve: says(ok, "Content-Length: 131072\r\nTransfer-Encoding: chunked\r\n\r\n", chunks(v1.data, ""), "0\r\n\r\n")},
	{name: "chunks and a length, ended after the length", serve: says(ok, "Content-Length: 131072\r\nTransfer-Encoding: chunked\r\n\r\n", chunks(half, "")), want: mustFail},
	{name: "an unknown transfer coding", serve: says(ok, "Transfer-Encoding: xchunked\r\n\r\n", chunks(v1.data, ""), "0\r\n\r\n"), want: mustFail},
	{name: "a chunk size that is no number", serve: says(goodHalf, "zz\r\n", halfBody), want: mustFail},
	{name: "a negative chunk size", serve: says(goodHalf, "-1\r\n", halfBody, "\r\n0\r\n\r\n"), want: mustFail},
	{name: "a chunk size of 17 digits", serve: says(goodHalf, "FFFFFFFFFFFFFFFFF\r\n", halfBody, "\r\n0\r\n\r\n"), want: mustFail},
	{name: "a chunk size that wraps to the last chunk", serve: says(goodHalf, "10000000000000000\r\n\r\n", halfBody), want: mustFail},
	{name: "an empty chunk size", serve: says(goodHalf, "\r\n\r\n"), want: mustFail},
	{name: "a chunk size with 0x before it", serve: says(goodHalf, "0x20000\r\n", halfBody, "\r\n0\r\n\r\n"), want: mustFail},
	{name: "a chunk without CRLF at its end", serve: says(goodHalf, "4\r\n0123XX0\r\n\r\n"), want: mustFail},
	{name: "a chunk that is longer than its size", serve: says(goodHalf, fmt.Sprintf("%x\r\n", len(half)-1000), halfBody, "\r\n0\r\n\r\n"), want: mustFail},
	{name: "the connection ends within a header line", serve: says(ok, "Content-Type: text/plain\r\nContent-Le"), want: mustFail},
	{name: "the connection ends before the empty line", serve: says(ok, length), want: mustFail},
	{name: "another protocol answers", serve: says("SSH-2.0-OpenSSH_9.2p1\r\n"), want: mustFail},
	{name: "a status line without a status", serve: says("HTTP/1.1 OK\r\n", length, "\r\n", body), want: mustFail},
	{name: "a status of four digits", serve: says("HTTP/1.1 2000 OK\r\n", length, "\r\n", body), want: mustFail},
	{name: "an unrequested range", serve: answers(func(v *visit) { v.part(v1, "0-131071/262144", len(half), half) }), want: mustFail},
	{name: "a redirection without Location", serve: says("HTTP/1.1 302 Found\r\nContent-Length: 27\r\n\r\n", page), want: mustFail},
	{name: "a page for 404", serve: says("HTTP/1.1 404 Not Found\r\nContent-Length: 27\r\n\r\n", page), want: mustFail},
	{name: "a page for 500, every time", serve: says("HTTP/1.1 500 Oops\r\nContent-Length: 27\r\n\r\n", page), want: mustFail},
	{name: "interim responses without end", serve: answers(func(v *visit) { flood(v, "HTTP/1.1 102 Processing\r\n\r\n") }), want: mustFail},
}

var httpStall = []trial{
	{name: "no connection is made", serve: func(s *scene) string {
		s.hosts["good.test:80"] = blackHole
		return "http://good.test/f.bin"
	}, want: mustFail},
	{name: "silence after the request", serve: answers((*visit).wait), want: mustFail},
	{name: "silence within a header line", serve: answers(func(v *visit) { io.WriteString(v, ok+"Content-Type: te"); v.wait() }), want: mustFail},
	{name: "silence before the last chunk", serve: answers(func(v *visit) { io.WriteString(v, inChunks+chunks(v1.data, "")); v.wait() }), want: mustFail},
	{name: "silence before the announced end", serve: answers(func(v *visit) { io.WriteString(v, ok+"Content-Length: 524288\r\n\r\n"+body); v.wait() }), want: mustFail},
	{name: "a body that drips", serve: answers(func(v *visit) { io.WriteString(v, ok+length+"\r\n"); drip(v, "x") }), want: mustFail},
	{name: "a header that drips", serve: answers(func(v *visit) { io.WriteString(v, ok); drip(v, "X-A: b\r\n") }), want: mustFail},
	{name: "a redirection leads to a silent server", serve: func(s *scene) string {
		silent := s.http((*visit).wait)
		return s.http(func(v *visit) { v.say(nil, "HTTP/1.1 302 Found", "Content-Length: 0", "Location: "+silent) })
	}, want: mustFail},
	{name: "no answer to the ClientHello", serve: func(s *scene) string {
		return "https://" + s.listen(func(c *net.TCPConn) { io.Copy(io.Discard, c) }) + "/f.bin"
	}, want: mustFail},
}

var httpRetry = []trial{
	{name: "429 with Retry-After, then good", serve: first(func(v *visit) { v.say(nil, "HTTP/1.1 429 Slow down", "Retry-After: 1", "Content-Length: 0") }), want: mustBeRight},
	{name: "500, then good", serve: first(func(v *visit) { v.say([]byte(page), "HTTP/1.1 500 Oops", "Content-Length: 27") }), want: mustBeRight},
	{name: "a reset before the reply, then good", serve: first((*visit).reset), want: mustBeRight},
	{name: "an end before the reply, then good", serve: first(func(*visit) {}), want: mustBeRight},
	{name: "an end within the header, then good", serve: first(func(v *visit) { io.WriteString(v, ok+"Content-Le") }), want: mustBeRight},
	{name: "Retry-After of thirty years", serve: says("HTTP/1.1 503 No\r\nRetry-After: 1000000000\r\nContent-Length: 0\r\n\r\n"), want: mustFail},
	{name: "a fifth of the file with each request", serve: answers(func(v *visit) { v.serve(v1, v.from+len(v1.data)/5) }), want: mustBeRight},
	{name: "connections are refused, then good", serve: func(s *scene) string {
		s.hosts["good.test:80"] = host(s.http(good))
		s.refusals.Store(2)
		return "http://good.test/f.bin"
	}, want: mustBeRight},
}
