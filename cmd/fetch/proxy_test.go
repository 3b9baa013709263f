package main

import (
	"io"
	"net"
	nethttp "net/http"
)

// forward is an HTTP proxy. It lets nobody in but joe, if there is a login, and
// marks what it has fetched.
func forward(w nethttp.ResponseWriter, r *nethttp.Request) {
	if login := r.Header.Get("Proxy-Authorization"); login != "" && login != "Basic am9lOnMzY3JldA==" {
		w.Header().Set("Proxy-Authenticate", `Basic realm="proxy"`)
		w.WriteHeader(nethttp.StatusProxyAuthRequired)
		return
	}
	if r.Method == nethttp.MethodConnect {
		tunnel(w, r.Host)
		return
	}
	r.RequestURI = ""
	r.Header.Del("Proxy-Authorization")
	resp, err := nethttp.DefaultTransport.RoundTrip(r)
	if err != nil {
		nethttp.Error(w, err.Error(), nethttp.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	for name, values := range resp.Header {
		w.Header()[name] = values
	}
	w.Header().Set("Via", "1.1 proxy")
	w.WriteHeader(resp.StatusCode)
	io.Copy(w, resp.Body)
}

// forwardDigested is an HTTP proxy for user, who has to log in by Digest.
func forwardDigested(w nethttp.ResponseWriter, r *nethttp.Request) {
	if !digested(r.Header.Get("Proxy-Authorization"), r.Method, r.RequestURI) {
		w.Header().Set("Proxy-Authenticate", `Digest realm="the club", nonce="n1"`)
		w.WriteHeader(nethttp.StatusProxyAuthRequired)
		return
	}
	r.Header.Del("Proxy-Authorization")
	forward(w, r)
}

func tunnel(w nethttp.ResponseWriter, addr string) {
	to, err := net.Dial("tcp", addr)
	if err != nil {
		nethttp.Error(w, err.Error(), nethttp.StatusBadGateway)
		return
	}
	defer to.Close()
	from, rw, err := w.(nethttp.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer from.Close()
	io.WriteString(from, "HTTP/1.1 200 OK\r\n\r\n")
	go func() {
		io.Copy(struct{ io.Writer }{to}, rw) // without splice, for which package net keeps pipes
		to.Close()
	}()
	io.Copy(struct{ io.Writer }{from}, to)
}
