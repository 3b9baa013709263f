package fault_test

import (
	"bytes"
	"io"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// begins2 makes a server that begins with the frames of begin, and is good from then on.
func begins2(begin func(r *h2)) func(*scene) string {
	return h2From(begin, func(r *h2) bool { r.good(); return false })
}

var http2Ends = []trial{
	{name: "HTTP/2", does: "HEADERS, DATA, END_STREAM", serve: http2(func(r *h2) bool { r.good(); return false }), want: mustBeRight},
	{name: "GOAWAY before the answer, once", does: "GOAWAY for stream 0, and the end of the connection", serve: once2(true, func(r *h2) { r.goaway(0, noError) }), want: mustBeRight},
	{name: "GOAWAY before the answer, every time", does: "GOAWAY for stream 0, and the end of the connection", serve: always2(true, func(r *h2) { r.goaway(0, noError) }), want: mustFail},
	{name: "GOAWAY for calm before the answer, once", does: "GOAWAY with ENHANCE_YOUR_CALM, and the end of the connection", serve: once2(true, func(r *h2) { r.goaway(0, calmDown) })},
	{name: "GOAWAY before an answer that comes", does: "GOAWAY that leaves the stream, and the file", serve: always2(false, func(r *h2) { r.goaway(r.stream, noError); r.good() }), want: mustBeRight},
	{name: "GOAWAY in the body, and the rest follows", does: "half, GOAWAY that leaves the stream, the other half", serve: always2(false, func(r *h2) {
		r.begin()
		r.data(len(half), 0)
		r.goaway(r.stream, noError)
		r.from = max(r.from, len(half))
		r.data(len(v1.data), endStream)
	}), want: mustBeRight},
	{name: "GOAWAY in the body and an end, once", does: "half, GOAWAY, the end of the connection", serve: once2(true, func(r *h2) { r.half(); r.goaway(r.stream, noError) }), want: mustBeRight},
	{name: "GOAWAY with an error in the body, every time", does: "half, GOAWAY with PROTOCOL_ERROR, the end of the connection", serve: always2(true, func(r *h2) { r.half(); r.goaway(r.stream, protocolError) }), want: mustFail},
	{name: "GOAWAY that drops the stream in the body", does: "half, GOAWAY for stream 0, silence", serve: once2(false, func(r *h2) { r.half(); r.goaway(0, noError) })},
	{name: "GOAWAY after the file", does: "the file, and GOAWAY", serve: always2(false, func(r *h2) { r.good(); r.goaway(r.stream, noError) }), want: mustBeRight},
	{name: "RST_STREAM: refused, once", does: "RST_STREAM with REFUSED_STREAM before the answer", serve: once2(false, func(r *h2) { r.rst(refusedStream) }), want: mustBeRight},
	{name: "RST_STREAM: refused, every time", does: "RST_STREAM with REFUSED_STREAM before the answer", serve: always2(false, func(r *h2) { r.rst(refusedStream) }), want: mustFail},
	{name: "RST_STREAM: internal error before the answer", does: "RST_STREAM with INTERNAL_ERROR, once", serve: once2(false, func(r *h2) { r.rst(internalError) })},
	{name: "RST_STREAM: cancelled before the answer", does: "RST_STREAM with CANCEL, once", serve: once2(false, func(r *h2) { r.rst(cancelCode) })},
	{name: "RST_STREAM: no error before the answer", does: "RST_STREAM with NO_ERROR, every time", serve: always2(false, func(r *h2) { r.rst(noError) }), want: mustFail},
	{name: "RST_STREAM: calm down", does: "RST_STREAM with ENHANCE_YOUR_CALM, every time", serve: always2(false, func(r *h2) { r.rst(calmDown) }), want: mustFail},
	{name: "RST_STREAM: use HTTP/1.1", does: "RST_STREAM with HTTP_1_1_REQUIRED, every time, to a client that wants HTTP/2 only", serve: always2(false, func(r *h2) { r.rst(http11Required) }), want: mustFail},
	{name: "RST_STREAM: internal error in the body, once", does: "half, RST_STREAM with INTERNAL_ERROR", serve: once2(false, func(r *h2) { r.half(); r.rst(internalError) }), want: mustBeRight},
	{name: "RST_STREAM: cancelled in the body, every time", does: "half, RST_STREAM with CANCEL", serve: always2(false, func(r *h2) { r.half(); r.rst(cancelCode) }), want: mustFail},
	{name: "RST_STREAM: no error in the body", does: "half, RST_STREAM with NO_ERROR, every time", serve: always2(false, func(r *h2) { r.half(); r.rst(noError) }), want: mustFail},
	{name: "RST_STREAM: no error in a body without a length", does: "half without a length, RST_STREAM with NO_ERROR, every time", serve: always2(false, func(r *h2) { r.headers(0, ":status", "200"); r.data(len(half), 0); r.rst(noError) }), want: mustFail},
	{name: "RST_STREAM: no error after all octets", does: "the file without END_STREAM, RST_STREAM with NO_ERROR", serve: always2(false, func(r *h2) { r.begin(); r.data(len(v1.data), 0); r.rst(noError) })},
	{name: "RST_STREAM: no error after the file", does: "the file, RST_STREAM with NO_ERROR", serve: always2(false, func(r *h2) { r.good(); r.rst(noError) }), want: mustBeRight},
	{name: "HTTP/2 ends at half, once", does: "half, and the end of the connection", serve: once2(true, func(r *h2) { r.half() }), want: mustBeRight},
	{name: "HTTP/2 ends at half, every time", does: "half, and the end of the connection", serve: always2(true, func(r *h2) { r.half() }), want: mustFail},
	{name: "HTTP/2 is reset at half, every time", does: "half, and the reset of the connection", serve: always2(true, func(r *h2) { r.half(); reset(r.Conn) }), want: mustFail},
	{name: "END_STREAM at half of the length", does: "half of Content-Length, END_STREAM, every time", serve: always2(false, func(r *h2) { r.begin(); r.data(len(half), endStream) }), want: mustFail},
	// END_STREAM means that the body is complete.
	{name: "END_STREAM at half, no length", does: "half without a length, END_STREAM", serve: always2(false, func(r *h2) { r.headers(0, ":status", "200"); r.data(len(half), endStream) }), want: mayBelieve},
	{name: "END_STREAM in place of a body", does: "a length, and END_STREAM with the header", serve: always2(false, func(r *h2) { r.headers(endStream, ":status", "200", "content-length", "262144") }), want: mustFail},
	{name: "more DATA than the length", does: "a length of half, and the whole file", serve: always2(false, func(r *h2) {
		r.headers(0, ":status", "200", "content-length", "131072")
		r.data(len(v1.data), endStream)
	}), want: mustFail},
	{name: "two lengths in HTTP/2", does: "Content-Length of half and of all", serve: always2(false, func(r *h2) {
		r.headers(0, ":status", "200", "content-length", "131072", "content-length", "262144")
		r.data(len(v1.data), endStream)
	})},
	{name: "a negative length in HTTP/2", does: "Content-Length of -5", serve: always2(false, func(r *h2) { r.headers(0, ":status", "200", "content-length", "-5"); r.data(len(v1.data), endStream) })},
}

var http2Frames = []trial{
	{name: "CONTINUATION without end", does: "HEADERS, and CONTINUATION for ever", serve: always2(true, func(r *h2) {
		r.frame(headersFrame, 0, r.stream, r.fields(":status", "200"))
		block := r.fields("x-a", strings.Repeat("a", 10_000))
		for sent := 0; sent < most; sent += len(block) {
			if r.frame(continuation, 0, r.stream, block) != nil {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		r.s.accuse("%d octets of CONTINUATION are taken", most)
	}), want: mustFail},
	{name: "empty CONTINUATION without end", does: "HEADERS, and empty CONTINUATION for ever", serve: always2(true, func(r *h2) {
		r.frame(headersFrame, 0, r.stream, r.fields(":status", "200"))
		r.again(func() error { return r.frame(continuation, 0, r.stream, nil) })
	}), want: mustFail},
	{name: "CONTINUATION that never comes", does: "HEADERS without END_HEADERS, and silence", serve: always2(false, func(r *h2) { r.frame(headersFrame, 0, r.stream, r.fields(":status", "200")) }), want: mustFail},
	{name: "DATA in place of CONTINUATION", does: "HEADERS without END_HEADERS, and DATA", serve: always2(false, func(r *h2) {
		r.frame(headersFrame, 0, r.stream, r.fields(":status", "200"))
		r.data(len(v1.data), endStream)
	}), want: mustFail},
	{name: "HEADERS of another stream in place of CONTINUATION", does: "HEADERS without END_HEADERS, and HEADERS of stream 99", serve: always2(false, func(r *h2) {
		r.frame(headersFrame, 0, r.stream, r.fields(":status", "200"))
		r.frame(headersFrame, endHeaders, 99, r.fields(":status", "200"))
	}), want: mustFail},
	{name: "interim answers without end in HTTP/2", does: "HEADERS with 103 for ever", serve: always2(true, func(r *h2) {
		r.again(func() error {
			return r.frame(headersFrame, endHeaders, r.stream, r.fields(":status", "103", "link", "</a>"))
		})
	}), want: mustFail},
	{name: "an interim answer in HTTP/2", does: "HEADERS with 103, and the file", serve: always2(false, func(r *h2) { r.headers(0, ":status", "103", "link", "</a>"); r.good() }), want: mustBeRight},
	{name: "SETTINGS without end", does: "SETTINGS for ever in place of the answer", serve: always2(true, func(r *h2) { r.again(func() error { return r.frame(settingsFrame, 0, 0, nil) }) }), want: mustFail, class: fetchers.ErrStalled},
	{name: "PING without end", does: "PING for ever in place of the answer", serve: always2(true, func(r *h2) { r.again(func() error { return r.frame(pingFrame, 0, 0, make([]byte, 8)) }) }), want: mustFail, class: fetchers.ErrStalled},
	{name: "PRIORITY without end", does: "PRIORITY for ever in place of the answer", serve: always2(true, func(r *h2) {
		r.again(func() error { return r.frame(priorityFrame, 0, r.stream, make([]byte, 5)) })
	}), want: mustFail},
	{name: "WINDOW_UPDATE without end", does: "WINDOW_UPDATE for ever in place of the answer", serve: always2(true, func(r *h2) { r.again(func() error { return r.frame(windowFrame, 0, 0, number(1)) }) }), want: mustFail},
	{name: "unknown frames without end", does: "frames of type 99 for ever in place of the answer", serve: always2(true, func(r *h2) { r.again(func() error { return r.frame(99, 0, 0, number(1)) }) }), want: mustFail},
	{name: "empty DATA without end", does: "the header, and empty DATA for ever", serve: always2(true, func(r *h2) {
		r.begin()
		r.again(func() error { return r.frame(dataFrame, 0, r.stream, nil) })
	}), want: mustFail, class: fetchers.ErrStalled},
	{name: "padding without end", does: "the header, and DATA of padding only for ever", serve: always2(true, func(r *h2) {
		r.begin()
		r.again(func() error { return r.frame(dataFrame, padded, r.stream, append([]byte{9}, make([]byte, 9)...)) })
	}), want: mustFail},
	{name: "WINDOW_UPDATE beyond the largest window", does: "twice the largest WINDOW_UPDATE of the connection", serve: always2(false, func(r *h2) {
		r.frame(windowFrame, 0, 0, number(1<<31-1))
		r.frame(windowFrame, 0, 0, number(1<<31-1))
	}), want: mustFail},
	{name: "WINDOW_UPDATE of nothing", does: "WINDOW_UPDATE of 0 for the connection", serve: always2(false, func(r *h2) { r.frame(windowFrame, 0, 0, number(0)) }), want: mustFail},
	{name: "DATA after END_STREAM", does: "the file, and more DATA", serve: always2(false, func(r *h2) { r.good(); r.frame(dataFrame, 0, r.stream, half[:100]) })},
	{name: "HEADERS after END_STREAM", does: "the file, and HEADERS with another status", serve: always2(false, func(r *h2) { r.good(); r.headers(0, ":status", "404") })},
	{name: "DATA before HEADERS", does: "DATA, and no header", serve: always2(false, func(r *h2) { r.data(len(half), endStream) }), want: mustFail},
	{name: "DATA of stream 0", does: "the header, and DATA of stream 0", serve: always2(false, func(r *h2) { r.begin(); r.frame(dataFrame, 0, 0, half[:100]) }), want: mustFail},
	{name: "DATA of another stream", does: "the header, and DATA of stream 99", serve: always2(false, func(r *h2) { r.begin(); r.frame(dataFrame, endStream, 99, half[:100]) }), want: mustFail},
	{name: "HEADERS within the body", does: "half, HEADERS with a status, the other half", serve: always2(false, func(r *h2) {
		r.half()
		r.headers(0, ":status", "200")
		r.from = max(r.from, len(half))
		r.data(len(v1.data), endStream)
	}), want: mustFail},
	{name: "a trailer in HTTP/2", does: "the file, and HEADERS with END_STREAM", serve: always2(false, func(r *h2) { r.begin(); r.data(len(v1.data), 0); r.headers(endStream, "x-a", "b") }), want: mustBeRight},
	{name: "a trailer that does not end in HTTP/2", does: "the file, and HEADERS without END_STREAM", serve: always2(false, func(r *h2) { r.begin(); r.data(len(v1.data), 0); r.headers(0, "x-a", "b") })},
	{name: "PUSH_PROMISE", does: "PUSH_PROMISE, which the client has not allowed, and the file", serve: always2(false, func(r *h2) {
		r.frame(pushFrame, endHeaders, r.stream, append(number(2), r.fields(":method", "GET", ":path", "/evil", ":scheme", "https", ":authority", "localhost")...))
		r.good()
	}), want: mustFail},
	{name: "a frame that is cut", does: "the header of a frame of 16,384 octets, 100 of them, and the end", serve: always2(true, func(r *h2) { r.begin(); r.sized(16384, dataFrame, 0, r.stream, half[:100]) }), want: mustFail},
	{name: "a frame header that is cut", does: "four octets of a frame header, and the end", serve: always2(true, func(r *h2) { r.Write([]byte{0, 0, 9, headersFrame}) }), want: mustFail},
	{name: "a frame of sixteen megabytes", does: "DATA that declares a size above the limit of the client", serve: always2(true, func(r *h2) { r.begin(); r.sized(1<<24-1, dataFrame, 0, r.stream, half); io.Copy(io.Discard, r) }), want: mustFail},
	{name: "padding longer than its frame", does: "DATA with padding that is longer than the frame", serve: always2(false, func(r *h2) { r.begin(); r.frame(dataFrame, padded, r.stream, []byte{200, 1, 2}) }), want: mustFail},
	{name: "a file in padded frames", does: "DATA with padding", serve: always2(false, func(r *h2) {
		r.begin()
		for from := r.from; from < len(v1.data); from += 8192 {
			r.frame(dataFrame, padded, r.stream, append(append([]byte{100}, v1.data[from:min(from+8192, len(v1.data))]...), make([]byte, 100)...))
		}
		r.frame(dataFrame, endStream, r.stream, nil)
	}), want: mustBeRight},
	{name: "an unknown frame", does: "a frame of type 99, and the file", serve: always2(false, func(r *h2) { r.frame(99, 0xff, r.stream, half[:100]); r.good() }), want: mustBeRight},
	{name: "SETTINGS of five octets", does: "SETTINGS that are no multiple of six octets", serve: begins2(func(r *h2) { r.frame(settingsFrame, 0, 0, half[:5]) }), want: mustFail},
	{name: "SETTINGS of a stream", does: "SETTINGS of stream 1", serve: begins2(func(r *h2) { r.frame(settingsFrame, 0, 1, nil) }), want: mustFail},
	{name: "unknown SETTINGS", does: "a setting that does not exist", serve: begins2(func(r *h2) { r.frame(settingsFrame, 0, 0, []byte{0xff, 0xff, 1, 2, 3, 4}) }), want: mustBeRight},
	{name: "SETTINGS with a window that is too large", does: "INITIAL_WINDOW_SIZE of 2^32 - 1", serve: begins2(func(r *h2) { r.frame(settingsFrame, 0, 0, []byte{0, 4, 0xff, 0xff, 0xff, 0xff}) }), want: mustFail},
	{name: "SETTINGS that allow no stream", does: "MAX_CONCURRENT_STREAMS of 0, and silence", serve: begins2(func(r *h2) { r.frame(settingsFrame, 0, 0, []byte{0, 3, 0, 0, 0, 0}) })},
	{name: "a huge header table", does: "HEADER_TABLE_SIZE of 2^32 - 1", serve: begins2(func(r *h2) { r.frame(settingsFrame, 0, 0, []byte{0, 1, 0xff, 0xff, 0xff, 0xff}) }), want: mustBeRight},
	{name: "HTTP/1.1 in place of SETTINGS", does: "an answer of HTTP/1.1 after h2 was agreed on", serve: begins2(func(r *h2) { io.WriteString(r, ok+length+"\r\n"+body) }), want: mustFail},
	{name: "no SETTINGS", does: "silence after the preface", serve: h2From(func(r *h2) { io.Copy(io.Discard, r) }, nil), want: mustFail, class: fetchers.ErrStalled},
	{name: "no answer in HTTP/2", does: "silence, but for PING", serve: always2(false, func(*h2) {}), want: mustFail, class: fetchers.ErrStalled},
	{name: "no answer to PING", does: "silence", serve: always2(false, func(r *h2) { r.deaf = true }), want: mustFail},
	{name: "silence in the body of HTTP/2", does: "half, and silence, but for PING", serve: always2(false, (*h2).half), want: mustFail, class: fetchers.ErrStalled},
	{name: "a body of HTTP/2 that drips", does: "DATA of one octet a second", serve: always2(true, func(r *h2) {
		r.begin()
		for at := 0; r.frame(dataFrame, 0, r.stream, v1.data[at:at+1]) == nil; at++ {
			time.Sleep(time.Second)
		}
	}), want: needsFlag, flag: "--speed-limit"},
	{name: "a header of HTTP/2 that drips", does: "HEADERS, an octet a second", serve: always2(true, func(r *h2) {
		r.sized(16_000, headersFrame, endHeaders, r.stream, r.fields(":status", "200"))
		dripSlowly(r, "\x00\x01a\x01b")
	}), want: mustFail},
}

var http2Headers = []trial{
	{name: "a header name in capitals", does: "a field called X-A", serve: always2(false, func(r *h2) {
		r.frame(headersFrame, endHeaders, r.stream, append(r.fields(":status", "200"), "\x00\x03X-A\x01b"...))
		r.data(len(v1.data), endStream)
	})},
	{name: "a line end in a field of HTTP/2", does: "a field with CR and LF in its value", serve: always2(false, func(r *h2) {
		r.headers(0, ":status", "200", "x-a", "b\r\nContent-Length: 5")
		r.data(len(v1.data), endStream)
	})},
	{name: "no status in HTTP/2", does: "HEADERS without :status", serve: always2(false, func(r *h2) { r.headers(0, "x-a", "b"); r.data(len(v1.data), endStream) }), want: mustFail},
	{name: "two statuses in HTTP/2", does: ":status of 404 and of 200", serve: always2(false, func(r *h2) {
		r.headers(0, ":status", "404", ":status", "200")
		r.data(len(v1.data), endStream)
	}), want: mustFail},
	{name: "a status that is no number in HTTP/2", does: ":status of 2x0", serve: always2(false, func(r *h2) { r.headers(0, ":status", "2x0"); r.data(len(v1.data), endStream) }), want: mustFail},
	{name: "a status after a field in HTTP/2", does: ":status behind another field", serve: always2(false, func(r *h2) {
		r.headers(0, "x-a", "b", ":status", "200")
		r.data(len(v1.data), endStream)
	})},
	{name: "a header block that makes no sense", does: "HEADERS with an index that the table does not have", serve: always2(false, func(r *h2) { r.frame(headersFrame, endHeaders, r.stream, []byte{0xff, 0xff, 0xff, 0x7f}) }), want: mustFail},
	{name: "a header block that is cut", does: "HEADERS with half of a field", serve: always2(false, func(r *h2) { r.frame(headersFrame, endHeaders, r.stream, []byte{0, 100, 'a'}) }), want: mustFail},
	{name: "a header block that becomes large", does: "HEADERS with an indexed field of 4,000 octets, 10,000 times", serve: always2(false, func(r *h2) {
		first := r.fields(":status", "200", "x-a", strings.Repeat("a", 4000))
		again := bytes.Repeat([]byte{0x80 | 62}, 10_000) // the newest entry of the HPACK table
		r.frame(headersFrame, endHeaders, r.stream, append(first, again...))
		r.data(len(v1.data), endStream)
	}), want: mustFail},
}
