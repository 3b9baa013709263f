package main

import (
	"encoding/json"
	nethttp "net/http"
	"net/http/httptest"
	"testing"

	"github.com/seed1ea3422f/fetch/record"
)

// The verb info requests no body, and writes the facts of the reply; with --json it writes a
// record.
func TestInfo(t *testing.T) {
	var methods []string
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		methods = append(methods, r.Method)
		w.Header().Set("Content-Type", "text/x-test")
		w.Header().Set("Content-Length", "3")
	}))
	defer server.Close()

	d := directly(t, "info", server.URL+"/a")
	err := info(t.Context(), infoOptions{URLs: d.urls, Options: d.options}, d.streams)
	d.wrote(t, err, "", "url:         "+server.URL+"/a\nkind:        document\nmedia-type:  text/x-test\nsize:        3\n", "")

	d = directly(t, "info", "--json", server.URL+"/a")
	err = info(t.Context(), infoOptions{URLs: d.urls, Options: d.options}, d.streams)
	var r record.Record
	if fault := json.Unmarshal(d.out.Bytes(), &r); err != nil || fault != nil || r.URL != server.URL+"/a" {
		t.Errorf("%v, %v: %s", err, fault, &d.out)
	}
	for _, m := range methods {
		if m != nethttp.MethodHead {
			t.Errorf("the server was asked by %s", m)
		}
	}
}
