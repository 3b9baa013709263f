package nntp_test

import (
	"errors"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/nntp"
	"github.com/seed1ea3422f/fetch/integration/nntptest"
)

// A new connection in place of an unusable kept one is not counted as a retry; it happens once for
// each kept one.
func TestRetriesAreBounded(t *testing.T) {
	for name, c := range map[string]struct {
		reply string
		kept  bool
		want  int // number of ARTICLE commands
	}{
		"busy":                           {"403 no", false, 3},
		"busy, on a kept connection":     {"403 no", true, 3},
		"the server leaves":              {"400 no", false, 3},
		"and also from a kept one":       {"400 no", true, 4},
		"no reply at all, on a kept one": {"no", true, 2},
	} {
		t.Run(name, func(t *testing.T) {
			server := nntptest.NewServer(many, nntptest.Reply("ARTICLE 2", c.reply))
			defer server.Close()
			f := new(nntp.Fetcher)
			defer f.CloseIdle()
			client := &fetchers.Client{Fetcher: f, Retry: fetchers.Retry{Max: 2, Delay: time.Millisecond}}
			if c.kept {
				if _, err := get(t, client, server.URL+"/test.many/1"); err != nil {
					t.Fatal(err)
				}
			}
			_, err := get(t, client, server.URL+"/test.many/2")
			var tried *fetchers.TriedError
			if err == nil || errors.As(err, &tried) && tried.Tries != 3 {
				t.Errorf("%v", err)
			}
			asked := 0
			for _, line := range server.Transcript() {
				if line == "ARTICLE 2" {
					asked++
				}
			}
			if asked != c.want {
				t.Errorf("asked %d times, want %d: %v", asked, c.want, err)
			}
		})
	}
}
