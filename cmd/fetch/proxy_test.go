package main

import (
	"encoding/binary"
	"io"
	"net"
	nethttp "net/http"
	"net/netip"
	"sync"
	"testing"
)

// forward is an HTTP proxy. If it has a login, it admits only joe. It marks each response that it
// has fetched.
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

// forwardDigested is an HTTP proxy that admits user only, by Digest.
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

// forwardSOCKS starts a SOCKS4 proxy that admits only joe, and returns its address.
func forwardSOCKS(t *testing.T) string {
	t.Helper()
	return accept(t, joinSOCKS)
}

// accept calls serve with each connection until the test ends, and returns the address.
func accept(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	t.Cleanup(func() { l.Close(); all.Wait() })
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { serve(c) })
		}
	})
	return l.Addr().String()
}

// joinSOCKS answers the request of a client and connects the client to its target.
func joinSOCKS(from net.Conn) {
	defer from.Close()
	request := make([]byte, 8, 20) // version 4, CONNECT, port, address; a user and NUL follow
	for _, err := io.ReadFull(from, request); err == nil && (len(request) == 8 || request[len(request)-1] != 0); {
		request = append(request, 0)
		_, err = from.Read(request[len(request)-1:])
	}
	if string(request[8:]) != "joe\x00" {
		from.Write([]byte{0, 93, 0, 0, 0, 0, 0, 0})
		return
	}
	addr := netip.AddrPortFrom(netip.AddrFrom4([4]byte(request[4:8])), binary.BigEndian.Uint16(request[2:]))
	to, err := net.Dial("tcp", addr.String())
	if err != nil {
		from.Write([]byte{0, 91, 0, 0, 0, 0, 0, 0})
		return
	}
	defer to.Close()
	from.Write([]byte{0, 90, 0, 0, 0, 0, 0, 0})
	var copying sync.WaitGroup
	copying.Go(func() { io.Copy(struct{ io.Writer }{to}, from); to.Close() }) // without splice, as above
	io.Copy(struct{ io.Writer }{from}, to)
	from.Close()
	copying.Wait()
}
