package http_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
)

// A fault is a faulty response, under the name that it has in the project's notes.
type fault struct {
	id     string
	answer func(c *connection)
	want   error // nil if the complete document arrives
}

const length = "Content-Length: 262144"

var (
	v1   = bytes.Repeat([]byte("0123456789abcdef"), 262144/16)
	half = v1[:131072]
)

// whole, first and broken are responses in common forms.
func whole(lines ...string) func(*connection) {
	return func(c *connection) {
		c.head(append([]string{"HTTP/1.1 200 OK"}, lines...)...)
		c.say(string(v1))
	}
}

func first(lines ...string) func(*connection) {
	return func(c *connection) {
		c.head(append([]string{"HTTP/1.1 200 OK"}, lines...)...)
		c.say(string(half))
	}
}

// broken sends half of the data in valid chunks, then text.
func broken(text string) func(*connection) {
	return func(c *connection) {
		c.head("HTTP/1.1 200 OK", "Transfer-Encoding: chunked")
		c.chunked(half, "")
		c.say(text)
	}
}

func then(answer func(*connection), more func(*connection)) func(*connection) {
	return func(c *connection) { answer(c); more(c) }
}

func raw(text string) func(*connection) { return func(c *connection) { c.say(text) } }

const good = "HTTP/1.1 200 OK\r\n" + length + "\r\n"

// odd is a valid response with one odd header line.
func odd(line string) func(*connection) { return raw(good + line + "\r\n\r\n" + string(v1)) }

var reset = (*connection).reset

