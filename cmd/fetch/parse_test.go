package main

import (
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/record"
)

// The verb parse writes the parts of URLs, and goes on after an argument that is no URL.
func TestParse(t *testing.T) {
	d := directly(t, "parse", "http://h:x/", "http://h.example/a")
	err := parse(t.Context(), parseOptions{URLs: d.urls, Options: d.options}, d.streams)
	d.wrote(t, err, record.ClassMalformedURL, `canonical:   http://h.example/a
scheme:      http
names:       a resource on an HTTP server (RFC 9110, section 4.2.1)
host:        h.example
port:        80 (default)
path:        /a
http:        {"target":"/a"}
`, "fetch: parse http://h:***/: malformed URL: bad port (at byte 9)\n")

	d = directly(t, "parse", "--json", "http://h.example/a")
	err = parse(t.Context(), parseOptions{URLs: d.urls, Options: d.options}, d.streams)
	if text := d.out.String(); err != nil || !strings.HasPrefix(text, `{`) || strings.Count(text, "\n") != 1 {
		t.Errorf("%v: %s", err, text)
	}
}
