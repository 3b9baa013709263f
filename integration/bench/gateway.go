package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// through is the case of one file of a size by a gateway, beside the same without it.
func through(name string, size int64, url string) benchCase {
	var gate string // the URL of the gateway, once it runs
	c := single(name, size, url)
	c.what += ", and through fetch serve"
	fill := c.prepare
	c.prepare = func(work string) (scene, error) {
		s, err := fill(work)
		if err != nil {
			return s, err
		}
		address, end, err := startGateway(filepath.Join(filepath.Dir(work), "fetch"))
		if err != nil {
			s.clean()
			return s, err
		}
		gate = address
		clean := s.clean
		s.clean = func() { end(); clean() }
		return s, nil
	}
	c.tools = append(c.tools,
		tool{name: "fetch through", args: func(string) []string { return []string{"-o", outBig, gate + "fetch/" + url} }},
		curl(url),
		tool{name: "curl through", args: func(string) []string { return []string{"-s", "-o", outBig, gate + "fetch/" + url} }},
	)
	return c
}

// startGateway starts fetch serve, and returns its URL.
func startGateway(program string) (address string, end func(), err error) {
	cmd := exec.Command(program, "serve", "--no-config", "--listen", "127.0.0.1:0")
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return "", nil, err
	}
	end = func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
	}
	line, err := bufio.NewReader(stderr).ReadString('\n')
	if err != nil {
		end()
		return "", nil, fmt.Errorf("%s serve: %w", program, err)
	}
	_, rest, _ := strings.Cut(line, "answering at ")
	address, _, _ = strings.Cut(rest, " ")
	return address, end, nil
}

// holdStreams opens a number of documents through a gateway, and holds them for a while, in which
// the memory of the gateway can be read. The server sends 1 KiB of each, and then 100 bytes a
// second.
func holdStreams(gate string, count int, hold time.Duration) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer listener.Close()
	go serveSlowly(listener)
	var mu sync.Mutex
	var open []net.Conn
	defer func() {
		for _, c := range open {
			c.Close()
		}
	}()
	var all sync.WaitGroup
	room := make(chan struct{}, 50) // connections that are being made
	for range count {
		room <- struct{}{}
		all.Go(func() {
			defer func() { <-room }()
			conn, err := net.Dial("tcp", gate)
			if err != nil {
				return
			}
			fmt.Fprintf(conn, "GET /fetch/gopher://%s/9/slow HTTP/1.1\r\nHost: %s\r\n\r\n", listener.Addr(), gate)
			in := bufio.NewReader(conn)
			if line, err := in.ReadString('\n'); err != nil || !strings.Contains(line, " 200 ") {
				conn.Close()
				return
			}
			mu.Lock()
			open = append(open, conn)
			mu.Unlock()
			go io.Copy(io.Discard, in)
		})
	}
	all.Wait()
	fmt.Printf("%d of %d streams are open, for %v\n", len(open), count, hold)
	time.Sleep(hold)
	return nil
}

// serveSlowly answers each connection with a document of gopher without an end.
func serveSlowly(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			if _, err := bufio.NewReader(conn).ReadString('\n'); err != nil {
				return
			}
			for p := make([]byte, 1024); ; p = p[:100] {
				if _, err := conn.Write(p); err != nil {
					return
				}
				time.Sleep(time.Second)
			}
		}()
	}
}
