package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// TestRedirectionsAreNotKeptForEver redirects a body to a new URL each time that it is
// resumed.
func TestRedirectionsAreNotKeptForEver(t *testing.T) {
	for _, c := range []struct {
		name   string
		app    *app
		length int // the length of a URL
		want   int
	}{
		{"nobody reads them", &app{}, 20, 0},
		{"a record", &app{json: true}, 20, maxRedirects},
		{"a script", &app{wire: wireFlags{name: "x"}}, 20, maxRedirects},
		{"long ones", &app{json: true}, maxRedirect / 10, 9},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s story
			trace := fetchers.ContextTrace(c.app.listen(t.Context(), new(url.URL), &s))
			for n := range 500 {
				from, to := parseURL(t, fmt.Sprintf("http://h.example/%d", n)), parseURL(t, fmt.Sprintf("http://h.example/%d?%s", n, strings.Repeat("x", c.length)))
				trace.Follow(from, to)
				trace.Follow(from, to) // another segment
			}
			if len(s.redirects) != c.want || len(s.followed) != c.want {
				t.Errorf("%d are kept, and %d pairs, want %d", len(s.redirects), len(s.followed), c.want)
			}
			s.moveOn()
			trace.Follow(parseURL(t, "http://a.example/"), parseURL(t, "http://b.example/"))
			if got := strings.Join(s.redirects, " "); got != map[bool]string{true: "http://b.example/"}[c.want > 0] {
				t.Errorf("after another place was asked: %q", got)
			}
		})
	}
}

func parseURL(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