// framing are faults of framing; those of codings are in testdata/wire/http/coding.
var framing = []fault{
	{"whole with its length", whole(length), nil},
	{"whole in chunks", func(c *connection) {
		c.head("HTTP/1.1 200 OK", "Transfer-Encoding: chunked")
		c.chunked(v1, "")
		c.say("0\r\n\r\n")
	}, nil},
	{"whole in chunks with extensions and a trailer", func(c *connection) {
		c.head("HTTP/1.1 200 OK", "Transfer-Encoding: chunked")
		c.chunked(v1, `;a="b;c"`)
		c.say("0\r\nX-A: b\r\n\r\n")
	}, nil},
	{"whole until the connection ends", raw("HTTP/1.0 200 OK\r\n\r\n" + string(v1)), nil},
	{"cut before its length", first(length), io.ErrUnexpectedEOF},
	{"reset before its length", then(first(length), reset), io.ErrUnexpectedEOF},
	{"cut within a chunk", broken("fa0\r\n01234"), io.ErrUnexpectedEOF},
	{"cut between chunks", broken(""), io.ErrUnexpectedEOF},
	{"cut after the last chunk", broken("0\r\n"), io.ErrUnexpectedEOF},
	{"cut within the trailer", broken("0\r\nX-A: b\r\n"), io.ErrUnexpectedEOF},
	{"reset between chunks", then(broken(""), reset), io.ErrUnexpectedEOF},
	{"reset without a length", then(raw("HTTP/1.0 200 OK\r\n\r\n"+string(half)), reset), io.ErrUnexpectedEOF},
	{"a negative length", whole("Content-Length: -5"), fetchers.ErrProtocol},
	{"junk after the length", whole("Content-Length: 131072abc"), fetchers.ErrProtocol},
	{"a space within the length", whole("Content-Length: 131 072"), fetchers.ErrProtocol},
	{"a hexadecimal length", whole("Content-Length: 0x40000"), fetchers.ErrProtocol},
	{"a length that wraps at 64 bits", whole("Content-Length: 18446744073709682688"), fetchers.ErrProtocol},
	{"a length that wraps at 32 bits", whole("Content-Length: 4295098368"), io.ErrUnexpectedEOF},
	{"two lengths", whole("Content-Length: 131072", length), fetchers.ErrProtocol},
	{"chunks and a length", func(c *connection) {
		c.head("HTTP/1.1 200 OK", "Content-Length: 131072", "Transfer-Encoding: chunked")
		c.chunked(v1, "")
		c.say("0\r\n\r\n")
	}, nil},
	{"cut in chunks with a length", func(c *connection) {
		c.head("HTTP/1.1 200 OK", "Content-Length: 131072", "Transfer-Encoding: chunked")
		c.chunked(half, "")
	}, io.ErrUnexpectedEOF},
	{"an unknown transfer coding", func(c *connection) {
		c.head("HTTP/1.1 200 OK", "Transfer-Encoding: xchunked")
		c.chunked(v1, "")
	}, fetchers.ErrProtocol},
	{"a chunk size that is no number", broken("zz\r\n" + string(half)), fetchers.ErrProtocol},
	{"a negative chunk size", broken("-1\r\n" + string(half) + "\r\n0\r\n\r\n"), fetchers.ErrProtocol},
	{"a chunk size beyond 64 bits", broken("FFFFFFFFFFFFFFFFF\r\n" + string(half) + "\r\n0\r\n\r\n"), fetchers.ErrProtocol},
	{"a chunk size that wraps", broken("10000000000000000\r\n\r\n" + string(half)), fetchers.ErrProtocol},
	{"an empty chunk size", broken("\r\n\r\n"), fetchers.ErrProtocol},
	{"a chunk size with 0x", broken("0x20000\r\n" + string(half) + "\r\n0\r\n\r\n"), fetchers.ErrProtocol},
	{"a chunk without a line end", broken("4\r\n0123XX0\r\n\r\n"), fetchers.ErrProtocol},
	{"a chunk shorter than its data", broken(fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(half)-1000, half)), fetchers.ErrProtocol},
	{"cut within the header", raw("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Le"), fetchers.ErrTemporary},
	{"cut after a header line", raw(good), fetchers.ErrTemporary},
	{"another version", raw("HTTP/2.0 200 OK\r\n\r\n" + string(half)), fetchers.ErrProtocol},
	{"HTTP 1.0 in chunks with a length", func(c *connection) {
		c.head("HTTP/1.0 200 OK", "transfer-encoding: chunked", length)
		c.chunked(v1, "")
		c.say("0\r\n\r\n")
	}, nil},
	{"HTTP 1.0 in chunks", func(c *connection) {
		c.head("HTTP/1.0 200 OK", "Server: odd", "Transfer-Encoding: chunked")
		c.chunked(v1, "")
		c.say("0\r\n\r\n")
	}, nil},
	{"HTTP 1.0 in chunks that are none", func(c *connection) {
		c.head("HTTP/1.0 200 OK", "Transfer-Encoding: chunked", length)
		c.say(string(v1))
	}, fetchers.ErrProtocol},
	{"HTTP 1.0 cut in chunks", func(c *connection) {
		c.head("HTTP/1.0 200 OK", "Transfer-Encoding: chunked")
		c.chunked(half, "")
	}, io.ErrUnexpectedEOF},
	{"no HTTP", raw("SSH-2.0-OpenSSH_9.2p1\r\n"), fetchers.ErrProtocol},
	{"a status that is no number", raw("HTTP/1.1 OK\r\n" + length + "\r\n\r\n" + string(v1)), fetchers.ErrProtocol},
	{"a status of four digits", raw("HTTP/1.1 2000 OK\r\n" + length + "\r\n\r\n" + string(v1)), fetchers.ErrProtocol},
	{"206 that was not requested", raw("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-131071/262144\r\nContent-Length: 131072\r\n\r\n" + string(half)), fetchers.ErrProtocol},
	{"302 without a Location", raw("HTTP/1.1 302 Found\r\nContent-Length: 4\r\n\r\npage"), fetchers.ErrProtocol},
	{"404 with a page", raw("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\npage"), fs.ErrNotExist},
	{"500 with a page", raw("HTTP/1.1 500 Oops\r\nContent-Length: 4\r\n\r\npage"), fetchers.ErrTemporary},
	{"interim responses without end", func(c *connection) { c.always("HTTP/1.1 102 Processing\r\n\r\n") }, fetchers.ErrProtocol},
}

var headers = []fault{
	{"NUL in a value", odd("X-A: a\x00b"), fetchers.ErrProtocol},
	{"NUL in a name", odd("X\x00A: b"), fetchers.ErrProtocol},
	{"a bare CR", odd("X-A: a\rContent-Length: 4"), nil},
	{"a bare LF", odd("X-A: a\nX-B: b"), nil},
	{"a line without a colon", odd("a line without one"), fetchers.ErrProtocol},
	{"a folded first line", raw("HTTP/1.1 200 OK\r\n Content-Length: 131072\r\n" + length + "\r\n\r\n" + string(v1)), fetchers.ErrProtocol},
	{"escapes in the reason", raw("HTTP/1.1 404 \x1b]0;PWN\aNot Found\r\nContent-Length: 0\r\n\r\n"), fs.ErrNotExist},
	{"an empty line before the status", raw("\r\n" + good + "\r\n" + string(v1)), fetchers.ErrProtocol},
}

