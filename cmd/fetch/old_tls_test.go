package main

import (
	"crypto/tls"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// A server that has no TLS 1.2 gets no request, whether its certificate is trusted or not.
func TestOldTLSIsRefused(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	for _, args := range [][]string{{"-k"}, {"-k", "--http1.1"}, {"-k", "--tlsv1.2"}} {
		status, stdout, stderr := command(append(args, "--retry", "0", server.URL)...)
		if status != 35 || stdout != "" {
			t.Errorf("%q: status %d, %s", args, status, stdout+stderr)
		}
	}
	if n := asked.Load(); n > 0 {
		t.Errorf("the server was asked %d times", n)
	}
}
