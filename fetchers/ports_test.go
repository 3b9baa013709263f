package fetchers_test

import (
	"context"
	"errors"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A URL with the port of another protocol is refused, unless the Registry allows it (RFC 1738,
// section 6; clauses U-6-1 and U-6-2).
func TestPorts(t *testing.T) {
	asked := false
	answer := fetchers.FetcherFunc(func(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
		asked = true
		res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document}
		res.SetBody(nil)
		return res, nil
	})
	for _, allowed := range []struct{ any, session bool }{{}, {any: true}, {session: true}} {
		r := &fetchers.Registry{AnyPort: allowed.any, AnySessionPort: allowed.session}
		r.Register(answer, "http", "https", "ftp", "ftps", "gopher", "nntp", "telnet", "rlogin", "tn3270")
		for s, want := range map[string]bool{
			"gopher://h.dom:25/0HELO": false, "http://h.dom:22/": false, "http://h.dom:21/": false, "gopher://h.dom:6667/": false,
			"http://h.dom/": true, "http://h.dom:80/": true, "http://h.dom:8080/": true, "http://h.dom:1/": true,
			"ftp://h.dom:21/": true, "ftp://h.dom:990/": true, "ftps://h.dom:21/": true, "ftp://h.dom:25/": false,
			"nntp://h.dom:563/g.a": true, "nntp://h.dom:21/g.a": false,
			"telnet://h.dom:25/": false, "telnet://h.dom:6379/": false, "gopher://h.dom:6379/0": false, "telnet://h.dom:513/": true,
			"gopher://h.dom:2003/0": false, "gopher://h.dom:2181/0stat": false, "http://h.dom:4222/": false, "gopher://h.dom:5037/0": false,
			"gopher://h.dom:6600/0kill": false, "ftp://h.dom:9051/": false, "telnet://h.dom:9051/": false,
			"telnet://h.dom:2323/": true, "telnet://h.dom/": true, "tn3270://h.dom:23/": true, "rlogin://h.dom:22/": false,
		} {
			u, err := url.Parse(s)
			if err != nil {
				t.Fatal(err)
			}
			asked = false
			_, err = r.Fetch(t.Context(), &fetchers.Request{URL: u})
			_, notSession := u.Telnet()
			want = want || allowed.any || allowed.session && notSession == nil
			if asked != want || errors.Is(err, fetchers.ErrBlocked) == want {
				t.Errorf("%s with %+v: asked %v, error %v", s, allowed, asked, err)
			}
		}
	}
}
