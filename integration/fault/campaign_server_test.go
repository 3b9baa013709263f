package fault_test

import (
	"context"
	"net"
	"strings"
	"sync"
	"time"
)

// listen starts a server that calls talk for each connection, and is closed with the
// scene.
func (s *scene) listen(talk func(*net.TCPConn)) (addr string) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		s.Fatal(err)
	}
	var wg sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	s.Cleanup(func() { cancel(); listener.Close(); wg.Wait() })
	wg.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer context.AfterFunc(ctx, func() { c.Close() })()
				defer c.Close()
				talk(c.(*net.TCPConn))
			})
		}
	})
	return listener.Addr().String()
}

// flood sends text until the client closes the connection.
func flood(c net.Conn, text string) {
	b := []byte(strings.Repeat(text, 1+1<<16/len(text)))
	for {
		if _, err := c.Write(b); err != nil {
			return
		}
	}
}

// drip sends text again and again, an octet at a time, until the client closes the
// connection.
func drip(c net.Conn, text string) {
	for i := 0; ; i++ {
		if _, err := c.Write([]byte{text[i%len(text)]}); err != nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// closed returns an address without a listener.
func (s *scene) closed() string {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		s.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}
