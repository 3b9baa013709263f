package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/internal/command/job"
	"github.com/seed1ea3422f/fetch/internal/command/keep"
	"github.com/seed1ea3422f/fetch/url"
)

// The files of an origin start together once there are enough of them for a crowd, or when no
// more come at once. Others start at once.
func TestCrowd(t *testing.T) {
	times := func(n int, text string) []string { return slices.Repeat([]string{text}, n) }
	for name, test := range map[string]struct {
		added []string // URLs; "-" is a release
		want  string   // starts: the number of the URL, with * if it is of a crowd
	}{
		"http is not held back":            {[]string{"http://a/", "https://a/", "http://b/", "-"}, "1 3 2"},
		"seven are no crowd":               {append(times(7, "https://a/"), "-"), "1 2 3 4 5 6 7"},
		"eight are":                        {append(times(8, "https://a/"), "https://a/"), "1* 2* 3* 4* 5* 6* 7* 8* 9*"},
		"each origin is counted by itself": {append(times(7, "https://a/"), "https://b/", "https://a:444/", "https://a:443/", "-"), "1* 2* 3* 4* 5* 6* 7* 10* 8 9"},
		"those that have started count":    {append(append(times(7, "https://a/"), "-"), times(2, "https://a/")...), "1 2 3 4 5 6 7 9* 10*"},
		"nothing is left":                  {[]string{"-", "https://a/", "-", "-"}, "2"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			c := crowd{
				multiplexes: func(u *url.URL) bool { return u.Scheme == "https" },
				start: func(n numbered) {
					text := fmt.Sprint(n.at)
					if n.file.Multiplex {
						text += "*"
					}
					got = append(got, text)
				},
			}
			for i, text := range test.added {
				if text == "-" {
					c.release()
					continue
				}
				u, err := url.Parse(text)
				if err != nil {
					t.Fatal(err)
				}
				c.add(numbered{i + 1, keep.File{Job: job.Job{URL: u}}})
			}
			if text := strings.Join(got, " "); text != test.want {
				t.Errorf("%s, want %s", text, test.want)
			}
		})
	}
}

// A crowd remembers a bounded number of origins.
func TestCrowdForgets(t *testing.T) {
	started := 0
	c := crowd{multiplexes: func(*url.URL) bool { return true }, start: func(numbered) { started++ }}
	for n := range 3 * maxOrigins {
		c.add(numbered{n, keep.File{Job: job.Job{URL: &url.URL{Scheme: "https", Authority: url.Authority{Host: fmt.Sprint("h", n)}}}}})
		if n%1000 == 0 {
			c.release()
		}
	}
	if c.release(); len(c.known) > maxOrigins+1000 || started != 3*maxOrigins {
		t.Errorf("%d origins are known, and %d files started", len(c.known), started)
	}
}
