package proxy_test

import (
	"bufio"
	"encoding/base64"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// newHTTP starts an HTTP proxy that makes tunnels, over TLS if secure.
func newHTTP(t *testing.T, secure bool, user, password string) (*relay, *httptest.Server) {
	r := &relay{user: user, password: password}
	server := httptest.NewUnstartedServer(http.HandlerFunc(r.serveHTTP))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	if secure {
		server.EnableHTTP2 = true // the client must not select it for a CONNECT by HTTP/1.1
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	r.addr = server.Listener.Addr().String()
	return r, server
}

func (r *relay) serveHTTP(w http.ResponseWriter, req *http.Request) {
	scheme, secret, _ := strings.Cut(req.Header.Get("Proxy-Authorization"), " ")
	who, _ := base64.StdEncoding.DecodeString(secret)
	r.saw("%s %s%s", req.Method, req.RequestURI, as(string(who)))
	if r.user != "" && (scheme != "Basic" || string(who) != r.user+":"+r.password) {
		w.Header().Set("Proxy-Authenticate", `Basic realm="relay"`)
		w.WriteHeader(http.StatusProxyAuthRequired)
		return
	}
	if r.reply != 0 {
		w.WriteHeader(400 + int(r.reply))
		return
	}
	if req.Method != "CONNECT" || req.Host != req.RequestURI {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	target, err := r.dial(req.RequestURI)
	if err != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	w.WriteHeader(http.StatusOK)
	c, buffered, err := w.(http.Hijacker).Hijack()
	if err != nil {
		target.Close()
		return
	}
	join(c, bufio.NewReader(buffered), target)
}
