package fault_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
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

// say sends lines of a header and the empty one, and then the body.
func (v *visit) say(body []byte, lines ...string) {
	io.WriteString(v, strings.Join(lines, "\r\n")+"\r\n\r\n")
	v.Write(body)
}

// reset ends the connection without an end, after what was sent has arrived.
func (v *visit) reset() {
	time.Sleep(20 * time.Millisecond)
	v.SetLinger(0)
	v.TCPConn.Close()
	v.held = true
}

// wait says nothing until the client leaves.
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

// serve answers as a good server does, and says nothing more at a place in the file.
func (v *visit) serve(f version, until int) {
	if asked := v.req.Header.Get("If-Range"); asked != "" && asked != f.etag && asked != f.time.Format(nethttp.TimeFormat) {
		v.rest, v.from = false, 0
	}
	v.anyway(f, until)
}

// anyway is serve by a server that does not know If-Range.
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

// part answers 206 with a body that is announced to have so many octets.
func (v *visit) part(f version, span string, announced int, body []byte) {
	v.say(body, append(v.header("206 Partial Content", f), "Content-Range: bytes "+span, fmt.Sprintf("Content-Length: %d", announced))...)
}

const all = 1 << 30

func good(v *visit) { v.serve(v1, all) }

// answers makes a trial's servers of one that answers every request alike.
func answers(answer func(*visit)) func(*scene) string {
	return func(s *scene) string { return s.http(answer) }
}

// says answers with these octets.
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

// resumed answers the first request with half of v1, and those of the second run with
// later. All others are reset, so that there is a second run.
func resumed(later func(*visit)) func(*scene) string { return resumedFrom(v1, later) }

func resumedFrom(f version, later func(*visit)) func(*scene) string {
	return func(s *scene) string {
		return s.http(func(v *visit) {
			switch {
			case v.n == 1:
				v.serve(f, len(half))
			case s.runs.Load() < 2 && !s.inRun:
				v.reset()
			default:
				later(v)
			}
		})
	}
}

// toRest answers a request for a range in its own way, and others well.
func toRest(f version, answer func(*visit)) func(*visit) {
	return func(v *visit) {
		if v.rest {
			answer(v)
		} else {
			v.serve(f, all)
		}
	}
}

// withoutTag is a version of which only the time is known.
func withoutTag(f version) version { f.etag = ""; return f }

var (
	isV2 = [][]byte{v2.data}
	isV4 = [][]byte{v4.data}
)

var httpResume = []trial{
	{id: "r-ok", serve: resumed(good), twice: true, want: mustBeRight},
	{id: "r-ignored", serve: resumed(func(v *visit) { v.rest = false; v.serve(v1, all) }), twice: true, want: mustBeRight},
	{id: "r-206-zero", serve: resumed(toRest(v1, func(v *visit) { v.part(v1, "0-262143/262144", len(v1.data), v1.data) })), twice: true},
	{id: "r-206-shift", serve: resumed(toRest(v1, func(v *visit) {
		rest := v1.data[v.from+4096:]
		v.part(v1, fmt.Sprintf("%d-262143/262144", v.from+4096), len(rest), rest)
	})), twice: true},
	{id: "r-206-total", serve: resumed(toRest(v3, func(v *visit) {
		v.part(v3, fmt.Sprintf("%d-319999/320000", v.from), len(v3.data)-v.from, v3.data[v.from:])
	})), twice: true, data: [][]byte{v3.data}},
	{id: "r-206-short", serve: resumed(toRest(v1, func(v *visit) {
		short := v1.data[v.from : len(v1.data)-65536]
		v.part(v1, fmt.Sprintf("%d-262143/262144", v.from), len(short), short)
	})), twice: true},
	{id: "r-206-multi", serve: resumed(toRest(v1, func(v *visit) {
		v.say([]byte(fmt.Sprintf("--x\r\nContent-Range: bytes %d-262143/262144\r\n\r\n%s\r\n--x--\r\n", v.from, v1.data[v.from:])),
			"HTTP/1.1 206 Partial Content", "ETag: "+v1.etag, "Content-Type: multipart/byteranges; boundary=x", "Connection: close")
	})), twice: true},
	{id: "r-changed", serve: resumed(func(v *visit) { v.serve(v2, all) }), twice: true, data: isV2, want: mustBeRight},
	{id: "r-changed-noif", serve: resumed(func(v *visit) { v.anyway(v2, all) }), twice: true, data: isV2},
	{id: "r-changed-lm", serve: resumedFrom(withoutTag(v1), func(v *visit) { v.anyway(withoutTag(v2), all) }), twice: true, data: isV2},
	{id: "r-changed-inrun", serve: func(s *scene) string {
		s.inRun = true
		return resumed(func(v *visit) { v.anyway(v2, all) })(s)
	}, data: isV2},
	{id: "r-smaller", serve: resumed(func(v *visit) { v.anyway(v4, all) }), twice: true, data: isV4},
	{id: "r-416-lie", serve: resumed(toRest(v1, func(v *visit) {
		v.say(nil, "HTTP/1.1 416 No", "Content-Range: bytes */262144", "Content-Length: 0")
	})), twice: true},
	{id: "r-416-bare", serve: resumed(toRest(v1, func(v *visit) { v.say(nil, "HTTP/1.1 416 No", "Content-Length: 0") })), twice: true},
	{id: "r-errpage", serve: resumed(func(v *visit) {
		if v.n <= 4 {
			v.say([]byte(page), "HTTP/1.1 503 No", "Content-Length: 27")
			return
		}
		good(v)
	}), twice: true},
	{id: "r-foreign", serve: answers(good), want: mustBeRight},
	{id: "r-gzip", serve: func(s *scene) string {
		s.request.Compress = true
		coded := version{zipped(v1.data), `"gz"`, day}
		return s.http(func(v *visit) {
			until := all
			if v.n == 1 {
				until = len(coded.data) / 2
			} else if s.runs.Load() < 2 {
				v.reset()
				return
			}
			v.coding = "gzip"
			v.serve(coded, until)
		})
	}, twice: true},
}

