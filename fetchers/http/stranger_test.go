package http_test

import (
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"net/textproto"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
)

// A Fetcher without a Client sends no secret to a URL with Namer ByStranger, even if the Request
// has some and the origin demanded a login earlier.
func TestStrangerWithoutClient(t *testing.T) {
	var secrets []string
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		for _, name := range []string{"Authorization", "Cookie", "X-Token"} {
			secrets = append(secrets, r.Header[name]...)
		}
		switch {
		case r.Header.Get("Authorization") == "":
			w.Header().Set("WWW-Authenticate", `Basic realm="r"`)
			w.WriteHeader(nethttp.StatusUnauthorized)
		case r.Method == "PROPFIND":
			w.WriteHeader(nethttp.StatusMultiStatus)
			io.WriteString(w, `<multistatus xmlns="DAV:"/>`)
		}
	}))
	defer server.Close()
	f := new(http.Fetcher)
	defer f.CloseIdle()
	for _, named := range []fetchers.Namer{fetchers.ByUser, fetchers.ByStranger} {
		for name, fetch := range map[string]fetchers.FetcherFunc{"Fetch": f.Fetch, "List": f.List} {
			for from, req := range map[string]*fetchers.Request{
				"Login": {URL: parse(t, server.URL+"/"), Login: &fetchers.Credential{User: "joe", Password: "s3cret"}},
				"URL":   {URL: parse(t, strings.Replace(server.URL, "//", "//joe:s3cret@", 1)+"/")},
			} {
				secrets = nil
				req.Named, req.Header = named, textproto.MIMEHeader{"X-Token": {"s3cret"}, "Cookie": {"a=s3cret"}}
				res, err := fetch(t.Context(), req)
				if err == nil {
					res.Close()
				}
				if trusted := named == fetchers.ByUser; (len(secrets) > 0) != trusted || (err == nil) != trusted {
					t.Errorf("%s, %s, named by %d: sent %q; %v", name, from, named, secrets, err)
				}
			}
		}
	}
}
