package fault_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"strings"
	"sync/atomic"
	"time"
)

// A visit is a connection to a server of HTTP with a request that has been read.
type visit struct {
	*net.TCPConn
	n    int // the number of the request, from 1
	req  *nethttp.Request
	rest bool // the request is for a range
	from int  // where that begins
	held bool // the connection is not to be closed in order

	coding string // of the content, if any
}

// http starts a server that answers each connection's one request, and returns its
// URL.
func (s *scene) http(answer func(*visit)) string {
	var n atomic.Int64
	return "http://" + s.listen(func(c *net.TCPConn) {
		req, err := nethttp.ReadRequest(bufio.NewReader(c))
		if err != nil {
			return
		}
		v := &visit{TCPConn: c, n: int(n.Add(1)), req: req}
		if span := req.Header.Get("Range"); span != "" {
			v.rest = true
			fmt.Sscanf(span, "bytes=%d-", &v.from)
		}
		answer(v)
		if !v.held {
			c.CloseWrite()
			c.SetReadDeadline(time.Now().Add(5 * time.Second))
			io.Copy(io.Discard, c) // so that the close does not become a reset
		}
	}) + "/f.bin"
}

// host returns the address in a URL of ours.
func host(u string) string {
	_, rest, _ := strings.Cut(u, "://")
	addr, _, _ := strings.Cut(rest, "/")
	return addr
}

// say sends the lines of a header, an empty line, and the body.
func (v *visit) say(body []byte, lines ...string) {
	io.WriteString(v, strings.Join(lines, "\r\n")+"\r\n\r\n")
	v.Write(body)
}

// reset resets the connection, after the sent bytes have arrived.
func (v *visit) reset() {
	time.Sleep(20 * time.Millisecond)
	v.SetLinger(0)
	v.TCPConn.Close()
	v.held = true
}

// wait sends nothing until the client leaves.
func (v *visit) wait() {
	io.Copy(io.Discard, v)
	v.held = true
}

// header returns status and the header lines that identify a version.
func (v *visit) header(status string, f version) []string {
	lines := []string{"HTTP/1.1 " + status, "Accept-Ranges: bytes"}
	if v.coding != "" {
		lines = append(lines, "Content-Encoding: "+v.coding)
	}
	if f.etag != "" {
		lines = append(lines, "ETag: "+f.etag)
	}
	if !f.time.IsZero() {
		lines = append(lines, "Last-Modified: "+f.time.Format(nethttp.TimeFormat))
	}
	return lines
}

// serve answers as a good server does, and stalls at an offset of the file.
func (v *visit) serve(f version, until int) {
	if asked := v.req.Header.Get("If-Range"); asked != "" && asked != f.etag && asked != f.time.Format(nethttp.TimeFormat) {
		v.rest, v.from = false, 0
	}
	v.anyway(f, until)
}

// anyway is serve by a server that ignores If-Range.
func (v *visit) anyway(f version, until int) {
	size := len(f.data)
	switch {
	case v.rest && v.from >= size:
		v.say(nil, append(v.header("416 No", f), fmt.Sprintf("Content-Range: bytes */%d", size), "Content-Length: 0")...)
	case v.rest:
		v.part(f, fmt.Sprintf("%d-%d/%d", v.from, size-1, size), size-v.from, f.data[v.from:max(v.from, min(until, size))])
	default:
		v.say(f.data[:min(until, size)], append(v.header("200 OK", f), fmt.Sprintf("Content-Length: %d", size))...)
	}
}

// part answers 206 with a body of an announced length.
func (v *visit) part(f version, span string, announced int, body []byte) {
	v.say(body, append(v.header("206 Partial Content", f), "Content-Range: bytes "+span, fmt.Sprintf("Content-Length: %d", announced))...)
}

const all = 1 << 30

func good(v *visit) { v.serve(v1, all) }

// answers makes a trial's servers of one that answers every request alike.
func answers(answer func(*visit)) func(*scene) string {
	return func(s *scene) string { return s.http(answer) }
}

// says makes a server that answers with these octets.
func says(octets ...string) func(*scene) string {
	return answers(func(v *visit) { io.WriteString(v, strings.Join(octets, "")) })
}

// first answers the first request, and good answers the others.
func first(answer func(*visit)) func(*scene) string {
	return answers(func(v *visit) {
		if v.n == 1 {
			answer(v)
		} else {
			good(v)
		}
	})
}
