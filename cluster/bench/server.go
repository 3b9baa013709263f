package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
)

// The places of the servers.
const (
	port       = "28080"
	jobAddress = "127.0.0.1:24222"
)

// address returns the address of a host.
func address(host int) string { return fmt.Sprintf("127.0.%d.%d", (host+1)/256, (host+1)%256) }

// serve runs the web server until its standard input ends. A body has the path in it, so each has another sum.
func serve(hosts, size string) {
	count, _ := strconv.Atoi(hosts)
	octets, _ := strconv.Atoi(size)
	rest := bytes.Repeat([]byte("."), octets)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := append([]byte(r.Host+r.URL.Path+"\n"), rest...)
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Length", strconv.Itoa(octets))
		w.Write(body[:octets])
	})}
	for host := range count {
		l, err := net.Listen("tcp", net.JoinHostPort(address(host), port))
		if err != nil {
			fmt.Fprintln(os.Stderr, "server:", err)
			os.Exit(1)
		}
		go server.Serve(l)
	}
	fmt.Println("ready")
	io.Copy(io.Discard, os.Stdin)
}