// sizes are responses meant to exhaust memory.
var sizes = []fault{
	{"a header without end", then(raw("HTTP/1.1 200 OK\r\n"), func(c *connection) { c.always("X-A: " + strings.Repeat("a", 103) + "\r\n") }), fetchers.ErrProtocol},
	{"a header of 100,000 fields", func(c *connection) {
		c.say("HTTP/1.1 200 OK\r\n")
		for i := range 100_000 {
			if !c.sayf("X-%d: %d\r\n", i, i) {
				return
			}
		}
		c.say(length + "\r\n\r\n" + string(v1))
	}, fetchers.ErrProtocol},
	{"a field of 10 MB", odd("X-A: " + strings.Repeat("a", 10_000_000)), fetchers.ErrProtocol},
	{"a status line without end", then(raw("HTTP/1.1 200 "), func(c *connection) { c.always("OK ") }), fetchers.ErrProtocol},
	{"a chunk extension without end", then(raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4"), func(c *connection) { c.always(";a=b") }), fetchers.ErrProtocol},
	{"a trailer without end", func(c *connection) {
		c.head("HTTP/1.1 200 OK", "Transfer-Encoding: chunked")
		c.chunked(v1, "")
		c.say("0\r\n")
		c.always("X-A: b\r\n")
	}, fetchers.ErrProtocol},
	{"80 MB of cookies", func(c *connection) {
		c.say("HTTP/1.1 200 OK\r\n")
		for i := range 20_000 {
			if !c.sayf("Set-Cookie: c%d=%s\r\n", i, v1[:4000]) {
				return
			}
		}
	}, fetchers.ErrProtocol},
	{"a Location of 10 MB", raw("HTTP/1.1 302 Found\r\nLocation: /" + strings.Repeat("a", 10_000_000) + "\r\n\r\n"), fetchers.ErrProtocol},
	{"a length of 8 EiB", whole("Content-Length: 9223372036854775807"), io.ErrUnexpectedEOF},
}

func TestFaults(t *testing.T) {
	for _, fault := range append(framing, headers...) {
		t.Run(fault.id, func(t *testing.T) { fault.try(t) })
	}
}

func (fault *fault) try(t *testing.T) {
	f := new(http.Fetcher)
	defer f.CloseIdle()
	body, confirmed, err := read(t, f, &fetchers.Request{URL: parse(t, serve(t, nil, fault.answer))})
	var about *fetchers.Error
	switch {
	case fault.want == nil && (err != nil || !bytes.Equal(body, v1)):
		t.Errorf("%d bytes of %d, error %v", len(body), len(v1), err)
	case fault.want != nil && !errors.Is(err, fault.want):
		t.Errorf("error %v, want one that is %v", err, fault.want)
	case fault.want != nil && (!errors.As(err, &about) || !bytes.HasPrefix(v1, body)):
		t.Errorf("error %T, and %d bytes that are not of the document", err, len(body))
	case confirmed != (fault.want == nil && fault.id != "whole until the connection ends"):
		t.Errorf("Confirmed() = %v", confirmed)
	}
}

// The memory of a client is bounded by the limit of the header.
func TestFaultsOfSize(t *testing.T) {
	const most = 8 << 20
	for _, fault := range sizes {
		t.Run(fault.id, func(t *testing.T) {
			if n := allocated(func() { fault.try(t) }); n > most {
				t.Errorf("%d bytes were allocated, want no more than %d", n, most)
			}
		})
	}
}

// allocated returns how many bytes are allocated while f runs.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A truncated body without a length cannot be detected, and is not Confirmed.
func TestCutWithoutLength(t *testing.T) {
	f := new(http.Fetcher)
	defer f.CloseIdle()
	body, confirmed, err := read(t, f, &fetchers.Request{URL: parse(t, serve(t, nil, raw("HTTP/1.0 200 OK\r\n\r\n"+string(half))))})
	if err != nil || !bytes.Equal(body, half) || confirmed {
		t.Errorf("%d bytes, confirmed %v, error %v", len(body), confirmed, err)
	}
}

// The rest of an unread response is not taken for another response.
func TestForgedAnswer(t *testing.T) {
	var requests atomic.Int64
	server := serve(t, nil, func(c *connection) {
		if requests.Add(1) == 1 {
			c.say("HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 5\r\n\r\n12345" +
				"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged")
			return
		}
		whole(length)(c)
	})
	f := new(http.Fetcher)
	defer f.CloseIdle()
	client := &fetchers.Client{Fetcher: f}
	body, _, err := read(t, client, &fetchers.Request{URL: parse(t, server)})
	if err != nil || !bytes.Equal(body, v1) {
		t.Errorf("%.20q of %d bytes, error %v", body, len(body), err)
	}
}
