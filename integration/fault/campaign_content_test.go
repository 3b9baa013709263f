package fault_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
)

// zipped returns data in the coding gzip.
func zipped(data []byte) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed) // an error is for a wrong level
	w.Write(data)
	w.Close()
	return b.Bytes()
}

// coded answers in a content coding to clients that accept it.
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
	{name: "gzip", serve: coded("gzip", zipped(v1.data)), want: mustBeRight},
	{name: "gzip ends at half, and the length fits", serve: coded("gzip", zipped(v1.data)[:len(half)]), want: mustFail},
	{name: "octets behind the end of gzip", serve: coded("gzip", append(zipped(v1.data), half[:100]...))},
	{name: "no gzip in spite of the header", serve: coded("gzip", v1.data)},
	{name: "an unknown content coding", serve: coded("zzip", v1.data), want: mustFail},
	{name: "gzip a hundred times over", serve: func(s *scene) string {
		body := v1.data
		for range 100 {
			body = zipped(body)
		}
		return coded(strings.TrimSuffix(strings.Repeat("gzip, ", 100), ", "), body)(s)
	}, want: mustFail},
	{name: "a gigabyte of zeros in gzip", serve: func(s *scene) string { return coded("gzip", bomb())(s) }, want: mustFail},
	// It is stored as it came, with a note that it is still coded.
	{name: "unrequested gzip", serve: codedUnasked("gzip", zipped(v1.data)), data: [][]byte{v1.data, zipped(v1.data)}},
}

var httpSize = []trial{
	{name: "header lines without end", serve: answers(func(v *visit) { io.WriteString(v, ok); flood(v, "X-A: "+strings.Repeat("a", 103)+"\r\n") }), want: mustFail},
	{name: "100,000 header lines", serve: answers(func(v *visit) {
		w := bufio.NewWriter(v)
		w.WriteString(ok)
		for i := range 100_000 {
			fmt.Fprintf(w, "X-%d: %d\r\n", i, i)
		}
		w.WriteString(length + "\r\n" + body)
		w.Flush()
	})},
	{name: "a header line of ten megabytes", serve: answers(func(v *visit) {
		io.WriteString(v, ok+"X-A: ")
		for range 10_000 {
			if _, err := io.WriteString(v, strings.Repeat("a", 1000)); err != nil {
				return
			}
		}
		io.WriteString(v, "\r\n"+length+"\r\n"+body)
	})},
	{name: "a status line without end", serve: answers(func(v *visit) { io.WriteString(v, "HTTP/1.1 200 "); flood(v, "OK ") }), want: mustFail},
	{name: "a chunk extension without end", serve: answers(func(v *visit) { io.WriteString(v, inChunks+"4"); flood(v, ";a=b") }), want: mustFail},
	{name: "a trailer without end", serve: answers(func(v *visit) {
		io.WriteString(v, inChunks+chunks(v1.data, "")+"0\r\n")
		flood(v, "X-A: b\r\n")
	})},
	{name: "20,000 cookies", serve: answers(func(v *visit) {
		io.WriteString(v, ok)
		for i := range 20_000 {
			if _, err := fmt.Fprintf(v, "Set-Cookie: c%d=%s\r\n", i, strings.Repeat("c", 4000)); err != nil {
				return
			}
		}
		io.WriteString(v, length+"\r\n"+body)
	})},
	{name: "a Location of ten megabytes", serve: answers(func(v *visit) {
		io.WriteString(v, "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /")
		for range 10_000 {
			if _, err := io.WriteString(v, strings.Repeat("a", 1000)); err != nil {
				return
			}
		}
		io.WriteString(v, "\r\n\r\n")
	}), want: mustFail},
	{name: "a length of eight exabytes", serve: sized("9223372036854775807"), want: mustFail},
}
