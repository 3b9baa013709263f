package http_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
)

// gzipMember returns text as a gzip member, whose header has optional fields (RFC 1952).
func gzipMember(text string, flags byte, parts ...string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	w.Close()
	head := "\x1f\x8b\x08" + string([]byte{flags}) + "\x00\x00\x00\x00\x00\x03" + strings.Join(parts, "")
	if flags&2 != 0 {
		sum := crc32.ChecksumIEEE([]byte(head))
		head += string([]byte{byte(sum), byte(sum >> 8)})
	}
	return head + b.String()[10:]
}

func TestGzipHeaders(t *testing.T) {
	const extra, name, comment = "\x06\x00AB\x02\x00ab", "name.txt\x00", "a comment\x00"
	long := strings.Repeat("x", 100_000) + "\x00"
	all := gzipMember("hello", 31, extra, name, comment)
	wrongSum := strings.Replace(all, "comment", "Comment", 1)
	for what, c := range map[string]struct {
		stream string
		want   string
		err    error
	}{
		"nothing more":         {gzipMember("hello", 0), "hello", nil},
		"a name":               {gzipMember("hello", 8, name), "hello", nil},
		"a comment":            {gzipMember("hello", 16, comment), "hello", nil},
		"an extra field":       {gzipMember("hello", 4, extra), "hello", nil},
		"the longest field":    {gzipMember("hello", 4, "\xff\xff"+strings.Repeat("x", 65535)), "hello", nil},
		"a sum":                {gzipMember("hello", 2), "hello", nil},
		"all of them":          {all, "hello", nil},
		"a long name":          {gzipMember("hello", 8, long), "hello", nil},
		"a long comment":       {gzipMember("hello", 18, long), "hello", nil},
		"several members":      {all + gzipMember("", 8, name) + gzipMember(" world", 0), "hello world", nil},
		"a wrong sum":          {wrongSum, "", fetchers.ErrCoding},
		"an unknown part":      {gzipMember("hello", 0x20), "", fetchers.ErrCoding},
		"another method":       {strings.Replace(all, "\x8b\x08", "\x8b\x07", 1), "", fetchers.ErrCoding},
		"a name without end":   {"\x1f\x8b\x08\x08\x00\x00\x00\x00\x00\x03name", "", io.ErrUnexpectedEOF},
		"a second that is cut": {all + all[:12], "hello", io.ErrUnexpectedEOF},
	} {
		got, err := gunzipped(t, "gzip", c.stream)
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s: %q, %v, want %q, %v", what, got, err, c.want, c.err)
		}
	}
	for n := range len(all) {
		if got, err := gunzipped(t, "gzip", all[:n]); n > 0 && !errors.Is(err, io.ErrUnexpectedEOF) || n == 0 && got != "" {
			t.Errorf("%d octets of %d: %q, %v", n, len(all), got, err)
		}
	}
}

// A gzip stream may contain empty members.
func TestGzipEmptyMembers(t *testing.T) {
	stream := strings.Repeat(gzipMember("", 0), 1000) + gzipMember(gzipMember("hello", 0), 0)
	if got, err := gunzipped(t, "gzip, gzip", stream); got != "hello" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// gunzipped fetches and decodes a gzip stream.
func gunzipped(t *testing.T, codings, stream string) (string, error) {
	t.Helper()
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		w.Header().Set("Content-Encoding", codings)
		w.Header().Set("Content-Length", strconv.Itoa(len(stream)))
		fmt.Fprint(w, stream)
	}))
	defer server.Close()
	f := new(http.Fetcher)
	defer f.CloseIdle()
	body, _, err := read(t, f, &fetchers.Request{URL: parse(t, server.URL), Compress: true})
	return string(body), err
}
