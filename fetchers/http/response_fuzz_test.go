package http_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/url"
)

// FuzzResponse checks that, whatever a server answers, the body consists of bytes that it sent, a
// Confirmed body has the stated size, and no text that may be sent or shown contains a byte that
// splits a line. The result does not depend on the boundaries of reads.
func FuzzResponse(f *testing.F) {
	for _, text := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nETag: \"v1\"\r\nLast-Modified: Sat, 03 Feb 2001 04:05:06 GMT\r\n\r\nhello",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nX-A: b\r\n\r\n",
		"HTTP/1.0 200 OK\r\n\r\nhello", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 204 No\r\n\r\n",
		"HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 5-9/10\r\n\r\nworld",
		"HTTP/1.1 416 No\r\nContent-Range: bytes */5\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 301 Moved\r\nLocation: //joe:x@h.example:99/\x01?a b#c\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"r\"\r\nRetry-After: 5\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Disposition: attachment; filename*=UTF-8''a%0D%0Ab\r\nContent-Length: 18446744073709551616\r\n\r\n",
		"HTTP/1.1 304 Not Modified\nETag: \"v\"\n\n", "SSH-2.0-x\r\n",
		"HTTP/1.0 200 \r00\n\n", // the CR was in Reply
	} {
		f.Add(text, false)
		f.Add(text, true)
	}
	f.Fuzz(func(t *testing.T, text string, part bool) {
		req := &fetchers.Request{URL: parse(t, "http://h.example/dir/f")}
		if part {
			req.Range, req.Have = fetchers.Range{Offset: 5}, fetchers.Validator{ETag: `"v1"`}
		}
		whole := respond(t, req, []byte(text), len(text))
		pieces := respond(t, req, []byte(text), 3)
		if whole.text != pieces.text {
			t.Errorf("in one piece it is\n%s\nand in several\n%s", whole.text, pieces.text)
		}
		res := whole.res
		if res == nil {
			return
		}
		if !within(whole.body, text) {
			t.Errorf("the body is %q of %q", whole.body, text)
		}
		stated := res.Size
		switch {
		case res.Range.Length > 0:
			stated = res.Range.Length
		case stated >= 0: // no byte may follow the body
			stated -= res.Range.Offset
		}
		if whole.err == nil && res.Kind == fetchers.Document && res.Confirmed() && stated >= 0 && stated != int64(len(whole.body)) {
			t.Errorf("%d octets of %d are all, it is said", len(whole.body), stated)
		}
		for _, s := range []string{res.Validator.ETag, res.MediaType, res.Reply.Text} {
			if strings.ContainsAny(s, "\r\n\x00") {
				t.Errorf("%q splits a line", s)
			}
		}
		for name, values := range res.Header {
			if s := name + strings.Join(values, ""); strings.ContainsAny(s, "\r\n\x00") {
				t.Errorf("the field %q splits a line", s)
			}
		}
		if res.Location != nil {
			to := res.Location.String()
			again, err := url.Parse(to)
			if err != nil || again.String() != to || strings.ContainsAny(to, "\r\n\x00 ") {
				t.Errorf("the Location %q is read as %v, %v", to, again, err)
			}
		}
	})
}

// within reports whether body is a subsequence of text, as the data of chunks are.
func within(body []byte, text string) bool {
	for _, b := range body {
		i := strings.IndexByte(text, b)
		if i < 0 {
			return false
		}
		text = text[i+1:]
	}
	return true
}

// An answered is the outcome of a response.
type answered struct {
	res  *fetchers.Resource // nil after an error before the body
	body []byte
	err  error
	text string // summary that must be the same each time
}

// respond fetches req from a server that sends octets, each at a time, and then closes the
// connection.
func respond(t *testing.T, req *fetchers.Request, octets []byte, each int) (a answered) {
	done := make(chan bool)
	asked := 0
	f := &http.Fetcher{Network: &fetchers.Network{Dial: func(context.Context, string, string) (net.Conn, error) {
		if asked++; asked > 1 {
			return nil, errors.New("it connects again")
		}
		near, far := net.Pipe()
		go func() {
			defer close(done)
			defer far.Close()
			for in := bufio.NewReader(far); ; {
				if line, err := in.ReadString('\n'); err != nil || line == "\r\n" {
					break
				}
			}
			for left := octets; len(left) > 0; {
				n := min(max(each, 1), len(left))
				if _, err := far.Write(left[:n]); err != nil {
					return
				}
				left = left[n:]
			}
		}()
		return near, nil
	}}}
	defer func() {
		f.CloseIdle()
		if asked > 0 {
			<-done
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var text bytes.Buffer
	a.res, a.err = f.Fetch(ctx, req)
	if a.err == nil {
		a.body, a.err = io.ReadAll(a.res.Body)
		a.res.Close()
		text.WriteString(a.res.Kind.String())
		text.Write(a.body)
		if a.err == nil && a.res.Confirmed() {
			text.WriteString(" confirmed")
		}
	}
	if errors.Is(a.err, context.DeadlineExceeded) {
		t.Fatal("it hangs")
	}
	for _, class := range []error{fetchers.ErrProtocol, fetchers.ErrTemporary, fetchers.ErrRange, fetchers.ErrChanged, fetchers.ErrLogin, io.ErrUnexpectedEOF} {
		if errors.Is(a.err, class) {
			text.WriteString("\nerror " + class.Error())
		}
	}
	a.text = text.String()
	return a
}
