package main

import (
	"io"
	"net/textproto"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
)

func TestAsUTF8(t *testing.T) {
	for _, c := range []struct{ contentType, in, want string }{
		{"text/plain; charset=ISO-8859-1", "caf\xe9", "café"},
		{"text/html; charset=koi8-r", "\xcd\xc9\xd2", "мир"},
		{"text/plain; charset=utf-8", "café", "café"},
		{"text/plain", "caf\xe9", "caf\xe9"},
		{"text/plain; charset=nonsense", "caf\xe9", "caf\xe9"},
		{"text/plain; charset=iso-2022-kr", "abc", "abc"},
		{"application/octet-stream; charset=latin1", "\xe9", "\xe9"},
		{"", "\xe9", "\xe9"},
	} {
		res := &fetchers.Resource{Header: textproto.MIMEHeader{"Content-Type": {c.contentType}}}
		got, err := io.ReadAll(asUTF8(res, strings.NewReader(c.in)))
		if err != nil || string(got) != c.want {
			t.Errorf("%q as %q: %q, %v; want %q", c.in, c.contentType, got, err, c.want)
		}
	}
}