// zipped returns data in the coding gzip.
func zipped(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(data)
	w.Close()
	return b.Bytes()
}

// coded answers in a content coding to those who offered it.
func coded(coding string, body []byte) func(*scene) string {
	return func(s *scene) string {
		s.request.Compress = true
		return codedUnasked(coding, body)(s)
	}
}

func codedUnasked(coding string, body []byte) func(*scene) string {
	return answers(func(v *visit) {
		v.say(body, "HTTP/1.1 200 OK", "Content-Encoding: "+coding, fmt.Sprintf("Content-Length: %d", len(body)))
	})
}

// bomb returns 1 GiB of zeros in gzip, but for the end.
func bomb() []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	head := 0
	zeros := make([]byte, 1<<20)
	for range 2 { // the second refers to the first, as all others do
		head = b.Len()
		w.Write(zeros)
		w.Flush()
	}
	return append(b.Bytes()[:head:head], bytes.Repeat(b.Bytes()[head:], 1023)...)
}

var httpDecode = []trial{
	{id: "z-ok", serve: coded("gzip", zipped(v1.data)), want: mustBeRight},
	{id: "z-cut", serve: coded("gzip", zipped(v1.data)[:len(half)]), want: mustFail},
	{id: "z-trail", serve: coded("gzip", append(zipped(v1.data), half[:100]...))},
	{id: "z-plain", serve: coded("gzip", v1.data)},
	{id: "z-unknown", serve: coded("zzip", v1.data), want: mustFail},
	{id: "z-layers", serve: func(s *scene) string {
		body := v1.data
		for range 100 {
			body = zipped(body)
		}
		return coded(strings.TrimSuffix(strings.Repeat("gzip, ", 100), ", "), body)(s)
	}, want: mustFail},
	{id: "z-bomb", serve: func(s *scene) string { return coded("gzip", bomb())(s) }, want: mustFail},
	// It is stored as it came, with a note that it is still coded.
	{id: "z-unasked", serve: codedUnasked("gzip", zipped(v1.data)), data: [][]byte{v1.data, zipped(v1.data)}},
}

var httpSize = []trial{
	{id: "b-head-inf", serve: answers(func(v *visit) { io.WriteString(v, ok); flood(v, "X-A: "+strings.Repeat("a", 103)+"\r\n") }), want: mustFail},
	{id: "b-head-100k", serve: answers(func(v *visit) {
		w := bufio.NewWriter(v)
		w.WriteString(ok)
		for i := range 100_000 {
			fmt.Fprintf(w, "X-%d: %d\r\n", i, i)
		}
		w.WriteString(length + "\r\n" + body)
		w.Flush()
	})},
	{id: "b-head-10m", serve: answers(func(v *visit) {
		io.WriteString(v, ok+"X-A: ")
		for range 10_000 {
			if _, err := io.WriteString(v, strings.Repeat("a", 1000)); err != nil {
				return
			}
		}
		io.WriteString(v, "\r\n"+length+"\r\n"+body)
	})},
	{id: "b-status-inf", serve: answers(func(v *visit) { io.WriteString(v, "HTTP/1.1 200 "); flood(v, "OK ") }), want: mustFail},
	{id: "b-chunk-ext", serve: answers(func(v *visit) { io.WriteString(v, inChunks+"4"); flood(v, ";a=b") }), want: mustFail},
	{id: "b-trailer", serve: answers(func(v *visit) {
		io.WriteString(v, inChunks+chunks(v1.data, "")+"0\r\n")
		flood(v, "X-A: b\r\n")
	})},
	{id: "b-cookies", serve: answers(func(v *visit) {
		io.WriteString(v, ok)
		for i := range 20_000 {
			if _, err := fmt.Fprintf(v, "Set-Cookie: c%d=%s\r\n", i, strings.Repeat("c", 4000)); err != nil {
				return
			}
		}
		io.WriteString(v, length+"\r\n"+body)
	})},
	{id: "b-loc-10m", serve: answers(func(v *visit) {
		io.WriteString(v, "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /")
		for range 10_000 {
			if _, err := io.WriteString(v, strings.Repeat("a", 1000)); err != nil {
				return
			}
		}
		io.WriteString(v, "\r\n\r\n")
	}), want: mustFail},
	{id: "b-cl-exa", serve: sized("9223372036854775807"), want: mustFail},
}
