package gateway_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/gateway"
)

// TestLoop: a gateway that is led to itself ends the way at the second request.
func TestLoop(t *testing.T) {
	for _, proxied := range []bool{false, true} {
		var fetches atomic.Int32
		h := &gateway.Handler{Proxy: true}
		gate := httptest.NewServer(h)
		defer gate.Close()
		var origin *httptest.Server
		origin = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, gate.URL+"/fetch/"+origin.URL+"/", http.StatusFound)
		}))
		defer origin.Close()
		client := &fetchers.Client{Fetcher: fetch.Protocols(nil)}
		defer client.CloseIdle()
		h.Schemes = []string{"http"}
		h.Fetcher = fetchers.FetcherFunc(func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
			if fetches.Add(1) > 5 {
				return nil, fetchers.NewError("fetch", req.URL, fetchers.ErrBlocked)
			}
			if proxied { // as with a proxy of the environment
				again := *req
				again.URL = parse(t, gate.URL+"/fetch/"+req.URL.String())
				req = &again
			}
			return client.Fetch(ctx, req)
		})
		resp, err := gate.Client().Get(gate.URL + "/fetch/" + origin.URL + "/")
		if err != nil {
			t.Fatal(err)
		}
		text := bodyOf(t, resp)
		resp.Body.Close()
		if n := fetches.Load(); n != 1 || !strings.Contains(text, "508") {
			t.Errorf("proxied %t: %d fetches, %s\n%s", proxied, n, resp.Status, text)
		}
	}
}

// TestVia: a server gets the way that a request has come, and no other field.
func TestVia(t *testing.T) {
	var seen *fetchers.Request
	h := handlerOf(func(req *fetchers.Request) (*fetchers.Resource, error) {
		seen = req
		return resource(req.URL, fetchers.Document, "text/plain", "x"), nil
	})
	get(t, h, "/fetch/http://h.example/x", "Via: 1.0 other", "Cookie: a=b")
	via := seen.Header["Via"]
	if len(seen.Header) != 1 || len(via) != 2 || via[0] != "1.0 other" || !strings.HasPrefix(via[1], "1.1 fetch-") {
		t.Errorf("header %v", seen.Header)
	}
	resp := get(t, h, "/fetch/http://h.example/x", "Via: a, "+via[1]+", b")
	if resp.StatusCode != http.StatusLoopDetected {
		t.Error(resp.Status)
	}
	get(t, h, "/fetch/http://h.example/x", "Via: 1.1 fetch-a-b, 1.1 fetch-, 1.1 fetch")
	if again := seen.Header["Via"]; len(again) != 2 || again[1] == via[1] {
		t.Errorf("the name is %q twice", again)
	}
}
